package kernel

import (
	"bytes"
	"fmt"
	"math"
	"testing"
)

var intLayouts = map[string]*intAct{
	"groups=32": &intAct32, "groups=16": &intAct16, "blocks": &intActBlocks, "halves": &intActHalves,
}

// actRows are rows of activations that reach every path of Prepare.
func actRows() map[string][]float32 {
	r := newRandom(1)
	rows := map[string][]float32{}
	for _, k := range []int{1, 31, 32, 255, 256, 257, 512, 896, 1024, 4096 + 32} {
		rows[fmt.Sprintf("normal/k=%d", k)] = r.normal(k)
	}
	for name, v := range map[string]float64{
		"NaN": math.NaN(), "inf": math.Inf(1), "-inf": math.Inf(-1), "largest": math.MaxFloat32, "denormal": 1e-42,
		"below tiny": actTiny * (1 - 1e-7), "tiny": actTiny, "zero": 0, "-zero": math.Copysign(0, -1), "-127": -127,
		"below huge": actHuge * (1 - 1e-7), "huge": actHuge,
	} {
		x := r.normal(768)
		x[300] = float32(v)
		rows["one "+name] = x
		x = make([]float32, 768)
		for i := range x {
			x[i] = float32(v)
		}
		rows["all "+name] = x
	}
	ties := make([]float32, 512) // halves round to even
	for i := range ties {
		ties[i] = float32(i%255) - 127 + 0.5
	}
	ties[0], ties[256] = 127, 127
	rows["ties"] = ties
	spread := make([]float32, 1024)
	for i := range spread {
		spread[i] = math.Float32frombits(r.Uint32())
	}
	rows["any bits"] = spread
	return rows
}

func TestIntPrepare(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		for layout, l := range intLayouts {
			for name, x := range actRows() {
				for _, offset := range []int{0, 8, 32, 128} {
					want := make([]byte, l.rowBytes(len(x)))
					l.prepareGeneric(want, x, offset)
					dst := guardBytes(bytes.Repeat([]byte{0xa5}, len(want)))
					in := guardFloats(x)
					l.prepare(dst.data, in.data, offset)
					dst.check(t)
					if i := firstDifference(dst.data, want); i >= 0 {
						t.Fatalf("%s, %s, offset %d: byte %d (%d of its record) is %#x, want %#x", layout, name, offset, i, i%l.size, dst.data[i], want[i])
					}
				}
			}
		}
	})
}

// The largest magnitude counts wherever it is, and so does a value that is not finite.
func TestIntPreparePeakAnywhere(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		for layout, l := range intLayouts {
			x := newRandom(2).normal(intSuper)
			for i := range x {
				for _, v := range []float32{50, float32(math.NaN())} {
					before := x[i]
					x[i] = v
					got, want := make([]byte, l.rowBytes(intSuper)), make([]byte, l.rowBytes(intSuper))
					l.prepare(got, x, 8)
					l.prepareGeneric(want, x, 8)
					x[i] = before
					if !bytes.Equal(got, want) {
						t.Fatalf("%s: %g at %d: scale %g, want %g", layout, v, i, l.scaleOf(got, i), l.scaleOf(want, i))
					}
				}
			}
		}
	})
}

func firstDifference(a, b []byte) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}

// The generic body against the definition of its fields.
func TestIntPrepareDefinition(t *testing.T) {
	for layout, l := range intLayouts {
		for name, x := range actRows() {
			dst := make([]byte, l.rowBytes(len(x)))
			l.prepareGeneric(dst, x, 32)
			for s := 0; s < len(x); s += intSuper {
				rec, part := dst[s/intSuper*l.size:][:l.size], x[s:min(len(x), s+intSuper)]
				for at := 0; at < len(part); at += l.scaled {
					l.checkDefinition(t, layout+", "+name, rec, part, at)
				}
			}
		}
	}
}

// checkDefinition checks the elements from at on that share a scale.
func (l *intAct) checkDefinition(t *testing.T, name string, rec []byte, x []float32, at int) {
	part := x[at:min(len(x), at+l.scaled)]
	var peak float64
	finite := true
	for _, v := range part {
		peak = max(peak, math.Abs(float64(v)))
		finite = finite && !math.IsNaN(float64(v)) && !math.IsInf(float64(v), 0)
	}
	finite = finite && (l.scaled == intSuper || peak < actHuge)
	scale := float64(l.scaleOf(rec, at))
	if !finite != math.IsNaN(scale) {
		t.Errorf("%s: scale %g", name, scale)
	}
	for i, v := range part {
		q := int8(rec[at+i])
		if q == -128 || finite && math.Abs(float64(q)*scale-float64(v)) > 0.5001*peak/127+actTiny {
			t.Errorf("%s: element %d is %g, stored as %d times %g", name, at+i, v, q, scale)
		}
	}
}

func BenchmarkIntPrepare(b *testing.B) {
	for layout, l := range intLayouts {
		for tier := Generic; tier < tierCount; tier++ {
			b.Run(fmt.Sprintf("%s/k=1024/tier=%v", layout, tier), func(b *testing.B) {
				useTier(b, tier)
				x := newRandom(1).normal(1024)
				dst := make([]byte, l.rowBytes(len(x)))
				b.SetBytes(4096)
				for b.Loop() {
					l.prepare(dst, x, 8)
				}
			})
		}
	}
}
