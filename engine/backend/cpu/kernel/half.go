package kernel

import (
	"encoding/binary"

	"github.com/llamakit/llamakit/formats/quant"
)

// LoadF16 converts little-endian half-precision numbers to float32, exactly. len(src) is 2*len(dst).
func LoadF16(dst []float32, src []byte) {
	sameLength("LoadF16, in bytes", 2*len(dst), len(src))
	current.loadF16(dst, src)
}

// LoadBF16 converts little-endian bfloat16 numbers to float32, exactly. len(src) is 2*len(dst).
func LoadBF16(dst []float32, src []byte) {
	sameLength("LoadBF16, in bytes", 2*len(dst), len(src))
	current.loadBF16(dst, src)
}

// StoreF16 converts to half precision, to nearest even; too large values become infinite, NaN stays NaN. len(dst) is
// 2*len(x).
func StoreF16(dst []byte, x []float32) {
	sameLength("StoreF16, in bytes", len(dst), 2*len(x))
	current.storeF16(dst, x)
}

// StoreBF16 converts to bfloat16, to nearest even; NaN stays NaN. len(dst) is 2*len(x).
func StoreBF16(dst []byte, x []float32) {
	sameLength("StoreBF16, in bytes", len(dst), 2*len(x))
	current.storeBF16(dst, x)
}

func loadF16Generic(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = quant.F16ToF32(binary.LittleEndian.Uint16(src[2*i:]))
	}
}

func loadBF16Generic(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = quant.BF16ToF32(binary.LittleEndian.Uint16(src[2*i:]))
	}
}

func storeF16Generic(dst []byte, x []float32) {
	for i, v := range x {
		binary.LittleEndian.PutUint16(dst[2*i:], quant.F32ToF16(v))
	}
}

func storeBF16Generic(dst []byte, x []float32) {
	for i, v := range x {
		binary.LittleEndian.PutUint16(dst[2*i:], quant.F32ToBF16(v))
	}
}
