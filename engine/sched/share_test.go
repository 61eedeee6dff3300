package sched

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"
)

// flood submits requests at once, before the scheduler takes its next step, and returns their results and the rows computed.
func flood(t *testing.T, c Config, prompts [][]Token, each func(i int, r *Request)) ([]result, int) {
	t.Helper()
	f := newFake()
	f.delay = time.Millisecond
	s := New(f, c)
	defer s.Close()
	results := make([]result, len(prompts))
	requests, done := make([]*Request, len(prompts)), make([]<-chan struct{}, len(prompts))
	for i, p := range prompts {
		requests[i] = &Request{Prompt: p, Max: 5}
		if each != nil {
			each(i, requests[i])
		}
		done[i] = results[i].of(requests[i])
	}
	s.Submit(context.Background(), requests...)
	for _, d := range done {
		<-d
	}
	rows := 0
	for _, n := range f.rows {
		rows += n
	}
	for i, p := range prompts {
		if want := reference(p, len(results[i].tokens), c.Context, 0, false); !slices.Equal(results[i].tokens, want) {
			t.Errorf("request %d: got %v, want %v", i, results[i].tokens, want)
		}
	}
	return results, rows
}

// TestPrefixesAreSharedWhileComputed: sixteen prompts with one beginning, at once and with nothing cached, compute it once.
func TestPrefixesAreSharedWhileComputed(t *testing.T) {
	const shared, tails, answers = 1000, 40, 5
	for _, states := range []int{0, 60} {
		t.Run(fmt.Sprintf("states=%d", states), func(t *testing.T) {
			var prompts [][]Token
			for i := range 16 {
				p := slices.Repeat([]Token{3, 1, 4, 1, 5}, shared/5)
				prompts = append(prompts, append(p, slices.Repeat([]Token{Token(10 + i)}, tails)...))
			}
			c := Config{Context: 2048, Rows: 512, Outputs: 64, Sequences: 16, Pages: 300, States: states}
			results, rows := flood(t, c, prompts, nil)
			least := shared + 16*(tails+answers-1)
			if states > 0 {
				least += 16 * 8 // a state is had at the border of a page only
			}
			if rows > least {
				t.Errorf("%d rows were computed, want at most %d", rows, least)
			}
			cached := 0
			for _, r := range results {
				cached += r.outcome.Cached
			}
			if want := 16*(shared+tails+answers-1) - rows; cached != want {
				t.Errorf("%d tokens are said to be cached, and %d were not computed", cached, want)
			}
		})
	}
}

// TestSamePromptIsComputedOnce: many answers to one prompt (n > 1) cost one row a token, and each one row more.
func TestSamePromptIsComputedOnce(t *testing.T) {
	prompts := make([][]Token, 8)
	for i := range prompts {
		prompts[i] = slices.Repeat([]Token{7, 8, 9}, 233)
	}
	_, rows := flood(t, Config{Context: 1024, Rows: 128, Outputs: 8, Sequences: 8, Pages: 64}, prompts, nil)
	if want := 699 + 7 + 8*4; rows > want {
		t.Errorf("%d rows, want %d at most", rows, want)
	}
}

// TestFreshSharesNothing: a request may ask for its prompt to be computed.
func TestFreshSharesNothing(t *testing.T) {
	prompts := [][]Token{make([]Token, 100), make([]Token, 100), make([]Token, 100)}
	results, rows := flood(t, Config{Context: 256, Rows: 512, Outputs: 8, Sequences: 4, Pages: 40}, prompts, func(_ int, r *Request) { r.Fresh = true })
	if rows != 3*104 || results[2].outcome.Cached != 0 {
		t.Errorf("%d rows, want %d; outcome %+v", rows, 3*104, results[2].outcome)
	}
}

// TestLeaderIsCancelled: those who waited for it go on without.
func TestLeaderIsCancelled(t *testing.T) {
	f := newFake()
	f.delay = time.Millisecond
	s := New(f, Config{Context: 4096, Rows: 32, Outputs: 8, Sequences: 4, Pages: 300})
	defer s.Close()
	ctx, cancel := context.WithCancel(context.Background())
	prompt := slices.Repeat([]Token{1, 2}, 1000)
	leading := make(chan struct{})
	var once sync.Once
	go run(ctx, s, Request{Prompt: prompt, Max: 1, Progress: func(done, _ int) {
		if done > 0 {
			once.Do(func() { close(leading) })
		}
	}})
	<-leading
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if got := run(context.Background(), s, Request{Prompt: prompt, Max: 3}); !slices.Equal(got.tokens, reference(prompt, 3, 4096, 0, false)) {
				t.Errorf("got %v, outcome %+v", got.tokens, got.outcome)
			}
		})
	}
	cancel()
	wg.Wait()
}
