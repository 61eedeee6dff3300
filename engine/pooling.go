package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/llamakit/llamakit/engine/sched"
)

// Pooling says how the hidden states of a text become one vector.
type Pooling string

// The kinds of pooling.
const (
	PoolingNone Pooling = "none" // one vector a token
	PoolingMean Pooling = "mean"
	PoolingCLS  Pooling = "cls" // the first token's
	PoolingLast Pooling = "last"
	PoolingRank Pooling = "rank" // scores of classes instead of a vector; see Model.Classes
)

// poolings are numbered as in the key pooling_type of a file.
var poolings = []Pooling{PoolingNone, PoolingMean, PoolingCLS, PoolingLast, PoolingRank}

// ParsePooling returns the pooling of a name.
func ParsePooling(name string) (Pooling, error) {
	if p := Pooling(name); slices.Contains(poolings, p) {
		return p, nil
	}
	return "", fmt.Errorf("pooling %q: use none, mean, cls, last or rank", name)
}

// Errors of pooling.
var (
	ErrNoLogits = errors.New("the model was opened for embeddings, or is for nothing else: it has no logits of tokens")
	ErrNoRank   = errors.New("the model was not opened as a reranker (Options.Embed with pooling rank)")
)

// Pooling is what Options or else the file asks for; mean where neither does.
func (m *Model) Pooling() Pooling { return m.options.pooling(m.file, m.arch) }

// Classes are the names of the classes that a reranker gives scores for, or empty strings where the file has no names; nil for
// a model that was not opened as a reranker.
func (m *Model) Classes() []string {
	c := m.arch.Classes
	if c == nil {
		return nil
	}
	if c.Labels == nil {
		return make([]string, m.arch.Graph.Logits.Width)
	}
	return c.Labels
}

// Pool computes the last hidden states after the final norm, and after the dense layers of a model for embeddings that has
// some, and pools them: vectors of one width, one, or one a token. With PoolingRank it is the scores of the classes.
func (m *Model) Pool(ctx context.Context, tokens []Token, p Pooling) ([][]float32, error) {
	out, err := m.PoolAll(ctx, [][]Token{tokens}, p)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// PoolAll is Pool of several texts, which share batches. The first error ends all of it.
func (m *Model) PoolAll(ctx context.Context, texts [][]Token, p Pooling) ([][][]float32, error) {
	pools := make([]*pool, len(texts))
	for i, tokens := range texts {
		var err error
		if pools[i], err = m.newPool(tokens, p); err != nil {
			return nil, textError(i, len(texts), err)
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for _, pool := range pools {
		m.sched.Submit(ctx, &pool.request)
	}
	out := make([][][]float32, len(texts))
	var failed error
	for i, pool := range pools {
		err := <-pool.done // of all, whatever happens: the scheduler calls them until then
		if err == nil {
			out[i], err = pool.vectors, finite(pool.vectors)
		}
		if err != nil && failed == nil {
			failed = textError(i, len(texts), err)
			cancel()
		}
	}
	return out, failed
}

// textError says which of several texts an error is about.
func textError(i, n int, err error) error {
	if n == 1 {
		return err
	}
	return fmt.Errorf("text %d: %w", i+1, err)
}

// pool is one text on its way.
type pool struct {
	request sched.Request
	vectors [][]float32
	done    chan error
}

func (m *Model) newPool(tokens []Token, p Pooling) (*pool, error) {
	if len(tokens) == 0 {
		return nil, ErrEmptyPrompt
	}
	if err := m.checkTokens(tokens); err != nil {
		return nil, err
	}
	out := &pool{done: make(chan error, 1)}
	r := &out.request
	r.Prompt, r.Done = tokens, func(o sched.Outcome) { out.done <- o.Err }
	keep := func(_ int, _, hidden []float32) { out.vectors = append(out.vectors, slices.Clone(hidden)) }
	switch p {
	case PoolingNone:
		r.Row = keep
	case PoolingMean:
		out.vectors = [][]float32{make([]float32, m.arch.Graph.Hidden.Width)}
		r.Row = func(_ int, _, hidden []float32) { addMean(out.vectors[0], hidden, len(tokens)) }
	case PoolingCLS:
		r.Row, r.To = keep, 1
	case PoolingLast:
		r.Row, r.From = keep, len(tokens)-1
	case PoolingRank:
		return out, m.rank(out)
	default:
		_, err := ParsePooling(string(p))
		return nil, err
	}
	return out, nil
}

// addMean adds one of n rows to their mean.
func addMean(mean, row []float32, n int) {
	for i, v := range row {
		mean[i] += v / float32(n)
	}
}

// rank makes p the scores of a reranker, which are at the one row that it judges by.
func (m *Model) rank(p *pool) error {
	c := m.arch.Classes
	if c == nil {
		return ErrNoRank
	}
	r := &p.request
	if c.Last {
		r.From = len(r.Prompt) - 1
	} else {
		r.To = 1
	}
	r.Row = func(_ int, logits, _ []float32) {
		scores := slices.Clone(logits)
		if c.Softmax {
			softmax(scores)
		}
		p.vectors = [][]float32{scores}
	}
	return nil
}

func softmax(x []float32) {
	greatest, sum := float64(slices.Max(x)), 0.0
	for _, v := range x {
		sum += math.Exp(float64(v) - greatest)
	}
	for i, v := range x {
		x[i] = float32(math.Exp(float64(v)-greatest) / sum)
	}
}

// finite reports the first value that is no number.
func finite(vectors [][]float32) error {
	for _, v := range vectors {
		for i, x := range v {
			if x != x || math.IsInf(float64(x), 0) {
				return fmt.Errorf("%w: value %d of the embedding is %g (are the weights damaged?)", ErrNotFinite, i, x)
			}
		}
	}
	return nil
}
