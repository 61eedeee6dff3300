package quant

// TQ1_0 and TQ2_0: ternary, 256 elements under one scale (1.6875 and 2.0625 bits an element).
//
//	TQ1_0                                     TQ2_0
//	byte  0  qs[48]  five elements a byte     byte  0  qs[64]  four elements a byte
//	     48  qh[4]   four elements a byte          64  d       f16
//	     52  d       f16
//
//	x = d (q - 1), q = 0, 1, 2 (3 is not written, and decodes to 2d)
//
// TQ1_0 keeps base-3 digits as a fraction: byte b stands for b/256, and the digit after the point comes out by
// multiplying by 3. Digit n of qs[l] is element 32n+l (l < 32), of qs[32+l] element 160+16n+l (l < 16), of qh[l]
// element 240+4n+l. In TQ2_0, bits 2n and up of qs[32h+l] are element 128h+32n+l.
const (
	tq1_0High  = (superSize - 4*superSize/64) / 5
	tq1_0Scale = tq1_0High + superSize/64
	tq1_0Bytes = tq1_0Scale + 2

	tq2_0Scale = superSize / 4
	tq2_0Bytes = tq2_0Scale + 2
)

var (
	_ [54]byte = [tq1_0Bytes]byte{}
	_ [66]byte = [tq2_0Bytes]byte{}
)

func decodeTQ1_0(dst []float32, src []byte) {
	for ; len(dst) >= superSize; dst, src = dst[superSize:], src[tq1_0Bytes:] {
		d := F16ToF32(le.Uint16(src[tq1_0Scale:]))
		step := [3]float32{-d, 0 * d, d}
		trits(dst[:160], src[:32], &step)
		trits(dst[160:240], src[32:tq1_0High], &step)
		trits(dst[240:superSize], src[tq1_0High:tq1_0Scale], &step)
	}
}

// trits writes the first len(dst)/len(qs) base-3 digits of every byte: all first digits, then all second ones.
func trits(dst []float32, qs []byte, step *[3]float32) {
	pow3 := byte(1)
	for ; len(dst) >= len(qs); dst = dst[len(qs):] {
		y := dst[:len(qs)]
		for j, b := range qs {
			y[j] = step[uint32(b*pow3)*3>>8] // the earlier digits overflow the byte and are gone
		}
		pow3 *= 3
	}
}

func decodeTQ2_0(dst []float32, src []byte) {
	for ; len(dst) >= superSize; dst, src = dst[superSize:], src[tq2_0Bytes:] {
		d := F16ToF32(le.Uint16(src[tq2_0Scale:]))
		step := [4]float32{-d, 0 * d, d, 2 * d}
		for i := range superSize / 32 {
			shift := uint(i % 4 * 2)
			y := (*[32]float32)(dst[32*i:])
			for j, b := range (*[32]byte)(src[i/4*32:]) {
				y[j] = step[b>>shift&3]
			}
		}
	}
}
