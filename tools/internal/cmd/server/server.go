// Package server is the command that serves a model over HTTP.
package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"

	"github.com/urfave/cli/v3"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/serve"
	"github.com/llamakit/llamakit/tools/internal/run"
	"github.com/llamakit/llamakit/tui/printable"
)

// Command returns the command under the given name.
func Command(name string) *cli.Command {
	o := newOptions()
	cmd := &cli.Command{
		Name:  name,
		Usage: "serve a model over HTTP: the APIs of OpenAI, Anthropic and llama.cpp; without -m a small embedded one",
		Flags: o.flags(),
	}
	cmd.Action = func(ctx context.Context, c *cli.Command) error {
		if c.Args().Present() {
			return run.Usagef("%q is no flag; the model is given with -m", c.Args().First())
		}
		if err := o.applyPreset(c); err != nil {
			return err
		}
		if err := checkVariables(); err != nil {
			return err
		}
		return o.run(ctx, c.Root().ErrWriter)
	}
	return cmd
}

// run serves until ctx ends or the model cannot be opened.
func (o *options) run(ctx context.Context, stderr io.Writer) error {
	if err := o.resolve(); err != nil {
		return err
	}
	log, err := o.openLog(stderr)
	if err != nil {
		return err
	}
	defer log.close()
	o.serve.Log = log.request
	if o.cacheReuse > 0 {
		log.note("--cache-reuse changes nothing here: beginnings are reused whatever it says, and what stands elsewhere is computed anew (docs/server.md)")
	}
	s, err := serve.New(o.serve)
	if err != nil {
		return run.Usagef("%v", err)
	}
	listeners, err := s.Listen()
	if err != nil {
		return err
	}
	if o.watched() {
		return o.serveWatched(ctx, s, listeners, log)
	}
	for _, l := range listeners {
		log.note("listening on " + s.URL(l))
	}
	if o.share {
		printShare(stderr, s.URL(listeners[0]), o.serve.Keys[0])
	}
	return o.serveModel(ctx, s, listeners, log, stderr)
}

// serveModel answers from the beginning, and opens the model meanwhile.
func (o *options) serveModel(ctx context.Context, s *serve.Server, listeners []net.Listener, log *logger, stderr io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	loaded := make(chan error, 1)
	go func() {
		err := s.Load(func() (*engine.Model, error) { return o.Open(ctx, stderr) })
		if err != nil {
			cancel(err)
		} else {
			log.note(describe(s.Model()))
		}
		loaded <- err
	}()
	err := s.Serve(ctx, listeners...)
	cancel(nil)
	if failed := <-loaded; failed != nil && !errors.Is(failed, context.Canceled) {
		return failed
	}
	if m := s.Model(); m != nil {
		err = errors.Join(err, m.Close())
	}
	return err
}

// describe says in a line what was loaded.
func describe(m *engine.Model) string {
	i := m.Info()
	return fmt.Sprintf("model %s: %s, %v, %.1f M parameters; %d slots, context %d, cache %d MiB, %d threads", printable.Line(i.Name),
		i.Architecture, i.Type, float64(i.Parameters)/1e6, m.Sequences(), i.Context, i.Memory.Cache>>20, i.Threads)
}

// modelName is what the API calls the model where no alias says so: the path as it was given.
func (o *options) modelName() string {
	if o.Path == "" {
		return "demo"
	}
	return filepath.ToSlash(o.Path)
}

// resolve turns flags into options of the server.
func (o *options) resolve() error {
	o.serve.Version = run.Version()
	o.serve.Model, o.serve.Path = o.modelName(), o.Path
	if len(o.aliases) > 0 {
		o.serve.Model, o.serve.Aliases = o.aliases[0], o.aliases[1:]
	}
	o.serve.Sampling, o.serve.Grammar, o.serve.GBNF = o.Params, o.Grammar.Grammar, o.Unbound()
	o.serve.Pooling = engine.Pooling(o.pooling)
	if o.rerank {
		o.Options.Embed, o.Options.Pooling = true, engine.PoolingRank
	}
	o.sizeCache()
	if o.share {
		return o.resolveShare()
	}
	return nil
}

// sizeCache reads -c, -np and --kv-unified-per-slot as llama.cpp does: -c is for all sequences together; each may have all of
// it, unless the number of slots is given and the pool is not called unified.
func (o *options) sizeCache() {
	m := &o.Options
	m.Sequences = max(0, o.parallel)
	switch {
	case o.perSlot > 0:
		m.Cache = m.Context
		if m.Cache == 0 {
			m.Cache = o.perSlot * max(1, m.Sequences)
		}
		m.Context = o.perSlot
	case o.parallel > 0 && m.Context > 0 && (o.unified == nil || !*o.unified):
		m.Cache = m.Context
		m.Context = max(1, m.Context/o.parallel)
	}
}
