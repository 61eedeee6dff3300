//go:build !purego

package quant

import "golang.org/x/sys/cpu"

var useF16C = cpu.X86.HasAVX2 && cpu.X86.HasFMA // every processor with these two has F16C; x/sys/cpu does not tell it

// decodeF16 converts eight halves at a time and leaves the rest to the generic body.
func decodeF16(dst []float32, src []byte) {
	n := 0
	if useF16C && len(dst) >= 8 {
		n = len(dst) &^ 7
		decodeF16Blocks(&dst[0], &src[0], n)
	}
	decodeF16Generic(dst[n:], src[2*n:])
}
