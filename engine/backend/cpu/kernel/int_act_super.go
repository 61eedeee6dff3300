package kernel

import (
	"encoding/binary"
	"math"
)

// Records with one scale, for the types with superblocks of 256. The kernels also need sums of groups of 32 or of 16:
//
//	byte   0  256 int8 q
//	     256  int32 per group: -offset times the sum of its q
//	          int16 per group: the sum of its q
//	          float32 scale: the largest |x| over 127
//	          int32: groups of 32: the largest sum of the positive q of a group, or of the magnitudes of the negative ones;
//	                 groups of 16: the largest sum of all magnitudes
var (
	intAct32 = intAct{size: 320, scale: 304, scaled: intSuper, record: act32.record, quantizer: &quantizers32}
	intAct16 = intAct{size: 384, scale: 352, scaled: intSuper, record: act16.record, quantizer: &quantizers16}

	act32 = superAct{group: 32, centre: 256, sum: 288, scale: 304, max: 308}
	act16 = superAct{group: 16, centre: 256, sum: 320, scale: 352, max: 356}
)

// superAct has the offsets of the parts named above.
type superAct struct{ group, centre, sum, scale, max int }

func (l superAct) record(rec []byte, x []float32, offset int) {
	peak := peakOf(x)
	switch {
	case peak < actTiny:
		return
	case !(peak <= math.MaxFloat32):
		binary.LittleEndian.PutUint32(rec[l.scale:], actNaN)
		return
	}
	quantizeInt8(rec, x, 127/peak)
	putFloat(rec[l.scale:], peak/127)
	l.sums(rec, offset)
}

// sums fills in what a record has for its groups.
func (l superAct) sums(rec []byte, offset int) {
	var largest int32
	for g := range intSuper / l.group {
		var sum, magnitude int32
		for _, b := range rec[g*l.group:][:l.group] {
			q := int32(int8(b))
			sum += q
			magnitude += max(q, -q)
		}
		binary.LittleEndian.PutUint32(rec[l.centre+4*g:], uint32(-int32(offset)*sum))
		binary.LittleEndian.PutUint16(rec[l.sum+2*g:], uint16(sum))
		if l.group == 32 {
			magnitude = (magnitude + max(sum, -sum)) / 2
		}
		largest = max(largest, magnitude)
	}
	binary.LittleEndian.PutUint32(rec[l.max:], uint32(largest))
}
