package kernel

import "math"

// intUnpacked is a superblock of weights taken apart. Each type says in its unpack which fields it fills, and how.
type intUnpacked struct {
	q     [intSuper]int8
	scale [16]int32   // of groups, integer
	min   [16]int32   // of groups, integer
	d     [16]float32 // of the superblock, or of blocks of 32 or 16
	m     [8]float32  // mins of blocks of 32
	dmin  float32
}

// rowsGeneric is the specification of intType.rows.
func (t *intType) rowsGeneric(y []float32, ldy int, w, acts []byte, m, n, k int) {
	scratch := intScratches.Get().(*intScratch)
	defer intScratches.Put(scratch)
	u := &scratch.u
	row, actRow := t.typ.RowBytes(k), t.act.rowBytes(k)
	for j := range n {
		for i := range m {
			y[i*ldy+j] = 0
		}
		rest := w[j*row:][:row]
		for s := range roundUp(k, intSuper) / intSuper {
			size := min(t.superBytes, len(rest))
			t.unpack(u, rest[:size])
			rest = rest[size:]
			for i := range m {
				rec := acts[i*actRow+s*t.act.size:][:t.act.size]
				out := &y[i*ldy+j]
				*out = t.add(u, rec, *out)
			}
		}
	}
}

// scaled makes the add of a type that has one scale of activations a superblock.
func scaled(l *intAct, dot func(u *intUnpacked, acts []byte) float32) func(u *intUnpacked, rec []byte, y float32) float32 {
	return func(u *intUnpacked, rec []byte, y float32) float32 {
		return fma32(l.scaleOf(rec, 0), dot(u, rec[:intSuper]), y)
	}
}

// dotInt8 is the sum of products of weights and activations, int8 in their two's complement.
func dotInt8(w []int8, acts []byte) int32 {
	var s int32
	acts = acts[:len(w)]
	for i, v := range w {
		s += int32(v) * int32(int8(acts[i]))
	}
	return s
}

// sumInt8 is the sum of activations.
func sumInt8(acts []byte) int32 {
	var s int32
	for _, v := range acts {
		s += int32(int8(v))
	}
	return s
}

// fma32 is a*b+c with one rounding, to nearest even, as the processors' instruction for it. The product is exact in
// float64; its sum with c is rounded to odd there (truncated, and the last bit set if anything was cut off), after which
// rounding to float32, 29 bits shorter, is as good as rounding the exact sum.
func fma32(a, b, c float32) float32 {
	p, c64 := float64(a)*float64(b), float64(c)
	s := p + c64
	if math.IsInf(s, 0) || math.IsNaN(s) {
		return float32(s)
	}
	t := s - p
	e := (p - (s - t)) + (c64 - t) // s + e is exact
	if bits := math.Float64bits(s); e != 0 && bits&1 == 0 {
		if (e > 0) == (s > 0) {
			bits++
		} else {
			bits--
		}
		s = math.Float64frombits(bits)
	}
	return float32(s)
}
