package engine

import (
	"context"
	"fmt"
	"math"
)

// Pooling says how the hidden states of a text become one vector.
type Pooling string

// The kinds of pooling. PoolingRank, which scores a text, is known by name only.
const (
	PoolingNone Pooling = "none" // one vector a token
	PoolingMean Pooling = "mean"
	PoolingCLS  Pooling = "cls" // the first token's
	PoolingLast Pooling = "last"
	PoolingRank Pooling = "rank"
)

// poolings are numbered as in the key pooling_type of a file.
var poolings = []Pooling{PoolingNone, PoolingMean, PoolingCLS, PoolingLast, PoolingRank}

// Pooling is what the file asks for; mean where it does not say.
func (m *Model) Pooling() Pooling {
	n := m.file.Metadata.Reader(m.arch.Architecture).IntOr("pooling_type", 1)
	if n < 0 || n >= len(poolings) {
		return PoolingMean
	}
	return poolings[n]
}

// Pool computes the last hidden states after the final norm and sums them up: vectors of Width values, one, or one a token.
func (m *Model) Pool(ctx context.Context, tokens []Token, p Pooling) ([][]float32, error) {
	var out [][]float32
	switch p {
	case PoolingMean:
		v, err := m.Embed(ctx, tokens)
		if err != nil {
			return nil, err
		}
		out = [][]float32{v}
	case PoolingNone, PoolingCLS, PoolingLast:
		err := m.rows(ctx, tokens, func(pos int, _, hidden []float32) {
			if p == PoolingNone || p == PoolingCLS && pos == 0 || p == PoolingLast && pos == len(tokens)-1 {
				out = append(out, append([]float32(nil), hidden...))
			}
		})
		if err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("pooling %q: use none, mean, cls or last", string(p))
	}
	return out, finite(out)
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
