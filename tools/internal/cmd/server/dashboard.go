package server

import (
	"context"
	"errors"
	"io"
	"net"
	"os"

	"github.com/llamakit/llamakit/engine/serve"
	"github.com/llamakit/llamakit/tools/internal/terminal"
	"github.com/llamakit/llamakit/tui"
	"github.com/llamakit/llamakit/tui/dashboard"
)

// watched says whether the dashboard is to be shown: on a terminal, unless somebody wants lines or is to read what --share
// prints.
func (o *options) watched() bool {
	return !o.noTUI && !o.jsonLines && !o.share && terminal.Is(os.Stdout) && terminal.Is(os.Stdin) && terminal.Is(os.Stderr)
}

// serveWatched is serveModel under the dashboard. Leaving the one stops the other.
func (o *options) serveWatched(ctx context.Context, s *serve.Server, listeners []net.Listener, log *logger) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	served := make(chan error, 1)
	go func() {
		served <- o.serveModel(ctx, s, listeners, log, io.Discard)
		cancel()
	}()
	err := tui.Run(ctx, []tui.View{dashboard.New(&here{s, s.URL(listeners[0])})})
	cancel()
	if errors.Is(err, context.Canceled) {
		err = nil
	}
	return errors.Join(<-served, err)
}

// here is the server of this process as the dashboard's source.
type here struct {
	*serve.Server
	name string
}

func (h *here) Name() string { return h.name }

// Snapshot reads the server's state; it fails while the model loads.
func (h *here) Snapshot(context.Context) (*dashboard.Snapshot, error) {
	if h.Model() == nil {
		return nil, errors.New("the model is loading")
	}
	return h.State(), nil
}
