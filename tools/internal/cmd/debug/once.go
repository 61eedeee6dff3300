package debug

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/llamakit/llamakit/engine/debug"
	"github.com/llamakit/llamakit/tools/internal/asjson"
	"github.com/llamakit/llamakit/tools/internal/run"
	"github.com/llamakit/llamakit/tui/session"
)

// started opens the model and builds the input.
func (o *options) started(ctx context.Context) (debug.Runner, debug.Input, func(), error) {
	r, done, err := o.open(ctx)
	if err != nil {
		return nil, debug.Input{}, nil, err
	}
	in, err := o.build(r.Defaults())
	if err != nil {
		done()
		return nil, in, nil, err
	}
	return r, in, done, nil
}

// printPrompt prints what the model sees.
func (o *options) printPrompt(ctx context.Context) error {
	r, in, done, err := o.started(ctx)
	if err != nil {
		return err
	}
	defer done()
	p, err := r.Render(ctx, in)
	if err != nil {
		return err
	}
	if o.json {
		return asjson.Write(o.stdout, p)
	}
	return o.promptText(p)
}

// once prints one run. Where an error ends it, what came before is printed nevertheless.
func (o *options) once(ctx context.Context) error {
	r, in, done, err := o.started(ctx)
	if err != nil {
		return err
	}
	defer done()
	result, err := r.Run(ctx, in, o.keep(), nil)
	if err == nil && o.branch != "" {
		result, err = o.branchOff(ctx, r, result)
	}
	if err != nil && !errors.Is(err, debug.ErrRun) {
		return err
	}
	return errors.Join(err, o.finish(r, result))
}

func (o *options) branchOff(ctx context.Context, r debug.Runner, from *debug.Run) (*debug.Run, error) {
	at, t, err := parseBranch(o.branch)
	if err != nil {
		return nil, err
	}
	return r.Branch(ctx, from, at, t, nil)
}

// finish records and prints a run.
func (o *options) finish(r debug.Runner, result *debug.Run) error {
	if o.record != "" || o.json {
		if err := r.Seal(result); err != nil {
			return err
		}
	}
	if o.record != "" {
		if err := save(o.record, result); err != nil {
			return err
		}
	}
	if o.json {
		return debug.Write(o.stdout, result)
	}
	return o.runText(r, result)
}

// save writes a recording, whole or not at all.
func save(path string, result *debug.Run) error {
	if err := checkFolder(path); err != nil {
		return err
	}
	var b bytes.Buffer
	if err := debug.Write(&b, result); err != nil {
		return err
	}
	return session.WriteFile(path, b.Bytes())
}

// checkFolder makes sure that a file can be made: before the work, so that nothing is lost.
func checkFolder(path string) error {
	if path == "" {
		return nil
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return fmt.Errorf("%s: the folder does not exist", path)
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a folder, not a file", path)
	}
	return nil
}

// load reads a recording.
func load(path string) (*debug.Run, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := debug.Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// replayFile makes a recorded run again. One that is another is an error, once it was printed.
func (o *options) replayFile(ctx context.Context) error {
	recorded, err := load(o.replay)
	if err != nil {
		return err
	}
	s, done, err := o.openRecorded(ctx, recorded)
	if err != nil {
		return err
	}
	defer done()
	result, differences, err := s.Replay(ctx, recorded, nil)
	if err != nil && !errors.Is(err, debug.ErrRun) {
		return fmt.Errorf("%s: %w", o.replay, err)
	}
	if err := errors.Join(err, o.finish(s, result)); err != nil {
		return err
	}
	for _, d := range differences {
		fmt.Fprintln(o.stderr, o.replay+":", d)
	}
	if len(differences) > 0 {
		return fmt.Errorf("%s: the replay is not the recorded run", o.replay)
	}
	return nil
}

// openRecorded opens the model as it was for a recording, where the flags do not say otherwise.
func (o *options) openRecorded(ctx context.Context, recorded *debug.Run) (*debug.Session, func(), error) {
	if o.url != "" {
		return nil, nil, run.Usagef("a recording is replayed on a model, which must be the same: a server does not tell; give -m")
	}
	if o.Options.Context == 0 {
		o.Options.Context = recorded.Model.Context
	}
	o.UseCache(recorded.Model.CacheK, recorded.Model.CacheV)
	return o.openModel(ctx, o.Path)
}
