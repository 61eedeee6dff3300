package kernel

import "github.com/llamakit/llamakit/formats/quant"

// Products of BF16 weights with activations rounded to BF16, for processors that multiply such numbers in half the time that float32
// takes. As in float_matmul.go an output is the sum, in order of k, of partial sums in float32 over blocks; subnormal
// numbers count as zero, in either operand and in sums. Weights are multiplied where they lie, whatever the number of activation rows.
//
// Other tiers and processors have products in float32, and so have rows whose length is no multiple of pairUnit.
const (
	pairUnit  = 32   // elements of a vector
	pairBlock = 2048 // elements of a partial sum: as many bytes as kBlock of float32
)

// RoundsToBF16 tells whether activations that BF16 weights are multiplied with are rounded to BF16, pairUnit products an instruction.
func RoundsToBF16() bool { return current.direct.pairs != nil }

// inPairs tells whether rows of k are multiplied as BF16.
func inPairs(k int) bool { return RoundsToBF16() && k%pairUnit == 0 }

// pairRow is the size of a prepared row in bytes: like actStride, an odd number of 64-byte lines.
func pairRow(k int) int { return (k/pairUnit | 1) * 64 }

func bf16MatMul() MatMul {
	inFloat32 := floatMatMul(floatFormats[quant.BF16])
	page := func(y []float32, ldy int, w, next, acts []byte, m, k int) {
		if !inPairs(k) {
			inFloat32.Page(y, ldy, w, next, acts, m, k)
		} else if n := checkRows(quant.BF16, pairRow(k), len(y), ldy, len(w), len(acts), m, k); n > 0 {
			current.direct.pairs(y, ldy, w, next, 2*k, acts, pairRow(k), m, n, k)
		}
	}
	return MatMul{
		ActBytes: func(k int) int {
			if inPairs(k) {
				return pairRow(k)
			}
			return inFloat32.ActBytes(k)
		},
		Prepare: func(dst []byte, x []float32) {
			if !inPairs(len(x)) {
				inFloat32.Prepare(dst, x)
				return
			}
			sameLength("Prepare, in bytes", pairRow(len(x)), len(dst))
			current.storeBF16(dst[:2*len(x)], x)
		},
		Rows: func(y []float32, ldy int, w, acts []byte, m, k int) { page(y, ldy, w, nil, acts, m, k) },
		Page: page,
	}
}
