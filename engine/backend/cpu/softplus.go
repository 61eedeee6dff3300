package cpu

import (
	"sync"

	"github.com/llamakit/llamakit/engine/backend/cpu/kernel"
)

// softplusBlocks hold the exponentials of some columns.
var softplusBlocks = sync.Pool{New: func() any { return new([64]float32) }}

// softplusRow computes dst = log(1 + exp(x)) = max(x, 0) + log(1 + z) with z = exp(-|x|), which lies in (0, 1]. The steps of
// recurrent layers are softplus of thousands of columns, so the exponentials come from the kernel and the logarithm from a
// series. dst may be x.
func softplusRow(dst, x []float32) {
	block := softplusBlocks.Get().(*[64]float32)
	defer softplusBlocks.Put(block)
	for len(x) > 0 {
		n := min(len(block), len(x))
		z := block[:n]
		for i, v := range x[:n] {
			z[i] = -max(v, -v)
		}
		kernel.ExpSum(z, 0)
		for i, v := range x[:n] {
			dst[i] = max(v, 0) + log1p(z[i])
		}
		dst, x = dst[n:], x[n:]
	}
}

// log1p is log(1 + z) for z in [0, 1]: 2·atanh(s) with s = z/(2+z), at most 1/3, by eight terms of its series.
func log1p(z float32) float32 {
	s := float64(z) / (2 + float64(z))
	q := s * s
	series := 1 + q*(1./3+q*(1./5+q*(1./7+q*(1./9+q*(1./11+q*(1./13+q/15))))))
	return float32(2 * s * series)
}
