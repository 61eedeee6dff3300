package kernel

import (
	"slices"
	"testing"

	"github.com/llamakit/llamakit/formats/quant"
)

// FuzzMatMul cuts products of any shape in two and wants the same bits, and the generic body's numbers.
func FuzzMatMul(f *testing.F) {
	for _, s := range [][4]uint16{{1, 1, 1, 0}, {7, 5, 33, 1}, {70, 66, 100, 2}, {3, 9, 2050, 1}, {13, 4, 1024, 0}, {17, 35, 127, 1}, {35, 30, 63, 0}, {12, 8, 511, 1}} {
		f.Add(s[0], s[1], s[2], uint8(s[3]), uint64(1))
	}
	f.Fuzz(func(t *testing.T, m, n, k uint16, typ uint8, seed uint64) {
		M, N, K := 1+int(m)%100, 1+int(n)%140, 1+int(k)%2200
		eachTier(t, func(t *testing.T) {
			r := newRandom(seed)
			p := newProduct(t, r, floatTypes[typ%3], M, N, K)
			whole := p.run(t, 0, M, 0, N)
			p.verify(t, whole)
			i, j := r.IntN(M), r.IntN(N)
			p.requireSame(t, whole, i, M, j, N)
			p.requireSame(t, whole, 0, i+1, 0, j+1)
		})
	})
}

// FuzzAccumulate cuts weighted sums of any shape and wants the same bits.
func FuzzAccumulate(f *testing.F) {
	f.Add(uint8(1), uint8(32), uint16(128), uint8(1), uint64(1))
	f.Add(uint8(7), uint8(5), uint16(77), uint8(0), uint64(2))
	f.Fuzz(func(t *testing.T, m, n uint8, d uint16, typ uint8, seed uint64) {
		M, N, D := 1+int(m)%20, 1+int(n)%70, 1+int(d)%600
		eachTier(t, func(t *testing.T) {
			r := newRandom(seed)
			s := newWeightedSum(t, r, sumTypes[int(typ)%len(sumTypes)], M, N, D)
			whole := s.run(t, 0, M, N)
			s.verify(t, whole)
			i := r.IntN(M)
			for c, got := range s.run(t, i, i+1, 1+r.IntN(N)) {
				if want := whole[i*D+c]; !same(got, want) {
					t.Fatalf("m=%d n=%d d=%d: row %d [%d] = %g, in the whole %g", M, N, D, i, c, got, want)
				}
			}
		})
	})
}

// FuzzRowOps feeds arbitrary bits to the operations on rows: they agree with float64, and write nowhere else.
func FuzzRowOps(f *testing.F) {
	f.Add([]byte{0, 0, 0x80, 0x7f, 0, 0, 0x80, 0xff, 0, 0, 0xc0, 0x7f, 1, 0, 0, 0, 0, 0, 0xb0, 0x42})
	f.Fuzz(func(t *testing.T, data []byte) {
		n := min(len(data)/4, 200)
		x, y := guardFloats(make([]float32, n)), guardFloats(newRandom(15).normal(n))
		quant.Decode(quant.F32, x.data, data[:4*n])
		want := make([]float32, n)
		for _, op := range rowOps {
			runOn(t, Generic, func() { op.run(want, x.data, y.data) })
			for tier := AVX2; tier < tierCount; tier++ {
				dst := guardFloats(make([]float32, n))
				if runOn(t, tier, func() { op.run(dst.data, x.data, y.data) }) {
					dst.check(t)
					op.compare(t, tier, dst.data, want, x.data)
				}
			}
		}
	})
}

// runOn runs f on a tier, and reports whether the machine has it.
func runOn(t *testing.T, tier Tier, f func()) bool {
	restore, ok := Use(tier)
	if ok {
		f()
	}
	restore()
	return ok
}

// compare allows twice the bound of the operation, as both sides are rounded.
func (op rowOp) compare(t *testing.T, tier Tier, got, want, x []float32) {
	t.Helper()
	op.ulps, op.steep = 2*op.ulps+1, 2*op.steep
	for i, v := range want {
		if !op.near(got[i], float64(v), float64(x[i])) {
			t.Fatalf("%s on %v: f(%g) = %g, generic %g", op.name, tier, x[i], got[i], v)
		}
	}
}

// FuzzFixed compares rows of arbitrary bits and products of any shape with the generic bodies.
func FuzzFixed(f *testing.F) {
	f.Add([]byte{0, 0, 0x80, 0x3f, 0, 0, 0xc0, 0x7f, 0, 0, 0x80, 0xff, 1, 0, 0, 0}, uint8(7), uint8(4), uint8(1), uint8(2), uint64(1))
	f.Add([]byte{0xff, 0xff, 0x7f, 0x7f, 0, 0, 0, 0x80}, uint8(70), uint8(16), uint8(4), uint8(1), uint64(2))
	f.Fuzz(func(t *testing.T, bits []byte, m, groups, count, blocks uint8, seed uint64) {
		fixedTier(t)
		r := newRandom(seed)
		x := make([]float32, FixedWidth*(1+len(bits)/(4*FixedWidth)))
		quant.Decode(quant.F32, x[:len(bits)/4], bits[:len(bits)/4*4])
		got, want := make([]int16, len(x)), make([]int16, len(x))
		scale, wantScale := FixRow(got, x), fixRowGeneric(want, x)
		if !same(scale, wantScale) || scale == scale && !slices.Equal(got, want) {
			t.Fatalf("row %v: scale %g, want %g; %v, want %v", x, scale, wantScale, got, want)
		}
		M, K, columns := 1+int(m)%70, fixedGroup*(1+int(groups)%16), FixedWidth*(1+int(blocks)%4)
		var panels [][]int16
		for range 1 + count%4 {
			panels = append(panels, r.fixed(K*columns))
		}
		a, lda, ldy := r.fixed(M*(K*len(panels)+8)), K*len(panels)+8, columns+r.IntN(5)
		y, wantY := guardFloats(make([]float32, (M-1)*ldy+columns)), make([]float32, (M-1)*ldy+columns)
		MulFixed(y.data, ldy, a, lda, panels, nil, M, K, columns, nil)
		mulFixedGeneric(wantY, ldy, a, lda, panels, nil, M, K, columns, nil)
		if !slices.Equal(y.data, wantY) {
			t.Fatalf("%d rows of %d times %d by %d: other numbers", M, len(panels), K, columns)
		}
		y.check(t)
		i := r.IntN(M) // one row alone
		one := make([]float32, columns)
		MulFixed(one, columns, a[i*lda:], lda, panels, nil, 1, K, columns, nil)
		if !slices.Equal(one, wantY[i*ldy:][:columns]) {
			t.Fatalf("row %d of %d: other bits alone", i, M)
		}
	})
}
