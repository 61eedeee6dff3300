package arch_test

import (
	"slices"
	"testing"

	"github.com/llamakit/llamakit/formats/gguf"
)

// TestInvariance is TestSameBits for every architecture that llama.cpp's random models have.
func TestInvariance(t *testing.T) {
	eachRecorded(t, []string{"hard"}, func(t *testing.T, f *gguf.File, r recorded) { sameBits(t, f, r.Tokens) })
}

// sameBits runs a prompt whole, in chunks of several sizes and token by token, with one thread and more: every logit must be
// the same number.
func sameBits(t *testing.T, f *gguf.File, tokens []int32) {
	t.Helper()
	n := len(tokens)
	var want [][]float32
	for _, c := range []struct{ threads, chunk int }{{1, n}, {1, 1}, {2, 7}, {3, 33}} {
		p := compile(t, f, c.threads)
		if p.whole {
			c.chunk = n
		}
		got := p.logits(tokens, c.chunk)
		p.Close()
		if want == nil {
			want = got
		}
		for i := range got {
			if !slices.Equal(got[i], want[i]) {
				t.Fatalf("%d threads, chunks of %d: logits of position %d differ", c.threads, c.chunk, i)
			}
		}
	}
}
