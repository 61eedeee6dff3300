package kernel

import (
	"fmt"
	"math"
	"testing"

	"github.com/llamakit/llamakit/formats/quant"
)

// floatTypes are the types multiplied in float32, the last one by way of decoding.
var floatTypes = []quant.Type{quant.F32, quant.F16, quant.BF16, quant.Q8_1}

// product is a matrix product with its operands: y[m][n] = w[n][k] . x[m][k]. For BF16 weights x are numbers that BF16 has, too, so
// that all tiers multiply the same.
type product struct {
	typ     quant.Type
	m, n, k int
	x       []float32
	w       []byte
	wf      []float32 // w as float32
}

func newProduct(t testing.TB, r random, typ quant.Type, m, n, k int) product {
	p := product{typ: typ, m: m, n: n, k: k, x: r.normal(m * k), wf: make([]float32, n*k)}
	p.w = encodeRows(t, r, typ, n, k)
	quant.Decode(typ, p.wf, p.w)
	if typ == quant.BF16 {
		roundBF16(p.x)
	}
	return p
}

// encodeRows returns random weights; types that quant cannot encode get random bytes between zero scales' and usual ones.
func encodeRows(t testing.TB, r random, typ quant.Type, n, k int) []byte {
	w := make([]byte, typ.RowBytes(n*k))
	if typ == quant.Q8_1 {
		fillQ8_1(r, w)
		return w
	}
	if err := quant.Encode(typ, w, r.normal(n*k)); err != nil {
		t.Fatal(err)
	}
	return w
}

// fillQ8_1 makes blocks of a half-precision scale, a sum that decoding ignores, and 32 signed bytes.
func fillQ8_1(r random, w []byte) {
	for b := 0; b < len(w); b += 36 {
		StoreF16(w[b:b+2], []float32{float32(r.NormFloat64()) / 64})
		for i := b + 4; i < b+36; i++ {
			w[i] = byte(r.Uint32())
		}
	}
}

// run multiplies the activation rows [i0,i1) with the weight rows [j0,j1), writing between guards.
func (p product) run(t testing.TB, i0, i1, j0, j1 int) []float32 {
	mm := MatMulFor(p.typ)
	size, m, n := mm.ActBytes(p.k), i1-i0, j1-j0
	acts := make([]byte, m*size)
	for i := range m {
		mm.Prepare(acts[i*size:][:size], p.x[(i0+i)*p.k:][:p.k])
	}
	y := newGuarded(make([]float32, max(0, m*n)), float32(math.NaN()))
	row := p.typ.RowBytes(p.k)
	mm.Rows(y.data, n, p.w[j0*row:j1*row], acts, m, p.k)
	if t, ok := t.(*testing.T); ok {
		y.check(t)
	}
	return y.data
}

// verify compares all of y with float64 sums; the bound scales with the sum of |x w|.
func (p product) verify(t *testing.T, y []float32) {
	t.Helper()
	for i := range p.m {
		for j := range p.n {
			var sum, abs float64
			for c := range p.k {
				v := float64(p.x[i*p.k+c]) * float64(p.wf[j*p.k+c])
				sum, abs = sum+v, abs+math.Abs(v)
			}
			if d := math.Abs(float64(y[i*p.n+j]) - sum); !(d <= 1e-6*abs) {
				t.Fatalf("%v m=%d n=%d k=%d: y[%d][%d] = %g, want %g (off by %.2g of the sum of magnitudes)",
					p.typ, p.m, p.n, p.k, i, j, y[i*p.n+j], sum, d/abs)
			}
		}
	}
}

func TestFloatMatMul(t *testing.T) {
	shapes := []struct{ m, n, k int }{
		{1, 1, 1}, {1, 5, 7}, {2, 4, 16}, {3, 3, 17}, {4, 9, 33}, {5, 66, 64}, {6, 7, 80}, {7, 130, 96}, {13, 65, 72},
		{1, 8, 1024}, {2, 6, 1040}, {8, 5, 1056}, {1, 3, 2049}, {100, 4, 1055}, {3, 5, 3072}, {7, 9, 3072},
	}
	eachTier(t, func(t *testing.T) {
		r := newRandom(1)
		for _, typ := range floatTypes {
			for _, s := range shapes {
				if s.k%typ.BlockSize() == 0 {
					p := newProduct(t, r, typ, s.m, s.n, s.k)
					p.verify(t, p.run(t, 0, p.m, 0, p.n))
				}
			}
		}
	})
}

// TestFloatMatMulInvariance requires every output to have the same bits however the product is cut.
func TestFloatMatMulInvariance(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		r := newRandom(2)
		for _, typ := range floatTypes {
			for _, k := range []int{64, 96, 1056, 2080} {
				t.Run(fmt.Sprintf("type=%v/k=%d", typ, k), func(t *testing.T) {
					p := newProduct(t, r, typ, 70, 71, k)
					whole := p.run(t, 0, p.m, 0, p.n)
					for m := 1; m <= 14; m++ {
						p.requireSame(t, whole, p.m-m, p.m, 0, p.n)
					}
					for n := 1; n <= 9; n++ {
						p.requireSame(t, whole, 0, 1, p.n-n, p.n)
						p.requireSame(t, whole, 3, 11, n, 2*n)
					}
				})
			}
		}
	})
}

func (p product) requireSame(t *testing.T, whole []float32, i0, i1, j0, j1 int) {
	t.Helper()
	part := p.run(t, i0, i1, j0, j1)
	for i := i0; i < i1; i++ {
		for j := j0; j < j1; j++ {
			if got, want := part[(i-i0)*(j1-j0)+j-j0], whole[i*p.n+j]; !same(got, want) {
				t.Fatalf("rows %d-%d by %d-%d: y[%d][%d] = %g, in the whole product %g", i0, i1, j0, j1, i, j, got, want)
			}
		}
	}
}

// TestFloatMatMulOddLength has rows whose length no vector width divides, so that the tail rule is cut too.
func TestFloatMatMulOddLength(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		r := newRandom(3)
		for _, typ := range floatTypes[:3] {
			for k := 1; k <= 130; k++ {
				p := newProduct(t, r, typ, 8, 5, k)
				whole := p.run(t, 0, p.m, 0, p.n)
				p.verify(t, whole)
				p.requireSame(t, whole, 2, 3, 0, p.n)
			}
		}
	})
}

// TestFloatMatMulSpecial puts NaN and infinities among the weights: they reach the outputs of their rows and no others.
func TestFloatMatMulSpecial(t *testing.T) {
	inf := float32(math.Inf(1))
	eachTier(t, func(t *testing.T) {
		for _, typ := range floatTypes[:3] {
			for _, s := range [][2]int{{1, 40}, {9, 40}, {1, 64}, {9, 64}} {
				m, k := s[0], s[1]
				p := newProduct(t, newRandom(4), typ, m, 6, k)
				p.wf[0*k+39], p.wf[2*k], p.wf[5*k+17] = inf, float32(math.NaN()), -inf
				if err := quant.Encode(typ, p.w, p.wf); err != nil {
					t.Fatal(err)
				}
				for i, v := range p.run(t, 0, m, 0, p.n) {
					j, finite := i%p.n, !math.IsInf(float64(v), 0) && v == v
					if special := j == 0 || j == 2 || j == 5; finite == special {
						t.Errorf("%v m=%d k=%d: y[%d][%d] = %v", typ, m, k, i/p.n, j, v)
					}
				}
			}
		}
	})
}

func TestMatMulRefusesWrongSizes(t *testing.T) {
	refuses := func(name string, f func()) {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("accepted")
				}
			}()
			f()
		})
	}
	refuses("type", func() { MatMulFor(quant.Type(9999)) })
	for _, typ := range []quant.Type{quant.F16, quant.BF16} {
		mm := MatMulFor(typ)
		acts := make([]byte, mm.ActBytes(32))
		for name, f := range map[string]func(){
			"weights":     func() { mm.Rows(make([]float32, 2), 2, make([]byte, 127), acts, 1, 32) },
			"outputs":     func() { mm.Rows(make([]float32, 1), 2, make([]byte, 128), acts, 1, 32) },
			"activations": func() { mm.Rows(make([]float32, 4), 2, make([]byte, 128), acts, 2, 32) },
			"stride":      func() { mm.Rows(make([]float32, 4), 1, make([]byte, 128), append(acts, acts...), 2, 32) },
			"prepare":     func() { mm.Prepare(acts[:len(acts)-1], make([]float32, 32)) },
		} {
			refuses(fmt.Sprintf("%v/%s", typ, name), f)
		}
	}
}

// TestMatMulForEveryType runs a small product of every type of ggml that can hold weights.
func TestMatMulForEveryType(t *testing.T) {
	for typ := quant.Type(0); typ < 64; typ++ {
		if !typ.Valid() {
			continue
		}
		k := max(typ.BlockSize(), 32)
		mm := MatMulFor(typ)
		acts := make([]byte, mm.ActBytes(k))
		mm.Prepare(acts, make([]float32, k))
		y := []float32{1, 1}
		mm.Rows(y, 2, make([]byte, 2*typ.RowBytes(k)), acts, 1, k)
		if y[0] != 0 || y[1] != 0 {
			t.Errorf("%v: zero weights times zero activations = %v", typ, y)
		}
	}
}
