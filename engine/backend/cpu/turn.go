package cpu

import (
	"math"
	"math/bits"

	"github.com/llamakit/llamakit/engine/backend/cpu/kernel"
	"github.com/llamakit/llamakit/formats/quant"
)

// Keys and values of a type of blocks are turned before they are stored: multiplied, some columns at a time, with the orthonormal
// Hadamard matrix. That spreads the few large columns that heads have over all, so that a block's scale fits more of its values
// (QuaRot: Ashkboos et al. 2024, arXiv:2404.00456). Queries are turned like keys, which leaves their products as they were, and the
// weighted sums of values are turned back: the matrix is its own inverse.
type turn struct {
	size int // columns turned at a time
	mul  kernel.MatMul
	w    []byte // size rows of float32
}

// maxTurn bounds the columns turned at a time, and so the work.
const maxTurn = 128

// turnFor returns the turn of rows of dim columns in the cache b, or nil where it needs none.
func (p *program) turnFor(b *block) *turn {
	if b.typ.BlockSize() == 1 || b.dim == 0 {
		return nil
	}
	size := min(maxTurn, 1<<bits.TrailingZeros(uint(b.dim)))
	if t := p.turns[size]; t != nil {
		return t
	}
	h := p.floats(size * size)
	fillHadamard(h, size)
	t := &turn{size: size, mul: kernel.MatMulFor(quant.F32), w: float32Bytes(h)}
	p.turns[size] = t
	return t
}

// fillHadamard writes Sylvester's construction: element (i, j) is negative where i and j have an odd number of ones in common.
func fillHadamard(h []float32, size int) {
	one := float32(1 / math.Sqrt(float64(size)))
	for i := range h {
		h[i] = one
		if bits.OnesCount(uint(i/size&(i%size)))%2 == 1 {
			h[i] = -one
		}
	}
}

// actBytes is the scratch memory that rows of n columns need.
func (t *turn) actBytes(n int) int {
	if t == nil {
		return 0
	}
	return n / t.size * t.mul.ActBytes(t.size)
}

// row writes the turned x to dst.
func (t *turn) row(dst, x []float32, acts []byte) {
	n, size := len(x)/t.size, t.mul.ActBytes(t.size)
	for i := range n {
		t.mul.Prepare(acts[i*size:(i+1)*size], x[i*t.size:(i+1)*t.size])
	}
	t.mul.Rows(dst, t.size, t.w, acts, n, t.size)
}
