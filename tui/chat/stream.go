package chat

import (
	"context"
	"errors"
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/llamakit/llamakit/engine"
	enginechat "github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/tui"
	"github.com/llamakit/llamakit/tui/source"
)

// batch is what an answer brought since the last frame.
type batch struct {
	from            *stream
	text, reasoning string
	calls           []enginechat.CallDelta
	tokens          []engine.Token
	generated       int // tokens of the answer so far
	prompt          int // tokens of the prompt computed so far
	when            time.Time
	done            bool
	result          *engine.Result
	err             error
}

// stream runs a request in a goroutine and hands its events over in batches.
type stream struct {
	cancel context.CancelFunc
	events chan item
	calls  []enginechat.CallDelta // the view's: what came of calls
}

type item struct {
	event source.Event
	err   error
}

func newStream(ctx context.Context, from source.Source, r source.Request) *stream {
	ctx, cancel := context.WithCancel(ctx)
	s := &stream{cancel: cancel, events: make(chan item, 256)}
	go func() {
		defer close(s.events)
		defer func() { // a panic here would leave the terminal as it is
			if p := recover(); p != nil {
				s.events <- item{err: fmt.Errorf("internal error: %v", p)}
			}
		}()
		for e, err := range from.Generate(ctx, r) {
			select {
			case s.events <- item{e, err}:
			case <-ctx.Done():
				return
			}
		}
	}()
	return s
}

// next is a command: it waits for an event, and takes along what comes within a frame.
func (s *stream) next() tea.Msg {
	b := s.collect()
	b.from, b.when = s, time.Now()
	return b
}

func (s *stream) collect() (b batch) {
	if i, ok := <-s.events; !ok || !b.add(i) {
		b.done = true
		return b
	}
	timer := time.NewTimer(tui.Frame)
	defer timer.Stop()
	for {
		select {
		case i, ok := <-s.events:
			if !ok || !b.add(i) {
				b.done = true
				return b
			}
		case <-timer.C:
			return b
		}
	}
}

// add takes an item; it returns false when it is the last one.
func (b *batch) add(i item) (more bool) {
	if i.err != nil {
		if !errors.Is(i.err, context.Canceled) {
			b.err = i.err
		}
		return false
	}
	e := i.event
	b.text += e.Text
	b.reasoning += e.Reasoning
	b.calls = append(b.calls, e.Calls...)
	b.tokens = append(b.tokens, e.Tokens...)
	b.generated = max(b.generated, e.Generated)
	b.prompt = max(b.prompt, e.PromptDone)
	b.result = e.Result
	return e.Result == nil
}
