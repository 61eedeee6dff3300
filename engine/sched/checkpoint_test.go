package sched

import (
	"context"
	"slices"
	"testing"
)

// TestStateIsCached: a recurrent model finds the last border of a page in its own prompt, the end of an answer, and one of the
// checkpoints on the way through a long prompt that began alike.
func TestStateIsCached(t *testing.T) {
	long := make([]Token, 1500)
	for i := range long {
		long[i] = Token(i % 91)
	}
	for _, rows := range []int{512, 100, 7} {
		s := New(newFake(), Config{Context: 4096, Rows: rows, Outputs: 8, Sequences: 2, Pages: 300, States: 20})
		answer := run(context.Background(), s, Request{Prompt: long, Max: 5}).tokens
		turn := slices.Concat(long, answer, []Token{1, 2, 3})
		other := append(slices.Clone(long[:1000]), 9, 9, 9)
		for _, c := range []struct {
			name            string
			prompt          []Token
			atLeast, atMost int
		}{
			{"again", long, 1472, 1472},
			{"next turn", turn, 1504, 1504},
			{"beginning alike", other, 1000 - checkpointSpacing - rows - 32, 992},
		} {
			got := run(context.Background(), s, Request{Prompt: c.prompt, Max: 1})
			if cached := got.outcome.Cached; cached < c.atLeast || cached > c.atMost {
				t.Errorf("%d rows, %s: %d tokens cached, want %d to %d", rows, c.name, cached, c.atLeast, c.atMost)
			}
			if got.tokens[0] != next(c.prompt) {
				t.Errorf("%d rows, %s: wrong token", rows, c.name)
			}
		}
		s.Close()
	}
}
