package score

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/llamakit/llamakit/formats/logprobs"
)

func near(a, b, bound float64) bool { return math.Abs(a-b) <= bound*(1+math.Abs(b)) }

func TestRow(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		logits []float32
		token  int32
		want   float64 // probability; 0: an error
		top    int
	}{
		{[]float32{0, 0, 0, 0}, 2, 0.25, 0},
		{[]float32{0, float32(math.Log(3))}, 1, 0.75, 1},
		{[]float32{1000, 1000 + float32(math.Log(3)), -1000}, 0, 0.25, 1},
		{[]float32{-inf, 5, 5}, 1, 0.5, 1},
		{[]float32{-inf, 5, 5}, 0, 0, 1},
	} {
		r, err := NewRow(c.logits)
		if err != nil || r.Top != c.top {
			t.Errorf("%v: top %d (%v), want %d", c.logits, r.Top, err, c.top)
		}
		nll, err := r.NLL(c.token)
		if got := math.Exp(-nll); (err == nil) != (c.want > 0) || err == nil && !near(got, c.want, 1e-4) {
			t.Errorf("%v: probability of %d is %g (%v), want %g", c.logits, c.token, got, err, c.want)
		}
	}
	nan := float32(math.NaN())
	for _, bad := range [][]float32{{nan, 1}, {1, nan}, {1, inf}, {-inf, -inf}} {
		if _, err := NewRow(bad); !errors.Is(err, ErrNotFinite) {
			t.Errorf("%v: %v", bad, err)
		}
	}
}

func TestMean(t *testing.T) {
	var m Mean
	for _, x := range []float64{1, 2, 3, 6} {
		m.Add(x)
	}
	// E[x] = 3, E[x²] = 12.5: (12.5 - 9)/3
	if m.Value() != 3 || !near(m.Error(), math.Sqrt(3.5/3), 1e-12) {
		t.Errorf("mean %g ± %g", m.Value(), m.Error())
	}
	var p Pair
	for i := range 10 {
		p.Add(float64(i), 3-2*float64(i))
	}
	if !near(p.Correlation(), -1, 1e-12) || !near(p.Difference().Value, 9*1.5-3, 1e-12) || !near(p.Difference().Error, 3*p.X.Error(), 1e-12) {
		t.Errorf("correlation %g, difference %+v", p.Correlation(), p.Difference())
	}
}

func TestWilson(t *testing.T) {
	for _, c := range []struct {
		hits, n   int
		low, high float64
	}{{1, 1, 0.206543, 1}, {0, 1, 0, 0.793457}, {50, 100, 0.403832, 0.596168}} {
		if low, high := Wilson(c.hits, c.n); !near(low, c.low, 1e-5) || !near(high, c.high, 1e-5) {
			t.Errorf("%d of %d: %g to %g, want %g to %g", c.hits, c.n, low, high, c.low, c.high)
		}
	}
}

// TestDivergence compares with the definition in plain sums, and a model with itself.
func TestDivergence(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const vocab = 50
	var self, other Divergence
	want := 0.0
	for range 40 {
		base, model := make([]float32, vocab), make([]float32, vocab)
		for i := range base {
			base[i] = float32(2 * r.NormFloat64())
			model[i] = base[i] + float32(0.3*r.NormFloat64())
		}
		b, _ := NewRow(base)
		m, _ := NewRow(model)
		row := make(logprobs.Row, logprobs.RowBytes(vocab))
		row.Encode(base, base[b.Top], b.LogSum)
		next := int32(r.IntN(vocab))
		for i := range base {
			p := b.LogProb(int32(i))
			want += math.Exp(p) * (p - m.LogProb(int32(i))) / 40
		}
		for d, row2 := range map[*Divergence]Row{&self: b, &other: m} {
			p, err := NewPoint(row2, row, next)
			if err != nil {
				t.Fatal(err)
			}
			d.Add(p)
		}
	}
	if got := self.KLD().Value; math.Abs(got) > 1e-4 || self.SameTop().Value != 1 || !near(self.Correlation(), 1, 1e-6) || !near(self.Ratio().Value, 1, 1e-4) {
		t.Errorf("against itself: divergence %g, same top %+v, correlation %g, ratio %+v", got, self.SameTop(), self.Correlation(), self.Ratio())
	}
	if got := other.KLD().Value; !near(got, want, 1e-4) {
		t.Errorf("divergence %g, want %g", got, want)
	}
	if d, x, y := other.Difference(), other.Perplexity(), other.BasePerplexity(); !near(d.Value, x.Value-y.Value, 1e-12) || d.Error <= 0 {
		t.Errorf("difference %+v of %+v and %+v", d, x, y)
	}
	if lo, mid, hi := other.KLDQuantile(0), other.KLDQuantile(0.5), other.KLDQuantile(1); lo < -1e-4 || lo >= mid || mid >= hi {
		t.Errorf("quantiles %g %g %g", lo, mid, hi)
	}
}

func TestQuantile(t *testing.T) {
	sorted := []float64{1, 2, 4, 8, 16}
	for q, want := range map[float64]float64{0: 1, 0.5: 4, 1: 16, 0.25: 2, 0.375: 3} {
		if got := quantile(sorted, q); got != want {
			t.Errorf("quantile %g = %g, want %g", q, got, want)
		}
	}
}
