package kernel

import (
	"math"
	"slices"
	"testing"

	"github.com/llamakit/llamakit/formats/quant"
)

// fixedTier skips the test where the tier has no products in fixed point.
func fixedTier(t testing.TB) { useTier(t, AVX512) }

func TestFixRow(t *testing.T) {
	fixedTier(t)
	r := newRandom(41)
	for n := FixedWidth; n <= 640; n += FixedWidth {
		x := r.normal(n)
		scaleGeneric(x, x, float32(math.Ldexp(1, r.IntN(250)-125)))
		switch n % (5 * FixedWidth) {
		case 0:
			x[r.IntN(n)] = float32(math.NaN())
		case FixedWidth:
			x[r.IntN(n)] = float32(math.Inf(-1))
		case 2 * FixedWidth:
			clear(x)
		}
		got, want := make([]int16, n), make([]int16, n)
		scale, wantScale := FixRow(got, x), fixRowGeneric(want, x)
		if !same(scale, wantScale) {
			t.Fatalf("%d elements: scale %g, want %g", n, scale, wantScale)
		}
		for i := range want {
			if scale == scale && got[i] != want[i] {
				t.Fatalf("%d elements: [%d] = %d, want %d of %g by %g", n, i, got[i], want[i], x[i], scale)
			}
			if off := math.Abs(float64(got[i])*float64(scale) - float64(x[i])); off > float64(scale)/2 {
				t.Fatalf("%d elements: [%d] is %g off, by units of %g", n, i, off, scale)
			}
		}
	}
}

// TestFixWeights compares with the generic body: integers may differ where exponentials do.
func TestFixWeights(t *testing.T) {
	fixedTier(t)
	r := newRandom(46)
	inf, nan := float32(math.Inf(-1)), float32(math.NaN())
	for n := FixedWidth; n <= 640; n += FixedWidth {
		x, by := r.normal(n), r.normal(n)
		for i := range x {
			if by[i] = float32(math.Abs(float64(by[i]))); r.IntN(4) == 0 {
				x[i], by[i] = inf, nan
			}
		}
		got, want := make([]int16, n), make([]int16, n)
		y := slices.Clone(x)
		sum, scale := FixWeights(got, x, by, 2.5)
		wantSum, wantScale := fixWeightsGeneric(want, y, by, 2.5)
		if !closeTo(sum, float64(wantSum), float64(wantSum), 1e-6) || scale != wantScale {
			t.Fatalf("%d elements: sum %g and scale %g, want %g and %g", n, sum, scale, wantSum, wantScale)
		}
		for i := range want {
			if d := int(got[i]) - int(want[i]); d < -1 || d > 1 {
				t.Fatalf("%d elements: [%d] = %d, want %d", n, i, got[i], want[i])
			}
		}
		x[n/2], by[n/2] = 1, nan
		if _, scale := FixWeights(got, x, by, 2.5); scale == scale {
			t.Errorf("%d elements, one NaN: scale %g", n, scale)
		}
		x[n/2], by[n/2] = 1, float32(math.Copysign(math.NaN(), -1))
		if _, scale := FixWeights(got, x, by, 2.5); scale == scale {
			t.Errorf("%d elements, one negative NaN: scale %g", n, scale)
		}
		x[0] = inf
		if sum, _ := FixWeights(got[:FixedWidth], x[:FixedWidth], by[:FixedWidth], inf); sum != 0 {
			t.Errorf("nothing seen: sum %g", sum)
		}
	}
}

func TestScaleScores(t *testing.T) {
	fixedTier(t)
	r := newRandom(47)
	for n := range 150 {
		x, scales := guardFloats(r.normal(n)), r.normal(n)
		if n%5 == 4 {
			x.data[n/2] = float32(math.NaN())
		}
		want := slices.Clone(x.data)
		top, wantTop := ScaleScores(x.data, scales, 0.3), scaleScoresGeneric(want, scales, 0.3)
		if top != wantTop {
			t.Errorf("%d scores: the largest is %g, want %g", n, top, wantTop)
		}
		for i := range want {
			if !same(x.data[i], want[i]) {
				t.Errorf("%d scores: [%d] = %g, want %g", n, i, x.data[i], want[i])
			}
		}
		x.check(t)
	}
}

// TestFixedPanels puts rows into panels, as columns and as elements, and takes them out.
func TestFixedPanels(t *testing.T) {
	fixedTier(t)
	r := newRandom(42)
	for _, dim := range []int{32, 64, 96, 128, 576} {
		columns, elements := make([]int16, dim*FixedWidth), make([]int16, dim*FixedWidth)
		rows := r.fixed(FixedWidth * dim)
		for i := range FixedWidth {
			PutColumn(columns, i, rows[i*dim:(i+1)*dim])
			PutElement(elements, i, rows[i*dim:(i+1)*dim])
		}
		got, generic := make([]int16, dim), make([]int16, len(elements))
		for i := range FixedWidth {
			putElementGeneric(generic, i, rows[i*dim:(i+1)*dim])
		}
		if !slices.Equal(elements, generic) {
			t.Errorf("panels of %d columns differ from the generic body's", dim)
		}
		for i := range FixedWidth {
			if GetColumn(got, columns, i); !slices.Equal(got, rows[i*dim:(i+1)*dim]) {
				t.Errorf("column %d of %d differs", i, dim)
			}
			if GetElement(got, elements, i); !slices.Equal(got, rows[i*dim:(i+1)*dim]) {
				t.Errorf("element %d of %d differs", i, dim)
			}
		}
	}
}

// TestFixedAttention multiplies rows with columns and with elements as numbers are multiplied.
func TestFixedAttention(t *testing.T) {
	fixedTier(t)
	r := newRandom(45)
	const dim, m = 64, 3
	rows, a := r.fixed(FixedWidth*dim), make([]int16, m*dim)
	for i := range a {
		a[i] = int16(r.IntN(64))
	}
	columns, elements := make([]int16, dim*FixedWidth), make([]int16, dim*FixedWidth)
	for i := range FixedWidth {
		PutColumn(columns, i, rows[i*dim:(i+1)*dim])
		PutElement(elements, i, rows[i*dim:(i+1)*dim])
	}
	scores, sums := make([]float32, m*FixedWidth), make([]float32, m*dim)
	MulFixed(scores, FixedWidth, a, dim, [][]int16{columns}, nil, m, dim, FixedWidth, nil)
	MulFixed(sums, dim, a, dim, [][]int16{elements}, nil, m, FixedWidth, dim, nil)
	for i := range m {
		for c := range FixedWidth {
			var want float64
			for j := range dim {
				want += float64(a[i*dim+j]) * float64(rows[c*dim+j])
			}
			if !closeTo(scores[i*FixedWidth+c], want, 1<<26, 1e-7) {
				t.Errorf("score [%d][%d] = %g, want %g", i, c, scores[i*FixedWidth+c], want)
			}
		}
		for c := range dim {
			var want float64
			for j := range FixedWidth {
				want += float64(a[i*dim+j]) * float64(rows[j*dim+c])
			}
			if !closeTo(sums[i*dim+c], want, 1<<26, 1e-7) {
				t.Errorf("sum [%d][%d] = %g, want %g", i, c, sums[i*dim+c], want)
			}
		}
	}
}

// TestMulFixed compares all shapes of tiles with the generic body.
func TestMulFixed(t *testing.T) {
	fixedTier(t)
	r := newRandom(43)
	for m := 1; m <= 20; m++ {
		for _, k := range []int{8, 32, 72, 128} {
			count, columns := 1+m%4, FixedWidth*(1+m%3)
			var panels [][]int16
			for range count {
				panels = append(panels, r.fixed(k*columns))
			}
			lda, ldy := k*count+8, columns+3
			a, scales := r.fixed(m*lda), r.normal(m)
			got, want := guardFloats(r.normal(m*ldy-3)), make([]float32, m*ldy-3)
			copy(want, got.data)
			for _, by := range [][]float32{nil, scales} {
				MulFixed(got.data, ldy, a, lda, panels, nil, m, k, columns, by)
				mulFixedGeneric(want, ldy, a, lda, panels, nil, m, k, columns, by)
				for i, v := range got.data {
					if !closeTo(v, float64(want[i]), math.Abs(float64(want[i])), 1e-7) || by == nil && v != want[i] {
						t.Fatalf("%d rows of %d times %d: [%d] = %g, want %g", m, count, k, i, v, want[i])
					}
				}
			}
			got.check(t)
		}
	}
}

// fixed returns n integers, many of the largest size.
func (r random) fixed(n int) []int16 {
	x := make([]int16, n)
	if most := int16(1 << fixedBits); r.IntN(4) == 0 { // sums as large as they can be
		for i := range x {
			x[i] = most
		}
		return x
	}
	for i := range x {
		if x[i] = int16(r.IntN(2<<fixedBits+1) - 1<<fixedBits); r.IntN(3) == 0 {
			x[i] = 1<<fixedBits - 8
		}
	}
	return x
}

// TestFixedMost: rows whose elements all round up to 2^14 have the product that they should.
func TestFixedMost(t *testing.T) {
	fixedTier(t)
	x, fixed, panel := make([]float32, FixedWidth), make([]int16, FixedWidth), make([]int16, FixedWidth*FixedWidth)
	for i := range x {
		x[i] = math.Nextafter32(2, 0)
	}
	scale, score := FixRow(fixed, x), make([]float32, FixedWidth)
	PutColumn(panel, 3, fixed)
	MulFixed(score, FixedWidth, fixed, FixedWidth, [][]int16{panel}, nil, 1, FixedWidth, FixedWidth, nil)
	if got := score[3] * scale * scale; got != 4*FixedWidth {
		t.Errorf("%d times 2 times 2 is %g", FixedWidth, got)
	}
}

// TestFixedError requires scores of rows in fixed point to be no further from exact than those of half precision.
func TestFixedError(t *testing.T) {
	fixedTier(t)
	r := newRandom(44)
	const dim = 128
	var own, half float64
	for range 300 {
		x, y := r.normal(dim), r.normal(dim)
		fixed := [2][]int16{make([]int16, dim), make([]int16, dim)}
		scale := FixRow(fixed[0], x) * FixRow(fixed[1], y)
		panel, score := make([]int16, FixedWidth*dim), make([]float32, FixedWidth)
		PutColumn(panel, 5, fixed[1])
		MulFixed(score, FixedWidth, fixed[0], dim, [][]int16{panel}, nil, 1, dim, FixedWidth, nil)
		var exact, rounded float64
		for j := range dim {
			exact += float64(x[j]) * float64(y[j])
			rounded += float64(quant.F16ToF32(quant.F32ToF16(x[j]))) * float64(quant.F16ToF32(quant.F32ToF16(y[j])))
		}
		own += math.Pow(float64(score[5]*scale)-exact, 2)
		half += math.Pow(rounded-exact, 2)
	}
	if own > half {
		t.Errorf("mean square error %g, with half precision %g", own, half)
	}
	t.Logf("error %.2f of that with half precision", math.Sqrt(own/half))
}
