package bench

import (
	"math"
	"testing"
)

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if math.Abs(got-want) > within || math.IsNaN(got) {
		t.Errorf("%s is %g, want %g", what, got, want)
	}
}

func TestMoments(t *testing.T) {
	x := []float64{907596, 680990} // from llama-bench v0.7.0: avg_ns 794293, stddev_ns 160234
	near(t, "mean", mean(x), 794293, 0.5)
	near(t, "stddev", stddev(x), 160234, 1)
	near(t, "stddev of one", stddev(x[:1]), 0, 0)
	near(t, "median", Median([]float64{4, 1, 3, 2}), 2.5, 0)
	near(t, "quantile", Quantile([]float64{4, 1, 3, 2}, 0.75), 3, 0)
	near(t, "largest", Quantile([]float64{4, 1, 3, 2}, 1), 4, 0)
	near(t, "smallest", Quantile([]float64{4, 1}, 0), 1, 0)
	near(t, "geometric mean", GeometricMean([]float64{1, 2, 4}), 2, 1e-12)
}

// TestIndependent has values from tables of the Mann-Whitney distribution: 5 and 5 samples that do not overlap have p = 2/252, and
// the interval leaves out two of the 25 ratios at each end; below four samples there is none.
func TestIndependent(t *testing.T) {
	old, new := []float64{100, 101, 102, 103, 104}, []float64{200, 202, 204, 206, 208}
	r := Independent(old, new)
	near(t, "p", r.P, 2.0/252, 1e-9)
	near(t, "ratio", r.Center, 2, 0.001)
	if !r.Seen() || !(1.9 < r.Low && float64(r.Low) < r.Center && r.Center < float64(r.High) && r.High < 2.1) {
		t.Errorf("%+v", r)
	}
	if k := cutOff(5, 5); k != 2 {
		t.Errorf("5 and 5 samples: %d ratios are cut off, want 2", k)
	}
	if k := cutOff(4, 4); k != 0 {
		t.Errorf("4 and 4 samples: %d, want 0", k)
	}
	if k := cutOff(3, 3); k != -1 {
		t.Errorf("3 and 3 samples: %d, want none", k)
	}
	// The normal approximation goes on where the exact distribution ends.
	if exact, normal := cutOff(20, 20), cutOff(21, 20); normal-exact < 0 || normal-exact > 15 {
		t.Errorf("%d of 20 and 20, %d of 21 and 20", exact, normal)
	}
	if same := Independent(old, old); same.Seen() || same.Center != 1 {
		t.Errorf("the same samples: %+v", same)
	}
	if few := Independent(old[:2], new[:2]); few.Seen() || !math.IsInf(float64(few.High), 1) {
		t.Errorf("two samples: %+v", few)
	}
	if constant := Independent([]float64{5, 5, 5, 5}, []float64{5, 5, 5, 5}); constant.Seen() || constant.P != 1 {
		t.Errorf("equal samples: %+v", constant)
	}
}

// TestPaired: logarithms of the ratios 2, 2, 2 and 4 have mean 1.25 ln 2 and standard error 0.25 ln 2; t with 3 degrees of
// freedom is 3.182 at 95%, and at t = 5 the probability is 0.0154.
func TestPaired(t *testing.T) {
	r := Paired([]float64{200, 100, 50, 400}, []float64{100, 50, 25, 100})
	near(t, "ratio", r.Center, math.Exp2(1.25), 1e-9)
	near(t, "low", float64(r.Low), math.Exp2(1.25-0.25*3.182), 1e-3)
	near(t, "high", float64(r.High), math.Exp2(1.25+0.25*3.182), 1e-3)
	near(t, "p", r.P, 0.0154, 1e-4)
	if one := Paired([]float64{2}, []float64{1}); one.Seen() || one.Center != 2 {
		t.Errorf("one pair: %+v", one)
	}
	if equal := Paired([]float64{2, 2}, []float64{1, 1}); !equal.Seen() || equal.P != 0 {
		t.Errorf("ratios without spread: %+v", equal)
	}
}
