package debug

import (
	"context"

	"github.com/llamakit/llamakit/engine/debug"
	"github.com/llamakit/llamakit/tools/internal/run"
	"github.com/llamakit/llamakit/tui"
	tuidebug "github.com/llamakit/llamakit/tui/debug"
	"github.com/llamakit/llamakit/tui/debug/remote"
	"github.com/llamakit/llamakit/tui/source"
)

// Beside is the debugger beside another view of the same model: that can open it with tui.Open, and q leads back. file is the
// model's. It is nil for a model that cannot be debugged.
func Beside(ctx context.Context, back string, from source.Source, file string) *tuidebug.View {
	o := tuidebug.Options{Keep: debug.Options{Candidates: usualCandidates, Surprise: true}, Save: save, Back: back}
	local, ok := from.(source.Local)
	if !ok {
		return tuidebug.New(ctx, remote.New(from, run.Version()), o)
	}
	s, err := debug.New(local.Model, fileName(file), run.Version())
	if err != nil {
		return nil
	}
	return tuidebug.New(ctx, s, o)
}

// show is the view on a terminal.
func (o *options) show(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	view, done, err := o.newView(ctx)
	if err != nil {
		return err
	}
	defer done()
	return tui.Run(ctx, []tui.View{view})
}

func (o *options) newView(ctx context.Context) (*tuidebug.View, func(), error) {
	more := tuidebug.Options{Keep: o.keep(), Save: save, Start: o.given()}
	if o.replay != "" {
		return o.replayView(ctx, more)
	}
	r, in, done, err := o.started(ctx)
	if err != nil {
		return nil, nil, err
	}
	more.Input = in
	if o.against != "" {
		recording, other, doneOther, err := o.openAgainst(ctx)
		if err != nil {
			done()
			return nil, nil, err
		}
		if more.A = recording; other != nil {
			more.Other = other
		}
		both := done
		done = func() { doneOther(); both() }
	}
	return tuidebug.New(ctx, r, more), done, nil
}

// replayView shows a recording that was made again.
func (o *options) replayView(ctx context.Context, more tuidebug.Options) (*tuidebug.View, func(), error) {
	recorded, err := load(o.replay)
	if err != nil {
		return nil, nil, err
	}
	s, done, err := o.openRecorded(ctx, recorded)
	if err != nil {
		return nil, nil, err
	}
	var differences []string
	if more.Run, differences, err = s.Replay(ctx, recorded, nil); err != nil {
		done()
		return nil, nil, err
	}
	more.Run.Notes = append(more.Run.Notes, differences...)
	return tuidebug.New(ctx, debug.Runner(s), more), done, nil
}
