package kernel

import (
	"encoding/binary"
	"math"
)

// Prepared activations. A row is cut into superblocks of 256; the last one is filled up with zeros. A superblock becomes a
// record: 256 int8, their scale, and what the kernels need of the sums of groups of 32 or of 16:
//
//	byte   0  256 int8 q, each x/scale to nearest even, within ±127
//	     256  int32 per group: -offset times the sum of its q
//	          int16 per group: the sum of its q
//	          float32 scale: the largest |x| over 127
//	          int32: the largest sum of |q| of a group
//
// A superblock without a magnitude of 2^-112 or more counts as zero. One with an infinity or a NaN has scale NaN
// and q zero, so that the whole output is NaN. A row's records end with a line of 64 zeros where that makes the
// number of lines odd, so that rows do not fall on the same cache sets. Every tier writes the same bytes.

const (
	intSuper = 256 // elements of a superblock

	actTiny = 0x1p-112
)

// intAct is the layout of a record: offsets of the parts named above.
type intAct struct{ group, centre, sum, scale, max, size int }

var (
	intAct32 = intAct{group: 32, centre: 256, sum: 288, scale: 304, max: 308, size: 320}
	intAct16 = intAct{group: 16, centre: 256, sum: 320, scale: 352, max: 356, size: 384}
)

// quantizeFunc prepares superblocks of 256 activations as records, one after another from dst on.
type quantizeFunc func(x *float32, supers int, dst *byte, offset int)

// intQuantizers has a tier's quantizeFuncs for groups of 32 and of 16; nil means the generic body.
type intQuantizers struct{ by32, by16 quantizeFunc }

// rowBytes is the size of k prepared activations.
func (l *intAct) rowBytes(k int) int {
	lines := roundUp(k, intSuper) / intSuper * l.size / 64
	return (lines | 1) * 64
}

// prepare converts the row x to dst, l.rowBytes(len(x)) bytes.
func (l *intAct) prepare(dst []byte, x []float32, offset int) {
	sameLength("Prepare, in bytes", l.rowBytes(len(x)), len(dst))
	q := quantizers[active].by32
	if l.group == 16 {
		q = quantizers[active].by16
	}
	supers := len(x) / intSuper
	tail := x[supers*intSuper:]
	end := dst[supers*l.size:]
	switch {
	case q == nil:
		l.prepareGeneric(dst, x, offset)
		return
	case supers > 0:
		q(&x[0], supers, &dst[0], offset)
	}
	if len(tail) > 0 {
		s := intScratches.Get().(*intScratch)
		clear(s.x[copy(s.x[:], tail):])
		q(&s.x[0], 1, &end[0], offset)
		intScratches.Put(s)
		end = end[l.size:]
	}
	clear(end)
}

func (l *intAct) prepareGeneric(dst []byte, x []float32, offset int) {
	clear(dst)
	for ; len(x) > 0; dst = dst[l.size:] {
		n := min(len(x), intSuper)
		l.record(dst[:l.size], x[:n], offset)
		x = x[n:]
	}
}

// record writes one record; rec is zero before, and stays so for elements that x lacks.
func (l *intAct) record(rec []byte, x []float32, offset int) {
	var top uint32 // largest |x|; as integers, infinity and NaN come last
	for _, v := range x {
		top = max(top, math.Float32bits(v)&^(1<<31))
	}
	peak := math.Float32frombits(top)
	switch {
	case peak < actTiny:
		return
	case !(peak <= math.MaxFloat32):
		binary.LittleEndian.PutUint32(rec[l.scale:], 0x7fc00000)
		return
	}
	inv := 127 / peak
	for i, v := range x {
		rec[i] = byte(int8(math.RoundToEven(float64(v * inv))))
	}
	binary.LittleEndian.PutUint32(rec[l.scale:], math.Float32bits(peak/127))
	l.sums(rec, offset)
}

// sums fills in what a record has for its groups.
func (l *intAct) sums(rec []byte, offset int) {
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
		largest = max(largest, magnitude)
	}
	binary.LittleEndian.PutUint32(rec[l.max:], uint32(largest))
}

// scaleOf is the scale of a record.
func (l *intAct) scaleOf(rec []byte) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(rec[l.scale:]))
}
