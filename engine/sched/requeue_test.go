package sched

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

// TestEndlessStreamsTakeTurns: streams that shift their context for ever leave their places to those that wait, and still generate what they
// would alone.
func TestEndlessStreamsTakeTurns(t *testing.T) {
	for _, c := range []Config{
		{Context: 64, Rows: 16, Outputs: 4, Sequences: 2, Pages: 8},
		{Context: 64, Rows: 16, Outputs: 4, Sequences: 1, Pages: 3, States: 2},
	} {
		s := New(newFake(), c)
		ctx, cancel := context.WithCancel(context.Background())
		var endless sync.WaitGroup
		started := make(chan struct{}, c.Sequences)
		for i := range c.Sequences {
			prompt := []Token{5, Token(i)}
			endless.Go(func() {
				var once sync.Once
				got := run(ctx, s, Request{Prompt: prompt, Max: -1, Shift: true, Took: func(Token) bool { once.Do(func() { started <- struct{}{} }); return false }})
				if want := reference(prompt, len(got.tokens), c.Context, 0, true); !slices.Equal(got.tokens, want) {
					t.Errorf("stream %d: not what it generates alone", i)
				}
			})
		}
		for range c.Sequences {
			<-started
		}
		var others sync.WaitGroup
		for i := range 5 {
			prompt := []Token{9, Token(i)}
			others.Go(func() {
				if got := run(context.Background(), s, Request{Prompt: prompt, Max: 20}); !slices.Equal(got.tokens, reference(prompt, 20, c.Context, 0, false)) {
					t.Errorf("request %d: %v", i, got.tokens)
				}
			})
		}
		others.Wait()
		cancel()
		endless.Wait()
		s.Close()
	}
}

// TestSlowReader: a request whose reader has fallen behind gives its slot and its pages back, goes on when it is told to, and can be
// cancelled meanwhile.
func TestSlowReader(t *testing.T) {
	s := New(newFake(), Config{Context: 256, Rows: 16, Outputs: 4, Sequences: 1, Pages: 8})
	defer s.Close()
	for _, cancelled := range []bool{false, true} {
		ctx, cancel := context.WithCancel(context.Background())
		var taken, room atomic.Int64
		room.Store(50)
		parked := make(chan struct{})
		var once sync.Once
		slow := Request{Prompt: []Token{7}, Max: 200, Took: func(Token) bool { taken.Add(1); return false }}
		slow.Ready = func() bool {
			ready := taken.Load() < room.Load()
			if !ready {
				once.Do(func() { close(parked) })
			}
			return ready
		}
		var res result
		done := res.of(&slow)
		s.Submit(ctx, &slow)
		<-parked
		if got := run(context.Background(), s, Request{Prompt: []Token{1, 2, 3}, Max: 250}); !slices.Equal(got.tokens, reference([]Token{1, 2, 3}, 250, 256, 0, false)) {
			t.Errorf("another request meanwhile: %v", got.tokens)
		}
		if n := taken.Load(); n != 50 {
			t.Errorf("%d tokens for a reader that takes 50", n)
		}
		if cancelled {
			cancel()
			if <-done; !errors.Is(res.outcome.Err, context.Canceled) {
				t.Errorf("outcome %+v, want a cancelled one", res.outcome)
			}
			continue
		}
		room.Store(1000)
		s.Wake()
		if <-done; !slices.Equal(res.tokens, reference([]Token{7}, 200, 256, 0, false)) {
			t.Errorf("the slow reader got %v", res.tokens)
		}
		cancel()
	}
}
