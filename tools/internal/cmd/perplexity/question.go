package perplexity

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/vocab"
	"github.com/llamakit/llamakit/tools/internal/score"
	"github.com/llamakit/llamakit/tools/internal/tasks"
)

// question is a task in tokens.
type question struct {
	choices []choice
	right   []bool
}

// choice is a text of which the tokens [from, to) are scored, by the mean of their log-probabilities.
type choice struct {
	tokens   []engine.Token
	from, to int
}

// newQuestion encodes a task. What all choices begin with is not scored, nor is the first token, which follows nothing.
func newQuestion(v *vocab.Vocab, t tasks.Task) (question, error) {
	q := question{right: t.Right}
	for _, text := range t.Texts {
		tokens := v.Encode(text, vocab.EncodeOptions{AddSpecial: true})
		if len(tokens) < 2 {
			return q, fmt.Errorf("%q is too short: %d tokens", text, len(tokens))
		}
		q.choices = append(q.choices, choice{tokens: tokens, to: len(tokens)})
	}
	prefix := max(1, q.prefix())
	for i := range q.choices {
		q.choices[i].from = prefix
	}
	if t.Heads != nil {
		q.skipWords(v, t.Heads)
	}
	return q, nil
}

// prefix is how many tokens all choices begin with, leaving one at least of each.
func (q *question) prefix() int {
	for n, t := range q.choices[0].tokens {
		for _, c := range q.choices {
			if n+1 == len(c.tokens) || c.tokens[n] != t {
				return n
			}
		}
	}
	return 0
}

// trailing is how many tokens must follow the common beginning of a Winogrande task for its words to be left out.
const trailing = 3

// skipWords leaves the words of a Winogrande task out, so that what follows them is scored (Trinh, Le 2018, arXiv:1806.02847,
// partial scoring), but for the last token, which tends to be a full stop. Where little follows, the words count.
func (q *question) skipWords(v *vocab.Vocab, heads []string) {
	long := !slices.ContainsFunc(q.choices, func(c choice) bool { return len(c.tokens)-c.from <= trailing })
	for i := range q.choices {
		c := &q.choices[i]
		if head := len(v.Encode(heads[i], vocab.EncodeOptions{AddSpecial: true})); long && head >= 1 && head < c.to {
			c.from = head
		}
		if c.to-c.from > 1 {
			c.to--
		}
	}
}

// longest is the length of the longest choice.
func (q *question) longest() (n int) {
	for _, c := range q.choices {
		n = max(n, len(c.tokens))
	}
	return n
}

// score computes the mean log-probability of each choice. The first goes ahead, so that the others find in the cache what they
// share with it.
func (q *question) score(ctx context.Context, m *engine.Model) ([]float64, error) {
	scores := make([]float64, len(q.choices))
	errs := make([]error, len(q.choices))
	scores[0], errs[0] = q.choices[0].score(ctx, m)
	var wg sync.WaitGroup
	for i := range q.choices[1:] {
		wg.Go(func() { scores[i+1], errs[i+1] = q.choices[i+1].score(ctx, m) })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return scores, nil
}

func (c *choice) score(ctx context.Context, m *engine.Model) (float64, error) {
	n := c.to - c.from
	nll, errs := make([]float64, n), make([]error, n)
	size := m.Vocab().Size()
	err := m.VisitLogits(ctx, c.tokens[:c.to-1], c.from-1, func(pos int, logits []float32) {
		i := pos - (c.from - 1)
		var row score.Row
		if row, errs[i] = score.NewRow(logits[:min(size, len(logits))]); errs[i] == nil {
			nll[i], errs[i] = row.NLL(c.tokens[pos+1])
		}
	})
	sum := 0.0
	for i, x := range nll {
		if err == nil && errs[i] != nil {
			err = fmt.Errorf("position %d: %w", c.from-1+i, errs[i])
		}
		sum -= x
	}
	return sum / float64(n), err
}
