package kernel

import (
	"encoding/binary"
	"math"
)

// Prepared activations. A row is cut into superblocks of 256; the last one is filled up with zeros. A superblock becomes a
// record that starts with 256 int8, each x/scale to nearest even, within ±127. What follows depends on the layout: one
// scale for all 256 (int_act_super.go), or one for each 32 (int_act_block.go).
//
// A stretch of activations under one scale that has no magnitude of 2^-112 or more counts as zero. One with an
// infinity or a NaN has scale NaN and q zero, so that the whole output is NaN. A row's records end with a line of 64 zeros
// where that makes the number of lines odd, so that rows do not fall on the same cache sets. Every tier writes the
// same bytes.

const (
	intSuper = 256 // elements of a superblock

	actTiny = 0x1p-112
	actNaN  = 0x7fc00000 // bits
)

// intAct is a layout of records.
type intAct struct {
	size      int                                       // bytes
	scale     int                                       // where the float32 scales are
	scaled    int                                       // elements under one scale
	record    func(rec []byte, x []float32, offset int) // writes one record, zero before; x may be short
	quantizer *[tierCount]quantizeFunc                  // nil entries: record
}

// quantizeFunc prepares superblocks of 256 activations as records, one after another from dst on.
type quantizeFunc func(x *float32, supers int, dst *byte, offset int)

// rowBytes is the size of k prepared activations.
func (l *intAct) rowBytes(k int) int {
	lines := roundUp(k, intSuper) / intSuper * l.size / 64
	return (lines | 1) * 64
}

// prepare converts the row x to dst, l.rowBytes(len(x)) bytes. The kernels' weights are larger by offset.
func (l *intAct) prepare(dst []byte, x []float32, offset int) {
	sameLength("Prepare, in bytes", l.rowBytes(len(x)), len(dst))
	q := l.quantizer[active]
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

// scaleOf is the scale of element i of a record.
func (l *intAct) scaleOf(rec []byte, i int) float32 { return floatAt(rec[l.scale+i/l.scaled*4:]) }

func floatAt(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }

func putFloat(b []byte, v float32) { binary.LittleEndian.PutUint32(b, math.Float32bits(v)) }

// peakOf is the largest |x|; as integers, infinity and NaN come last.
func peakOf(x []float32) float32 {
	var top uint32
	for _, v := range x {
		top = max(top, math.Float32bits(v)&^(1<<31))
	}
	return math.Float32frombits(top)
}

// quantizeInt8 writes x*inv to nearest even.
func quantizeInt8(q []byte, x []float32, inv float32) {
	for i, v := range x {
		q[i] = byte(int8(math.RoundToEven(float64(v * inv))))
	}
}
