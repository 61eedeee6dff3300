package arch_test

import (
	"slices"
	"testing"

	"github.com/llamakit/llamakit/engine/backend"
	"github.com/llamakit/llamakit/engine/kv"
	"github.com/llamakit/llamakit/formats/gguf"
)

// TestReuse continues from copies of pages and states in company, for every architecture.
func TestReuse(t *testing.T) {
	eachRecorded(t, []string{"hard"}, func(t *testing.T, f *gguf.File, r recorded) { reuse(t, f, r.Tokens) })
}

// TestSparse is TestInvariance and TestReuse where rows choose their keys, and where several tokens have one.
func TestSparse(t *testing.T) {
	for _, name := range []string{"deepseek32-heads", "glm-dsa-shared", "dots3note-top", "hy_v4-heads", "glm5-next-top", "deepseek4-top", "qwen4exp-top16",
		"minimax-m3-blocks"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := copies[name]
			f := open(t, c.write(t))
			sameBits(t, f, tinyPrompt)
			reuse(t, f, tinyPrompt)
		})
	}
}

// reuse computes the beginning of a sequence, copies what it left, and lets two sequences go on from it in one batch: the one on the
// copy must have the same logits as if it were alone and whole.
func reuse(t *testing.T, f *gguf.File, tokens []int32) {
	t.Helper()
	const cut = kv.PageSize + 5
	alone := compile(t, f, 2)
	defer alone.Close()
	if alone.whole {
		t.Skip("rows see later ones")
	}
	want := alone.logits(tokens, len(tokens))[cut:]
	p := compile(t, f, 3)
	defer p.Close()
	p.logits(tokens[:cut], cut)
	spare := p.pages[len(p.pages)-1]
	p.Copy(kv.Copy{From: p.pages[1], To: spare, Tokens: cut - kv.PageSize})
	p.CopyState(kv.StateCopy{From: 0, To: 1})
	rest := tokens[cut:]
	other := slices.Repeat([]int32{7}, 4)
	b := &backend.Batch{Tokens: append(other, rest...), Spans: []backend.Span{
		{N: len(other), Past: cut, Pages: p.pages},
		{Row: len(other), N: len(rest), Past: cut, Pages: []kv.Page{p.pages[0], spare}, State: 1}}}
	for i := range rest {
		b.Outputs = append(b.Outputs, int32(len(other)+i))
	}
	p.Run(b)
	for i := range rest {
		if !slices.Equal(p.Logits(i), want[i]) {
			t.Fatalf("logits of position %d differ", cut+i)
		}
	}
}
