package quant

import (
	"encoding/binary"
	"math"
)

// Plain numbers: blocks of one element, little-endian. The loops slice both sides to fixed windows, so that the
// compiler drops the bounds checks.

var le = binary.LittleEndian

func decodeF32(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = math.Float32frombits(le.Uint32(src[4*i:]))
	}
}

func encodeF32(dst []byte, src, _ []float32) {
	for i, v := range src {
		le.PutUint32(dst[4*i:], math.Float32bits(v))
	}
}

func decodeF64(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = float32(math.Float64frombits(le.Uint64(src[8*i:])))
	}
}

// decodeF16Generic moves exponent and mantissa into place and lets a product adjust the bias, which is right for subnormal
// halves too; only infinities and NaN need a branch.
func decodeF16Generic(dst []float32, src []byte) {
	for i := range dst {
		h := le.Uint16(src[2*i:])
		magnitude := math.Float32bits(math.Float32frombits(uint32(h&0x7fff)<<13) * 0x1p112)
		if h&0x7c00 == 0x7c00 {
			magnitude = f16Bits(h & 0x7fff)
		}
		dst[i] = math.Float32frombits(magnitude | uint32(h&0x8000)<<16)
	}
}

// encodeF16 has the common case, a value that is a normal half after rounding, in line.
func encodeF16(dst []byte, src, _ []float32) {
	for i, v := range src {
		bits := math.Float32bits(v)
		m := bits & 0x7fffffff
		if m < 0x38800000 || m >= 0x477ff000 {
			le.PutUint16(dst[2*i:], F32ToF16(v))
			continue
		}
		m -= (127 - 15) << 23
		le.PutUint16(dst[2*i:], uint16(bits>>16&0x8000|(m+0x0fff+m>>13&1)>>13))
	}
}

func decodeBF16(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = math.Float32frombits(uint32(le.Uint16(src[2*i:])) << 16)
	}
}

func encodeBF16(dst []byte, src, _ []float32) {
	for i, v := range src {
		le.PutUint16(dst[2*i:], F32ToBF16(v))
	}
}

func decodeI8(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = float32(int8(src[i]))
	}
}

func decodeI16(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = float32(int16(le.Uint16(src[2*i:])))
	}
}

func decodeI32(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = float32(int32(le.Uint32(src[4*i:])))
	}
}

func decodeI64(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = float32(int64(le.Uint64(src[8*i:])))
	}
}
