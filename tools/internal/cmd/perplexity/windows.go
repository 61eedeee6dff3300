package perplexity

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/vocab"
	"github.com/llamakit/llamakit/tools/internal/score"
)

// windows cut a text into chunks of equal length, each computed by itself, and say which positions of them are scored: those
// from first on, but for the last one, whose successor is not in the chunk.
type windows struct {
	context int // tokens of a chunk
	first   int
	step    int // from one chunk's begin to the next one's
	count   int
	bos     engine.Token // takes the place of each chunk's first token; vocab.None: nothing does
	tokens  []engine.Token
}

// rows is the number of scored positions of a chunk.
func (w *windows) rows() int { return w.context - 1 - w.first }

// input is what the model reads of chunk i: all but the last token, after which nothing is scored.
func (w *windows) input(i int) []engine.Token {
	in := append([]engine.Token(nil), w.tokens[i*w.step:i*w.step+w.context-1]...)
	if w.bos != vocab.None {
		in[0] = w.bos
	}
	return in
}

// next is the token that comes after a position of chunk i.
func (w *windows) next(i, pos int) engine.Token { return w.tokens[i*w.step+pos+1] }

// cut makes the windows of a text. The first half of a chunk is what the second half is predicted from. With a stride, chunks
// overlap, and their last tokens are scored; no BOS is put in front then, as in llama.cpp.
func cut(m *engine.Model, text string, context, stride, limit int) (*windows, error) {
	v := m.Vocab()
	w := &windows{context: context, first: context / 2, step: context, bos: bos(v)}
	if stride > 0 {
		w.context += stride / 2
		w.first, w.step, w.bos = w.context-1-stride, stride, vocab.None
	}
	switch {
	case (w.rows() < 1 || w.first < 1) && stride == 0:
		return nil, fmt.Errorf("a context of %d tokens leaves nothing to score; give a larger -c", context)
	case w.rows() < 1 || w.first < 1:
		return nil, fmt.Errorf("a context of %d tokens with a stride of %d leaves nothing to score; give a larger -c", context, stride)
	}
	w.tokens = v.Encode(strings.TrimSuffix(text, "\n"), vocab.EncodeOptions{AddSpecial: true})
	if need := 2 * w.context; len(w.tokens) < need {
		return nil, fmt.Errorf("has only %d tokens; a context of %d needs %d: give a longer text, or a smaller one with -c", len(w.tokens), w.context, need)
	}
	w.count = len(w.tokens) / w.context
	if stride > 0 {
		w.count = (len(w.tokens) - w.context + stride - 1) / stride
	}
	if limit >= 0 {
		w.count = min(w.count, limit)
	}
	return w, nil
}

// bos is the token that a chunk begins with.
func bos(v *vocab.Vocab) engine.Token {
	if v.AddBOS {
		return v.BOS
	}
	return vocab.None
}

// visitor looks at row i of a chunk's scored rows; next is the token that came. Many are called at the same time.
type visitor func(chunk, i int, row score.Row, next engine.Token) error

// visit computes chunks [from, to) at the same time. The first error wins.
func (w *windows) visit(ctx context.Context, m *engine.Model, from, to int, look visitor) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	size := m.Vocab().Size()
	var wg sync.WaitGroup
	for chunk := from; chunk < to; chunk++ {
		wg.Go(func() {
			err := m.VisitLogits(ctx, w.input(chunk), w.first, func(pos int, logits []float32) {
				next := w.next(chunk, pos)
				row, err := score.NewRow(logits[:min(size, len(logits))])
				if err == nil {
					err = look(chunk, pos-w.first, row, next)
				}
				if err != nil {
					cancel(fmt.Errorf("chunk %d, position %d: %w", chunk+1, pos, err))
				}
			})
			if err != nil {
				cancel(err)
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}
