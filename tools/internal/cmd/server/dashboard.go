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
	m := h.Model()
	if m == nil {
		return nil, errors.New("the model is loading")
	}
	state, info := h.State(), m.Info()
	pages := state.Engine.Pages
	s := &dashboard.Snapshot{Model: info.Name, Context: info.Context, Waiting: state.Waiting,
		Pages:   dashboard.Pages{Total: pages.Total, Used: pages.Used(), Shared: pages.Shared, Cached: pages.Cached, Map: m.PageMap()},
		Devices: []dashboard.Device{{Name: "CPU", Layers: info.Layers, Weights: info.Bytes, Cache: info.Memory.Cache + info.Memory.State, Compute: info.Memory.Compute}},
		Counts: dashboard.Counts{Prompt: float64(state.Engine.Computed), Cached: float64(state.Engine.Cached),
			Generated: float64(state.Engine.Generated)}}
	for i, slot := range state.Slots {
		s.Slots = append(s.Slots, dashboard.Slot{ID: i, Task: int(slot.Job), Busy: slot.Busy, Prompt: slot.Prompt, Done: slot.Done,
			Cached: slot.Cached, Answer: slot.Answer, Left: slot.Left, Stopped: string(slot.Stop), Who: slot.Client})
	}
	return s, nil
}
