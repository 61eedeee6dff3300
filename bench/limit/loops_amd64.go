//go:build !purego

package limit

import "github.com/llamakit/llamakit/engine/backend/cpu/kernel"

// The assembly makes 12 vectors a turn.
var (
	avx2   = loops{pieces(readAVX2), floatsAVX2, floatsAVX2, integersAVX2, 12 * 8, 12 * 8, 12 * 32}
	avx512 = loops{pieces(readAVX512), floatsAVX512, floatsAVX512, integersAVX512, 12 * 16, 12 * 16, 12 * 64}
)

func pieces(read func(p *byte, n int)) func([]byte) {
	return func(data []byte) {
		if n := len(data) / pieceBytes; n > 0 {
			read(&data[0], n)
		}
	}
}

func loopsFor() loops {
	switch kernel.Active() {
	case kernel.AVX512:
		l := avx512
		if kernel.RoundsToBF16() {
			l.bf16, l.bf16ATurn = bf16AVX512, 12*32
		}
		return l
	case kernel.AVX2:
		return avx2
	}
	return generic
}
