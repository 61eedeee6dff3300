package quant

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// blockTypes are the types with blocks that can be written.
func blockTypes() (types []Type) {
	for _, t := range Types() {
		if t.CanEncode() && t.BlockSize() > 1 {
			types = append(types, t)
		}
	}
	return types
}

// encoded encodes x and decodes it.
func encoded(t *testing.T, typ Type, x, importance []float32) []float32 {
	t.Helper()
	dst, back := make([]byte, typ.RowBytes(len(x))), make([]float32, len(x))
	if err := EncodeWeighted(typ, dst, x, importance); err != nil {
		t.Fatal(err)
	}
	Decode(typ, back, dst)
	return back
}

func filled(n int, v float32) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = v
	}
	return x
}

// errorOf is the RMS of the difference over that of x.
func errorOf(x, y []float32) float64 {
	var e2, x2 float64
	for i := range x {
		e2, x2 = e2+float64(y[i]-x[i])*float64(y[i]-x[i]), x2+float64(x[i])*float64(x[i])
	}
	return math.Sqrt(e2 / x2)
}

// usualError is the relative RMS error of each type on normal numbers, with importance all equal and without. It was
// taken from this package when TestEncodingQuality held; a type that gets worse by a fiftieth has lost something.
var usualError = map[Type]float64{
	Q8_0: 0.00551, Q6_K: 0.0186, Q5_K: 0.0364, Q5_1: 0.0335, Q5_0: 0.0404, Q4_K: 0.0735, IQ4_XS: 0.0776, IQ4_NL: 0.0772,
	Q4_1: 0.0692, Q4_0: 0.0815, MXFP4: 0.1155, NVFP4: 0.1026, IQ3_S: 0.135, Q3_K: 0.152, IQ3_XXS: 0.1787, Q2_K: 0.289, IQ2_S: 0.264,
	IQ2_XS: 0.287, IQ2_XXS: 0.334, Q2_0: 0.347, IQ1_M: 0.431, IQ1_S: 0.469, TQ1_0: 0.442, TQ2_0: 0.442, Q1_0: 0.603,
}

func TestUsualError(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	x := make([]float32, 64*superSize)
	for i := range x {
		x[i] = float32(rng.NormFloat64() * 0.02)
	}
	for _, typ := range blockTypes() {
		got := errorOf(x, encoded(t, typ, x, filled(superSize, 1)))
		if want := usualError[typ]; !(got < 1.02*want && got > 0.9*want) {
			t.Errorf("%s: error %.4f, want about %.4f", typ, got, want)
		}
		if typ.NeedsImportance() {
			continue
		}
		if alone := errorOf(x, encoded(t, typ, x, nil)); alone > 1.2*got {
			t.Errorf("%s: error %.4f without importance, %.4f with", typ, alone, got)
		}
	}
}

// TestImportanceCounts wants a column that matters a thousand times more than others to be closer to the truth.
func TestImportanceCounts(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	importance := filled(superSize, 1)
	x := make([]float32, 256*superSize)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	importance[37] = 1000
	for _, typ := range blockTypes() {
		switch typ {
		case Q8_0, Q1_0, Q2_0, TQ1_0, TQ2_0, MXFP4, NVFP4:
			continue // do not look at it
		}
		even, uneven := encoded(t, typ, x, filled(superSize, 1)), encoded(t, typ, x, importance)
		var before, after float64
		for i := 37; i < len(x); i += superSize {
			before += float64(even[i]-x[i]) * float64(even[i]-x[i])
			after += float64(uneven[i]-x[i]) * float64(uneven[i]-x[i])
		}
		if after > 0.9*before {
			t.Errorf("%s: the column's error is %.4g with importance, %.4g without", typ, after, before)
		}
	}
}

// TestOddRows encodes what is rare in models, and wants numbers that are finite and near.
func TestOddRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 26))
	noise := make([]float32, superSize)
	for i := range noise {
		noise[i] = float32(rng.NormFloat64())
	}
	one := make([]float32, superSize)
	one[100] = 3
	half := append(filled(superSize/2, 0), noise[:superSize/2]...)
	for _, row := range []struct {
		name string
		x    []float32
		near float64 // largest error in units of the largest magnitude
	}{
		{"zeros", filled(superSize, 0), 0}, {"minus zeros", filled(superSize, float32(math.Copysign(0, -1))), 0},
		{"ones", filled(superSize, 1), 0.15}, {"minus ones", filled(superSize, -1), 0.15}, {"one alone", one, 1}, {"half zeros", half, 1},
		{"subnormal", filled(superSize, 1e-42), math.Inf(1)}, {"tiny", scaled(noise, 1e-12), math.Inf(1)}, {"small", scaled(noise, 1e-6), math.Inf(1)},
		{"large", scaled(noise, 1e4), 1.2},
	} {
		for _, typ := range blockTypes() {
			for _, importance := range [][]float32{nil, filled(superSize, 1), filled(superSize, 0), scaled(noise, 0), filled(superSize, 1e10), filled(superSize, 1e-12)} {
				if importance == nil && typ.NeedsImportance() {
					continue
				}
				near := row.near
				if near > 0 && strings.HasPrefix(typ.String(), "iq") {
					near = max(near, 0.75) // no codebook has all vectors
				}
				checkNear(t, fmt.Sprintf("%s, %s", row.name, typ), row.x, encoded(t, typ, row.x, absolute(importance)), near)
			}
		}
	}
}

func checkNear(t *testing.T, what string, x, y []float32, near float64) {
	t.Helper()
	most := float64(magnitude(farthest(x)))
	for i, v := range y {
		if diff := math.Abs(float64(v - x[i])); !(diff <= near*most || math.IsInf(near, 1) && diff < 1) {
			t.Errorf("%s: element %d is %g, comes back as %g", what, i, x[i], v)
			return
		}
	}
}

func scaled(x []float32, s float32) []float32 {
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = v * s
	}
	return y
}

func absolute(x []float32) []float32 {
	for i, v := range x {
		x[i] = magnitude(v)
	}
	return x
}

// TestRefusals: what cannot be encoded is told, with its place.
func TestRefusals(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	for _, c := range []struct {
		name string
		x, w float32
		want string
	}{
		{"NaN", nan, 1, "element 300 is NaN"}, {"infinity", inf, 1, "element 300 is -Inf"}, {"too large", 2e9, 1, "element 300 is 2e+09"},
		{"importance NaN", 1, nan, "importance of column 44 is NaN"}, {"importance infinite", 1, -inf, "importance of column 44 is +Inf"},
		{"importance negative", 1, -1, "importance of column 44 is -1"},
	} {
		x, importance := filled(2*superSize, 0.5), filled(superSize, 1)
		x[300], importance[44] = c.x, c.w
		for _, typ := range blockTypes() {
			err := EncodeWeighted(typ, make([]byte, typ.RowBytes(len(x))), x, importance)
			if typ == Q8_0 {
				continue // keeps the fault visible instead
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), typ.String()) && c.w == 1 {
				t.Errorf("%s, %s: error %v, want %q", c.name, typ, err, c.want)
			}
		}
	}
	for _, typ := range blockTypes() { // a scale that f16 cannot hold
		x := filled(superSize, 9e8)
		err := EncodeWeighted(typ, make([]byte, typ.RowBytes(len(x))), x, filled(superSize, 1))
		if fits := typ == MXFP4 || typ == NVFP4 || typ == Q8_0; (err == nil) != fits {
			t.Errorf("%s of 9e8: %v", typ, err)
		}
	}
	mustPanic(t, "are not rows of 100 importances", func() { _ = EncodeWeighted(Q4_0, make([]byte, 18), make([]float32, 32), filled(100, 1)) })
}

// TestRowsAreIndependent encodes rows at once and one by one.
func TestRowsAreIndependent(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 28))
	const rows, n = 3, 2 * superSize
	x, importance := make([]float32, rows*n), make([]float32, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	for i := range importance {
		importance[i] = float32(rng.ExpFloat64())
	}
	for _, typ := range blockTypes() {
		size := typ.RowBytes(n)
		whole, one := make([]byte, rows*size), make([]byte, size)
		if err := EncodeWeighted(typ, whole, x, importance); err != nil {
			t.Fatal(err)
		}
		for r := range rows {
			if err := EncodeWeighted(typ, one, x[r*n:(r+1)*n], importance); err != nil {
				t.Fatal(err)
			}
			if string(one) != string(whole[r*size:(r+1)*size]) {
				t.Errorf("%s: row %d differs alone", typ, r)
			}
		}
	}
}

// TestTernaryIsExact: models that are ternary already lose nothing but what f16 takes from the scale.
func TestTernaryIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(29, 30))
	x := make([]float32, 16*superSize)
	for i := range x {
		x[i] = 0.03125 * float32(rng.IntN(3)-1)
	}
	for _, typ := range []Type{TQ1_0, TQ2_0, Q2_0} {
		for i, v := range encoded(t, typ, x, nil) {
			if v != x[i] {
				t.Fatalf("%s: element %d is %g, comes back as %g", typ, i, x[i], v)
			}
		}
	}
}
