package kernel

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/llamakit/llamakit/formats/quant"
)

// accumulateFunc computes acc[i*ldacc+c] += sum over j of p[i*ldp+j] * v[j][c] for i in [0,m), j in [0,n), c in [0,d),
// where v[j] is the j-th of n rows of ldv elements. Each output adds its terms one by one in the order of j, so that
// its bits depend neither on m nor on how the range of j is cut into calls. Meanwhile next is fetched, the rows of another call; nil:
// what follows v.
type accumulateFunc = func(acc []float32, ldacc int, p []float32, ldp int, v, next []byte, ldv, m, n, d int)

// AccumulateFor returns the weighted sum of rows that ends attention, for values stored as F32 or F16: several queries
// (rows of weights p) share the rows of v. Other types panic.
func AccumulateFor(t quant.Type) accumulateFunc {
	switch t {
	case quant.F32:
		return func(acc []float32, ldacc int, p []float32, ldp int, v, next []byte, ldv, m, n, d int) {
			if checkAccumulate(len(acc), ldacc, len(p), ldp, len(v), ldv, m, n, d, 4) {
				current.accumulateF32(acc, ldacc, p, ldp, v, next, ldv, m, n, d)
			}
		}
	case quant.F16:
		return func(acc []float32, ldacc int, p []float32, ldp int, v, next []byte, ldv, m, n, d int) {
			if checkAccumulate(len(acc), ldacc, len(p), ldp, len(v), ldv, m, n, d, 2) {
				current.accumulateF16(acc, ldacc, p, ldp, v, next, ldv, m, n, d)
			}
		}
	}
	panic(fmt.Sprintf("kernel: no weighted sum of %v rows, use f16 or f32", t))
}

// checkAccumulate panics when a slice is too short, and reports whether there is anything to do.
func checkAccumulate(nacc, ldacc, np, ldp, nv, ldv, m, n, d, size int) bool {
	if m <= 0 || n <= 0 || d <= 0 {
		return false
	}
	if nacc < (m-1)*ldacc+d || np < (m-1)*ldp+n || nv < ((n-1)*ldv+d)*size || n > 1 && ldv < d || m > 1 && (ldacc < d || ldp < n) {
		panic(fmt.Sprintf("kernel: weighted sum of %d rows of %d for %d: %d sums by %d, %d weights by %d, %d bytes by %d elements",
			n, d, m, nacc, ldacc, np, ldp, nv, ldv))
	}
	return true
}

func accumulateF32Generic(acc []float32, ldacc int, p []float32, ldp int, v, _ []byte, ldv, m, n, d int) {
	for j := range n {
		row := v[4*j*ldv:]
		for i := range m {
			w, out := p[i*ldp+j], acc[i*ldacc:][:d]
			for c := range out {
				out[c] += w * math.Float32frombits(binary.LittleEndian.Uint32(row[4*c:]))
			}
		}
	}
}

func accumulateF16Generic(acc []float32, ldacc int, p []float32, ldp int, v, _ []byte, ldv, m, n, d int) {
	for j := range n {
		row := v[2*j*ldv:]
		for i := range m {
			w, out := p[i*ldp+j], acc[i*ldacc:][:d]
			for c := range out {
				out[c] += w * quant.F16ToF32(binary.LittleEndian.Uint16(row[2*c:]))
			}
		}
	}
}
