package quant

import (
	"math"
	"math/bits"
	"sync"
)

// What the IQ2 and IQ3 types share: codebooks of magnitude vectors, and signs.

// unpack expands a codebook of n elements an entry, packed as digits of 16/n bits from the lowest up, to entries
// whose byte j is the magnitude of element j.
func unpack(packed []uint16, n int, levels []byte) []uint64 {
	width := 16 / n
	grid := make([]uint64, len(packed))
	for i, digits := range packed {
		for j := range n {
			grid[i] |= uint64(levels[digits>>(width*j)&(1<<width-1)]) << (8 * j)
		}
	}
	return grid
}

// evenSigns completes a 7-bit sign code: bit 7 is set where that makes the number of minus signs even.
func evenSigns(code uint32) uint32 { return code | uint32(bits.OnesCount32(code)&1)<<7 }

// group writes eight magnitudes (byte j is element j) times d, negated where bit j of signs is set.
func group(y *[8]float32, magnitudes uint64, signs uint32, d float32) {
	for j := range y {
		v := d * float32(int32(magnitudes>>(8*j)&255))
		y[j] = math.Float32frombits(math.Float32bits(v) ^ signs>>j<<31)
	}
}

// Grid returns the codebook of an IQ1, IQ2 or IQ3 type: byte j of an entry is the magnitude of the group's element j, in IQ1
// the ternary number plus 1. It is nil for other types. The slice is shared: do not change it.
func Grid(t Type) []uint64 {
	switch t {
	case IQ1_S, IQ1_M:
		return iq1Bytes()
	case IQ2_XXS:
		return iq2xxsGrid
	case IQ2_XS:
		return iq2xsGrid
	case IQ2_S:
		return iq2sGrid
	case IQ3_XXS:
		return iq3xxsGrid
	case IQ3_S:
		return iq3sGrid
	}
	return nil
}

// iq1Bytes is the codebook of IQ1 with a byte a digit.
var iq1Bytes = sync.OnceValue(func() []uint64 { return unpack(iq1Grid[:], 8, []byte{0, 1, 2, 3}) })
