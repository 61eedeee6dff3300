package inspect

import (
	"context"
	"errors"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// patience is how long a selection has to stand before its data is read: whoever scrolls reads nothing.
const patience = 60 * time.Millisecond

// gate lets the owner of the files wait until nobody reads them any more.
type gate struct {
	mu     sync.Mutex
	closed bool
	inside sync.WaitGroup
}

// enter reports whether reading is still allowed; leave ends it.
func (g *gate) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		g.inside.Add(1)
	}
	return !g.closed
}

func (g *gate) leave() { g.inside.Done() }

// close waits for all that entered.
func (g *gate) close() {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.inside.Wait()
}

// job is one place for work outside of Update. What begins cancels what ran before; of that nothing is heard any more.
type job struct {
	gate   *gate
	ctx    context.Context // ends with the program
	cancel context.CancelFunc
	number int // of the work that was begun last
	busy   bool
}

// finished is the message of a job's end.
type finished struct {
	job    *job
	number int
	value  any
	err    error
}

// start begins work after a delay. Its result comes as a message, which take recognises.
func (j *job) start(delay time.Duration, work func(ctx context.Context) (any, error)) tea.Cmd {
	j.stop()
	ctx, cancel := context.WithCancel(j.ctx)
	j.cancel, j.busy = cancel, true
	j.number++
	number := j.number
	return func() tea.Msg {
		defer cancel()
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(delay):
		}
		if ctx.Err() != nil || !j.gate.enter() {
			return nil
		}
		defer j.gate.leave()
		value, err := work(ctx)
		if errors.Is(err, context.Canceled) {
			return nil
		}
		return finished{j, number, value, err}
	}
}

// stop cancels what runs.
func (j *job) stop() {
	if j.cancel != nil {
		j.cancel()
	}
	j.busy = false
	j.number++
}

// take returns the result where msg is that of the work begun last.
func (j *job) take(msg tea.Msg) (f finished, ok bool) {
	f, ok = msg.(finished)
	if !ok || f.job != j || f.number != j.number {
		return f, false
	}
	j.busy = false
	return f, true
}
