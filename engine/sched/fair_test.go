package sched

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/llamakit/llamakit/engine/kv"
)

// TestMoreStreamsThanRows: when a batch has no row for each, they take turns.
func TestMoreStreamsThanRows(t *testing.T) {
	for _, c := range []Config{
		{Context: 512, Rows: 4, Outputs: 4, Sequences: 8, Pages: 200},
		{Context: 512, Rows: 64, Outputs: 4, Sequences: 8, Pages: 200},
	} {
		f := newFake()
		f.delay = time.Millisecond
		s := New(f, c)
		var wg sync.WaitGroup
		waited := make([]int, 8)
		for i := range waited {
			latest := 0
			wg.Go(func() {
				run(context.Background(), s, Request{Prompt: []Token{Token(i)}, Max: 40, Took: func(Token) bool {
					if latest > 0 {
						waited[i] = max(waited[i], len(f.rows)-latest)
					}
					latest = len(f.rows)
					return false
				}})
			})
		}
		wg.Wait()
		s.Close()
		if worst := slices.Max(waited); worst > 2 {
			t.Errorf("%d rows, %d outputs for 8 streams: one waited %d steps, want 2 at most", c.Rows, c.Outputs, worst)
		}
	}
}

// TestShortPromptPassesLongOne: a question does not wait until the document before it is computed, and the document goes on.
func TestShortPromptPassesLongOne(t *testing.T) {
	f := newFake()
	f.delay = time.Millisecond
	s := New(f, Config{Context: 1 << 14, Rows: 128, Outputs: 8, Sequences: 4, Pages: 1 << 10})
	defer s.Close()
	started, long := make(chan struct{}), 0
	var once sync.Once
	var wg sync.WaitGroup
	wg.Go(func() {
		run(context.Background(), s, Request{Prompt: make([]Token, 12000), Max: 1, Progress: func(done, _ int) {
			long = done
			if done > 0 {
				once.Do(func() { close(started) })
			}
		}})
	})
	<-started
	var between int
	run(context.Background(), s, Request{Prompt: []Token{9, 9, 9, 9, 9}, Max: 1, Took: func(Token) bool { between = long; return false }})
	if between > 6000 {
		t.Errorf("the short prompt was answered when %d tokens of the long one were computed", between)
	}
	wg.Wait()
	if long != 12000 {
		t.Errorf("%d tokens of the long prompt were computed", long)
	}
}

// TestStarvedSequenceGoesOn: the oldest sequence finds the cache full of younger streams, and still is not the last to end.
func TestStarvedSequenceGoesOn(t *testing.T) {
	f := newFake()
	f.delay = time.Millisecond
	s := New(f, Config{Context: 256, Rows: 64, Outputs: 8, Sequences: 3, Pages: 8})
	defer s.Close()
	ctx, cancel := context.WithCancel(context.Background())
	var endless sync.WaitGroup
	old := make(chan result, 1)
	started := make(chan struct{})
	var once sync.Once
	go func() {
		old <- run(context.Background(), s, Request{Prompt: []Token{1}, Max: 250, Took: func(Token) bool { once.Do(func() { close(started) }); return false }})
	}()
	<-started
	for i := range 2 { // streams without end, which shift their context and never give a page back
		endless.Go(func() { run(ctx, s, Request{Prompt: []Token{5, Token(i)}, Max: -1, Shift: true}) })
	}
	if got := <-old; got.outcome.Generated != 250 {
		t.Errorf("outcome %+v, want 250 tokens", got.outcome)
	}
	cancel()
	endless.Wait()
}

func TestQueueLimit(t *testing.T) {
	f := newFake()
	f.delay = time.Millisecond
	s := New(f, Config{Context: 1 << 16, Rows: 8, Outputs: 8, Sequences: 1, Queue: 2, Pages: 1 << 11})
	defer s.Close()
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for range 3 {
		done := make(chan Outcome, 1)
		wg.Go(func() {
			if o := <-done; !errors.Is(o.Err, context.Canceled) {
				t.Errorf("outcome %+v, want a cancelled one", o)
			}
		})
		s.Submit(ctx, &Request{Prompt: []Token{1}, Max: -1, Choose: func([]float32) (Token, error) { return 1, nil },
			Took: func(Token) bool { return false }, Done: func(o Outcome) { done <- o }})
	}
	if o := run(context.Background(), s, Request{Prompt: []Token{1}, Max: 1}).outcome; !errors.Is(o.Err, ErrBusy) {
		t.Errorf("the fourth request: %+v, want ErrBusy", o)
	}
	cancel()
	wg.Wait()
	if o := run(context.Background(), s, Request{Prompt: []Token{1}, Max: 1}).outcome; o.Err != nil {
		t.Errorf("afterwards: %v", o.Err)
	}
}

func TestDrain(t *testing.T) {
	f := newFake()
	f.delay = time.Millisecond
	s := New(f, Config{Context: 1 << 12, Rows: 8, Outputs: 8, Sequences: 1, Pages: 1 << 8})
	started, ended := make(chan struct{}), make(chan result, 2)
	var once sync.Once
	for i := range 2 { // one runs, one waits
		go func() {
			ended <- run(context.Background(), s, Request{Prompt: []Token{Token(i)}, Max: 30, Took: func(Token) bool { once.Do(func() { close(started) }); return false }})
		}()
	}
	<-started
	for s.Stats().Waiting == 0 {
		time.Sleep(time.Millisecond)
	}
	short, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if err := s.Drain(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a short drain: %v", err)
	}
	if o := run(context.Background(), s, Request{Prompt: []Token{1}, Max: 1}).outcome; !errors.Is(o.Err, ErrDraining) {
		t.Errorf("a request while draining: %+v", o)
	}
	if err := s.Drain(context.Background()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if r := <-ended; len(r.tokens) != 30 || r.outcome.Err != nil {
			t.Errorf("%d tokens, outcome %+v; want all 30", len(r.tokens), r.outcome)
		}
	}
	s.Close()
	if err := s.Do(func(*kv.Pool) {}); !errors.Is(err, ErrClosed) {
		t.Errorf("Do after Close: %v", err)
	}
}

// TestPinnedSlot: a request waits for its slot, and others pass it.
func TestPinnedSlot(t *testing.T) {
	f := newFake()
	f.delay = time.Millisecond
	s := New(f, Config{Context: 1 << 12, Rows: 8, Outputs: 8, Sequences: 2, Pages: 1 << 8})
	defer s.Close()
	ctx, cancel := context.WithCancel(context.Background())
	started := make(chan struct{})
	var once sync.Once
	go run(ctx, s, Request{Prompt: []Token{1}, Pinned: true, Slot: 1, Max: -1, Took: func(Token) bool { once.Do(func() { close(started) }); return false }})
	<-started
	pinned := make(chan result, 1)
	go func() {
		pinned <- run(context.Background(), s, Request{Prompt: []Token{1, 2}, Pinned: true, Slot: 1, Max: 1})
	}()
	if o := run(context.Background(), s, Request{Prompt: []Token{3}, Max: 3}).outcome; o.Err != nil {
		t.Errorf("beside the pinned one: %+v", o)
	}
	select {
	case r := <-pinned:
		t.Errorf("the pinned request did not wait: %+v", r.outcome)
	default:
	}
	cancel()
	if r := <-pinned; r.outcome.Err != nil || r.outcome.Generated != 1 {
		t.Errorf("pinned: %+v", r.outcome)
	}
	var tokens []Token
	if err := s.Do(func(*kv.Pool) { tokens = s.SlotTokens(1) }); err != nil || len(tokens) != 3 || tokens[1] != 2 {
		t.Errorf("slot 1 has %v, %v", tokens, err)
	}
}
