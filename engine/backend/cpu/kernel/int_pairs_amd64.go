//go:build amd64 && !purego

package kernel

import "github.com/klauspost/cpuid/v2"

// pairTiles are the types whose panel kernels for AVX-512 can multiply the sums of two groups at once (pairsPay).
var pairTiles = []struct {
	bodies      *[tierCount]intBody
	each, pairs intTileFunc
}{
	{&q2kBodies, gemmQ2Kx6AVX512, gemmQ2Kx6PairsAVX512},
	{&q3kBodies, gemmQ6Kx6AVX512, gemmQ6Kx6PairsAVX512},
	{&q4kBodies, gemmQ4Kx6AVX512, gemmQ4Kx6PairsAVX512},
	{&q5kBodies, gemmQ5Kx6AVX512, gemmQ5Kx6PairsAVX512},
	{&q6kBodies, gemmQ6Kx6AVX512, gemmQ6Kx6PairsAVX512},
}

// pairsPay tells whether that is faster. It takes a shift, an addition and an exclusive or instead of a multiplication, which cost nothing
// where they have ports of their own.
func pairsPay() bool { return cpuid.CPU.IsVendor(cpuid.AMD) }

// multiplyPairs chooses between the two. No kernel may run meanwhile.
func multiplyPairs(on bool) {
	for _, t := range pairTiles {
		f := &t.bodies[AVX512].tiles[0].f
		if *f = t.each; on {
			*f = t.pairs
		}
	}
}
