package graph

import "math"

// EmbedPosition looks up one row of W a token by its position in the sequence: Dst = W[position]. Positions are below W.Out.
type EmbedPosition struct {
	Dst *Tensor
	W   *Weight
}

// The positions come with the batch.
func (*EmbedPosition) inputs() []**Tensor { return nil }

// Writes returns Dst.
func (e *EmbedPosition) Writes() *Tensor { return e.Dst }

// EmbedPosition starts from learned position embeddings, one row a position.
func (b *Builder) EmbedPosition(w *Weight) *Tensor {
	return b.add(&EmbedPosition{b.tensor(w.In, nil), w})
}

// ALiBiSlopes returns what attention takes off a score for each token between query and key, by head (Press et al. 2021,
// arXiv:2108.12409): with n the greatest power of two up to heads, 2^(-maxBias·(h+1)/n) for the first n heads, and for the
// others the odd steps between those.
func ALiBiSlopes(heads int, maxBias float32) []float32 {
	n := 1
	for 2*n <= heads {
		n *= 2
	}
	slopes := make([]float32, heads)
	for h := range slopes {
		step := float64(h + 1)
		if h >= n {
			step = float64(2*(h-n)+1) / 2
		}
		slopes[h] = float32(math.Exp2(-float64(maxBias) * step / float64(n)))
	}
	return slopes
}
