package kernel

import (
	"fmt"

	"github.com/llamakit/llamakit/formats/quant"
)

// Products in integers: quantised weights with activations quantised to 8 bits, 256 or 32 under one scale (int_act.go).
//
// Under one scale the integer parts are multiplied and added up exactly, in any order that suits the machine; what is
// left of floating point is the same few operations for every output, in order of k:
//
//	y = 0; for each superblock of 256: y = fma(scale of the activations, dot, y)
//	y = 0; for each block of 32:       y = fma(scale of the weights, scale of the activations * dot, y)
//
// with dot as the type's generic body defines it (int_q4k.go, int_blocks.go and so on). So all tiers, and all ways to block
// the loops, give the same bits, save for the payloads of NaNs.
//
// Two ways are implemented for each tier (int_rows.go). The row kernels read 4 weight rows where they lie and multiply
// them with one row of activations, or some. For 4 and more activation rows, 32 weight rows at a time are unpacked to a
// panel, one superblock deep, which a panel kernel multiplies with tiles of several activation rows.

// intType is a weight type with integer kernels.
type intType struct {
	typ        quant.Type
	superBytes int // bytes of 256 weights
	act        *intAct
	offset     int // what the kernels' unsigned weights are larger by; int_act.go
	unpack     func(u *intUnpacked, w []byte)
	add        func(u *intUnpacked, rec []byte, y float32) float32 // y plus the product of a superblock
	bodies     *[tierCount]intBody                                 // entries without a row kernel: not on this machine, or the generic tier
}

var intTypes = map[quant.Type]*intType{
	quant.Q4_0: &intQ40, quant.Q4_1: &intQ41, quant.Q5_0: &intQ50, quant.Q5_1: &intQ51, quant.Q8_0: &intQ80,
	quant.IQ4_NL: &intIQ4NL, quant.IQ4_XS: &intIQ4XS, quant.MXFP4: &intMXFP4,
	quant.Q2_K: &intQ2K, quant.Q3_K: &intQ3K, quant.Q4_K: &intQ4K, quant.Q5_K: &intQ5K, quant.Q6_K: &intQ6K,
	quant.IQ2_XXS: &intIQ2XXS, quant.IQ2_XS: &intIQ2XS, quant.IQ2_S: &intIQ2S, quant.IQ3_XXS: &intIQ3XXS, quant.IQ3_S: &intIQ3S,
	quant.IQ1_S: &intIQ1S, quant.IQ1_M: &intIQ1M, quant.TQ1_0: &intTQ10, quant.TQ2_0: &intTQ20,
	quant.Q1_0: &intQ10, quant.Q2_0: &intQ20, quant.NVFP4: &intNVFP4,
}

// intMatMul returns the integer product for weights of type t, if there is one.
func intMatMul(t quant.Type) (MatMul, bool) {
	i, ok := intTypes[t]
	if !ok {
		return MatMul{}, false
	}
	return MatMul{
		ActBytes: i.act.rowBytes,
		Prepare:  func(dst []byte, x []float32) { i.act.prepare(dst, x, i.offset) },
		Rows:     i.rows,
	}, true
}

func (t *intType) rows(y []float32, ldy int, w, acts []byte, m, k int) {
	if m <= 0 || k <= 0 || len(w) == 0 {
		return
	}
	row := t.typ.RowBytes(k)
	n := len(w) / row
	if n*row != len(w) || len(y) < (m-1)*ldy+n || m > 1 && ldy < n || len(acts) < m*t.act.rowBytes(k) {
		panic(fmt.Sprintf("kernel: product of %v rows of %d: %d bytes of weights, %d of activations for %d rows, %d outputs by %d",
			t.typ, k, len(w), len(acts), m, len(y), ldy))
	}
	body := &t.bodies[active]
	if body.row[0] == nil {
		t.rowsGeneric(y, ldy, w, acts, m, n, k)
		return
	}
	p := intProduct{
		intBody: body, actSize: t.act.size, actRow: t.act.rowBytes(k), acts: acts,
		superBytes: t.superBytes, wRow: row, supers: k / intSuper, tail: row - k/intSuper*t.superBytes,
		scratch: intScratches.Get().(*intScratch),
	}
	p.rows(y, ldy, w, m, n)
	intScratches.Put(p.scratch)
}
