package kernel

import (
	"encoding/binary"
	"math"
)

// Records with a scale for each block of 32, for the types with blocks of 32 and the like:
//
//	byte   0  256 int8 q
//	     256  8 int32: the bits of actMagic, less offset times the sum of the block's q
//	     288  8 float32 scale: the largest |x| over 127, its last two bits cleared
//	     320  8 float32: -actMagic * scale
//	     352  8 float32: scale times the sum of the block's q
//
// NVFP4, whose weights have scales for 16 each, starts at sums for 16 and needs none for mins:
//
//	256  8 int32: the bits of actMagic, less offset times the sum of the first 16 q of a block
//	288  8 int32: the same for the second 16
//	320  8 float32 scale
//	352  8 float32: -actMagic * scale
//
// A block's integer products, added to the first of these numbers, are the bits of actMagic + dot: so a kernel gets
// scale * dot by one multiply-add with the second and third, and no conversion. It is rounded once, since
// actMagic * scale is exact with two bits less. Where that product would overflow, the block counts as infinite.
const (
	actMagic = 3 << 22 // as a float32 its last bit counts ones
	actHuge  = 0x1p104

	actBlockStart = 256
	actBlockScale = 288
	actBlockBack  = 320
	actBlockSum   = 352

	actHalvesScale = 320
	actHalvesBack  = 352
)

var (
	intActBlocks = intAct{size: 384, scale: actBlockScale, scaled: 32, record: recordBlocks, quantizer: &quantizersBlocks}
	intActHalves = intAct{size: 384, scale: actHalvesScale, scaled: 32, record: recordHalves, quantizer: &quantizersHalves}
)

func recordBlocks(rec []byte, x []float32, offset int) {
	for b := range intSuper / 32 {
		n := min(32, len(x))
		scale := quantizeBlock(rec[32*b:][:32], x[:n])
		x = x[n:]
		sum := sumInt8(rec[32*b:][:32])
		putStart(rec[actBlockStart+4*b:], offset, sum)
		putFloat(rec[actBlockScale+4*b:], scale)
		putFloat(rec[actBlockBack+4*b:], -actMagic*scale)
		putFloat(rec[actBlockSum+4*b:], float32(sum)*scale)
	}
}

func recordHalves(rec []byte, x []float32, offset int) {
	for b := range intSuper / 32 {
		n := min(32, len(x))
		q := rec[32*b:][:32]
		scale := quantizeBlock(q, x[:n])
		x = x[n:]
		putStart(rec[actBlockStart+4*b:], offset, sumInt8(q[:16]))
		putStart(rec[actBlockStart+32+4*b:], offset, sumInt8(q[16:]))
		putFloat(rec[actHalvesScale+4*b:], scale)
		putFloat(rec[actHalvesBack+4*b:], -actMagic*scale)
	}
}

func putStart(b []byte, offset int, sum int32) {
	binary.LittleEndian.PutUint32(b, uint32(int32(math.Float32bits(actMagic))-int32(offset)*sum))
}

// quantizeBlock writes q, zero before, and returns the scale.
func quantizeBlock(q []byte, x []float32) (scale float32) {
	peak := peakOf(x)
	switch {
	case peak < actTiny:
		return 0
	case !(peak < actHuge):
		return math.Float32frombits(actNaN)
	}
	quantizeInt8(q, x, 127/peak)
	return math.Float32frombits(math.Float32bits(peak/127) &^ 3)
}
