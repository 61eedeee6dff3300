package sched

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/llamakit/llamakit/engine/backend"
	"github.com/llamakit/llamakit/engine/kv"
)

const vocabSize = 97

// next is the fake model: the token after a text is a hash of all of it.
func next(text []Token) Token {
	h := uint32(2166136261)
	for _, t := range text {
		h = (h ^ uint32(t)) * 16777619
	}
	return Token(h % vocabSize)
}

// fakeModel keeps tokens where a device keeps keys and values, and reads every earlier position back from the pages. A page
// that was shared, copied or evicted wrongly gives another hash.
type fakeModel struct {
	pages  map[kv.Page]*[kv.PageSize]Token
	states map[kv.Slot][]Token // what a recurrent layer saw
	logits [][]float32
	rows   []int // by step
	delay  time.Duration
}

func newFake() *fakeModel {
	return &fakeModel{pages: map[kv.Page]*[kv.PageSize]Token{}, states: map[kv.Slot][]Token{}}
}

func (f *fakeModel) page(p kv.Page) *[kv.PageSize]Token {
	if f.pages[p] == nil {
		f.pages[p] = new([kv.PageSize]Token)
	}
	return f.pages[p]
}

func (f *fakeModel) Run(b *backend.Batch) {
	time.Sleep(f.delay)
	f.rows = append(f.rows, len(b.Tokens))
	f.logits = f.logits[:0]
	wanted := b.Outputs
	for _, s := range b.Spans {
		if s.Past == 0 {
			f.states[s.State] = nil
		}
		for i := range s.N {
			pos := s.Past + i
			f.page(s.Pages[pos/kv.PageSize])[pos%kv.PageSize] = b.Tokens[s.Row+i]
			f.states[s.State] = append(f.states[s.State], b.Tokens[s.Row+i])
			if len(wanted) == 0 || int(wanted[0]) != s.Row+i {
				continue
			}
			wanted = wanted[1:]
			var text []Token
			for p := range pos + 1 {
				text = append(text, f.page(s.Pages[p/kv.PageSize])[p%kv.PageSize])
			}
			if s.State != kv.NoSlot && !slices.Equal(f.states[s.State], text) {
				text = append(text, 1) // another text was left behind
			}
			logits := make([]float32, vocabSize)
			logits[next(text)] = 1
			f.logits = append(f.logits, logits)
		}
	}
	if len(wanted) > 0 {
		panic(fmt.Sprintf("outputs %v are in no span", wanted))
	}
}

func (f *fakeModel) Logits(i int) []float32 { return f.logits[i] }
func (f *fakeModel) Hidden(i int) []float32 { return f.logits[i] }
func (f *fakeModel) Copy(c kv.Copy)         { copy(f.page(c.To)[:c.Tokens], f.page(c.From)[:]) }
func (f *fakeModel) CopyState(c kv.StateCopy) {
	f.states[c.To] = slices.Clone(f.states[c.From])
}

// reference is what a request must generate, with the context shifted as Request says.
func reference(prompt []Token, n, size, keep int, shift bool) []Token {
	text, out := slices.Clone(prompt), []Token{}
	for len(out) < n {
		t := next(text)
		out, text = append(out, t), append(text, t)
		if len(text) > size {
			if !shift {
				break
			}
			drop := (size - keep + 1) / 2
			text = append(text[:keep:keep], text[keep+drop:]...)
		}
	}
	return out
}

type result struct {
	tokens  []Token
	outcome Outcome
}

// run submits a request and waits for its end.
func run(ctx context.Context, s *Scheduler, r Request) result {
	var res result
	done := res.of(&r)
	s.Submit(ctx, &r)
	<-done
	return res
}

// of takes the result of a request, and closes the channel when it is there.
func (res *result) of(r *Request) <-chan struct{} {
	done := make(chan struct{})
	r.Choose = func(logits []float32) (Token, error) { return Token(slices.Index(logits, 1)), nil }
	if r.Took == nil {
		r.Took = func(Token) bool { return false }
	}
	took := r.Took
	r.Took = func(t Token) bool { res.tokens = append(res.tokens, t); return took(t) }
	r.Done = func(o Outcome) { res.outcome = o; close(done) }
	return done
}

func TestManyRequestsInALittleCache(t *testing.T) {
	for _, c := range []Config{
		{Context: 256, Rows: 16, Outputs: 4, Sequences: 6, Pages: 12},
		{Context: 96, Rows: 512, Outputs: 64, Sequences: 8, Pages: 4},
		{Context: 64, Rows: 1, Outputs: 1, Sequences: 1, Pages: 3},
		{Context: 256, Rows: 16, Outputs: 4, Sequences: 6, Pages: 12, States: 7},
		{Context: 1024, Rows: 512, Outputs: 64, Sequences: 4, Pages: 60, States: 20},
		{Context: 64, Rows: 1, Outputs: 1, Sequences: 1, Pages: 3, States: 2},
	} {
		t.Run(fmt.Sprintf("rows=%d/pages=%d/states=%d", c.Rows, c.Pages, c.States), func(t *testing.T) {
			s := New(newFake(), c)
			defer s.Close()
			var wg sync.WaitGroup
			for i := range 60 {
				r := rand.New(rand.NewPCG(uint64(i), 7))
				prompt := make([]Token, 1+r.IntN(c.Context*3/4))
				for j := range prompt {
					prompt[j] = Token(j/40) * Token(1-r.IntN(30)/29) // shared beginnings
				}
				req := Request{Prompt: prompt, Max: 1 + r.IntN(c.Context), Shift: i%3 == 0, Keep: i % 5}
				if i%2 == 0 && !req.Shift { // two of three tokens are certain before they are computed
					text := slices.Clone(prompt)
					req.Took = func(t Token) bool { text = append(text, t); return false }
					req.Sole = func() (Token, bool, error) { return next(text), len(text)%3 > 0, nil }
				}
				wg.Add(1)
				go func() {
					defer wg.Done()
					got := run(context.Background(), s, req)
					want := reference(prompt, req.Max, c.Context, req.Keep, req.Shift)
					if !slices.Equal(got.tokens, want) {
						t.Errorf("request %d (%d prompt tokens, max %d, shift %v): got %v, want %v", i, len(prompt), req.Max, req.Shift, got.tokens, want)
					}
					if full := !req.Shift && len(want) < req.Max; got.outcome.Full != full || got.outcome.Generated != len(want) {
						t.Errorf("request %d: outcome %+v, want full %v and %d tokens", i, got.outcome, full, len(want))
					}
				}()
			}
			wg.Wait()
		})
	}
}

func TestPrefixIsCached(t *testing.T) {
	s := New(newFake(), Config{Context: 512, Rows: 64, Outputs: 8, Sequences: 2, Pages: 40})
	defer s.Close()
	prompt := make([]Token, 100)
	run(context.Background(), s, Request{Prompt: prompt, Max: 1})
	got := run(context.Background(), s, Request{Prompt: append(prompt, 1, 2, 3), Max: 1})
	if got.outcome.Cached != 100 {
		t.Fatalf("%d tokens cached, want 100", got.outcome.Cached)
	}
}

func TestRowsSeeEveryPosition(t *testing.T) {
	s := New(newFake(), Config{Context: 512, Rows: 64, Outputs: 8, Sequences: 2, Pages: 40})
	defer s.Close()
	prompt := make([]Token, 50)
	for range 2 { // the second time everything is cached, and must be computed nevertheless
		var seen []int
		o := run(context.Background(), s, Request{Prompt: prompt, Row: func(pos int, logits, _ []float32) {
			seen = append(seen, pos)
			if want := next(prompt[:pos+1]); logits[want] != 1 {
				t.Errorf("position %d: wrong logits", pos)
			}
		}}).outcome
		if len(seen) != 50 || seen[49] != 49 || o.Err != nil || o.Generated != 0 {
			t.Fatalf("saw positions %v, outcome %+v", seen, o)
		}
	}
}

func TestRowsFromTheMiddle(t *testing.T) {
	f := newFake()
	s := New(f, Config{Context: 512, Rows: 16, Outputs: 8, Sequences: 2, Pages: 40})
	defer s.Close()
	prompt := make([]Token, 90)
	for i, computed := range []int{90, 20} { // the second time the prefix is cached, but for position 70
		f.rows = nil
		var seen []int
		batches := 0
		run(context.Background(), s, Request{Prompt: prompt, From: 70, Flush: func() { batches++ }, Row: func(pos int, logits, _ []float32) {
			seen = append(seen, pos)
			if want := next(prompt[:pos+1]); logits[want] != 1 {
				t.Errorf("position %d: wrong logits", pos)
			}
		}})
		rows := 0
		for _, n := range f.rows {
			rows += n
		}
		if len(seen) != 20 || seen[0] != 70 || seen[19] != 89 || rows != computed || batches != len(f.rows) {
			t.Errorf("run %d: saw positions %v of %d computed rows in %d batches, flushed %d times", i, seen, rows, len(f.rows), batches)
		}
	}
}

func TestCancel(t *testing.T) {
	f := newFake()
	f.delay = time.Millisecond
	s := New(f, Config{Context: 1 << 16, Rows: 64, Outputs: 8, Sequences: 1, Pages: 1 << 11})
	defer s.Close()
	ctx, cancel := context.WithCancel(context.Background())
	started := make(chan struct{})
	var once sync.Once
	go run(ctx, s, Request{Prompt: []Token{1}, Max: -1, Took: func(Token) bool {
		once.Do(func() { close(started) })
		return false
	}})
	<-started
	waiting, stop := context.WithCancel(context.Background())
	go func() { time.Sleep(20 * time.Millisecond); stop() }()
	if o := run(waiting, s, Request{Prompt: []Token{2}, Max: 1}).outcome; !errors.Is(o.Err, context.Canceled) {
		t.Errorf("waiting request: outcome %+v, want it cancelled while the other runs", o)
	}
	cancel()
	if o := run(context.Background(), s, Request{Prompt: []Token{3}, Max: 2}).outcome; o.Err != nil || o.Generated != 2 {
		t.Errorf("after the cancellation: %+v", o)
	}
}

func TestStopAndClose(t *testing.T) {
	f := newFake()
	f.delay = time.Millisecond
	s := New(f, Config{Context: 1 << 16, Rows: 64, Outputs: 8, Sequences: 2, Pages: 1 << 11})
	n := 0
	got := run(context.Background(), s, Request{Prompt: []Token{1}, Max: -1, Took: func(Token) bool { n++; return n == 5 }})
	if !got.outcome.Stop || got.outcome.Generated != 5 {
		t.Errorf("outcome %+v, want a stop after 5", got.outcome)
	}
	go func() { time.Sleep(10 * time.Millisecond); s.Close() }()
	if o := run(context.Background(), s, Request{Prompt: []Token{1}, Max: -1}).outcome; !errors.Is(o.Err, ErrClosed) {
		t.Errorf("running at Close: %+v", o)
	}
	if o := run(context.Background(), s, Request{Prompt: []Token{1}, Max: -1}).outcome; !errors.Is(o.Err, ErrClosed) {
		t.Errorf("after Close: %+v", o)
	}
}

// TestDecodeNeverWaits: a sequence that generates gets a row in every step, however long the prompts beside it.
func TestDecodeNeverWaits(t *testing.T) {
	f := newFake()
	s := New(f, Config{Context: 4096, Rows: 32, Outputs: 8, Sequences: 4, Pages: 400})
	defer s.Close()
	started := make(chan struct{})
	var once sync.Once
	var firstStep, lastStep, tokens int
	go func() {
		<-started
		run(context.Background(), s, Request{Prompt: make([]Token, 3000), Max: 1})
	}()
	run(context.Background(), s, Request{Prompt: []Token{5}, Max: 60, Took: func(Token) bool {
		once.Do(func() { close(started); firstStep = len(f.rows) })
		tokens++
		lastStep = len(f.rows)
		return false
	}})
	if steps := lastStep - firstStep + 1; steps != tokens {
		t.Errorf("%d tokens took %d steps", tokens, steps)
	}
}
