package kernel

import (
	"fmt"

	"github.com/llamakit/llamakit/formats/quant"
)

// MatMul is the product of a weight matrix of one type with rows of activations.
type MatMul struct {
	// ActBytes returns the bytes of one prepared activation row of k values.
	ActBytes func(k int) int

	// Prepare converts one row of k = len(x) activations; len(dst) is ActBytes(k).
	Prepare func(dst []byte, x []float32)

	// Rows computes y[i*ldy+j] = w_j . x_i for every weight row j and the activation rows i in [0,m). The weight rows,
	// t.RowBytes(k) bytes each, lie one after another in w, whose length gives their number; acts holds m prepared
	// rows. Each output's bits depend on its two rows alone.
	Rows func(y []float32, ldy int, w, acts []byte, m, k int)

	// Page is Rows for weights that do not lie with those of the next call: next, which may be nil, is fetched meanwhile. Only types
	// that are not multiplied in integers have it.
	Page func(y []float32, ldy int, w, next, acts []byte, m, k int)
}

// MatMulFor returns the product for weights of type t, whatever the tier: sizes and what was prepared under one tier are valid
// only under that tier. Types that have no kernel of their own are decoded to float32 on the way. A type that ggml does not
// have panics.
func MatMulFor(t quant.Type) MatMul {
	if t == quant.BF16 {
		return bf16MatMul()
	}
	if f, ok := floatFormats[t]; ok {
		return floatMatMul(f)
	}
	if m, ok := intMatMul(t); ok {
		return m
	}
	if !t.Valid() {
		panic(fmt.Sprintf("kernel: matrix product with unknown type %d", uint32(t)))
	}
	return floatMatMul(decoded(t))
}
