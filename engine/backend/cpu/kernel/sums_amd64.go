//go:build amd64 && !purego

package kernel

import "unsafe"

// sumsFunc adds weighted rows to a fixed number of rows of sums; accumulate_amd64.go describes it.
type sumsFunc func(acc *float32, ldacc int, p *float32, ldp int, v *byte, ldv, n, d, ahead int)

// sumsSet has the bodies for 1, 2, 4, ... rows of sums, smallest first.
type sumsSet []sumsFunc

var (
	sumsF32AVX2   = sumsSet{accumulateF32AVX2x1, accumulateF32AVX2x2}
	sumsF16AVX2   = sumsSet{accumulateF16AVX2x1, accumulateF16AVX2x2}
	sumsF32AVX512 = sumsSet{accumulateF32AVX512x1, accumulateF32AVX512x2, accumulateF32AVX512x4}
	sumsF16AVX512 = sumsSet{accumulateF16AVX512x1, accumulateF16AVX512x2, accumulateF16AVX512x4}
)

// accumulate is an accumulateFunc.
func (s sumsSet) accumulate(acc []float32, ldacc int, p []float32, ldp int, v, next []byte, ldv, m, n, d int) {
	values, ahead := unsafe.SliceData(v), aheadTo(v, next)
	for i := 0; i < m; {
		size := len(s) - 1
		for 1<<size > m-i {
			size--
		}
		s[size](&acc[i*ldacc], 4*ldacc, &p[i*ldp], 4*ldp, values, ldv, n, d, ahead)
		i += 1 << size
	}
}
