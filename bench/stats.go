package bench

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"
)

// confidence is that of all intervals.
const confidence = 0.95

// mean and stddev are those of a sample; the latter divides by n-1 and is 0 where there is one value.
func mean(x []float64) (m float64) {
	for _, v := range x {
		m += v / float64(len(x))
	}
	return m
}

func stddev(x []float64) float64 {
	if len(x) < 2 {
		return 0
	}
	m, sum := mean(x), 0.0
	for _, v := range x {
		sum += (v - m) * (v - m)
	}
	return math.Sqrt(sum / float64(len(x)-1))
}

// Median returns the middle of the values, or the mean of the two in the middle; NaN of none.
func Median(x []float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	s := slices.Sorted(slices.Values(x))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// Quantile returns the smallest of the values that a share of all does not exceed; NaN of none.
func Quantile(x []float64, share float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	s := slices.Sorted(slices.Values(x))
	return s[max(1, int(math.Ceil(share*float64(len(s)))))-1]
}

// Ratio is how many times as large one quantity is as another, with a confidence interval of 95% (infinite where there are too few
// samples for one) and the probability that samples of equal quantities differ as much (p-value).
type Ratio struct {
	Center float64 `json:"ratio"`
	Low    Bound   `json:"low"`
	High   Bound   `json:"high"`
	P      float64 `json:"p"`
}

// Bound is an end of an interval. JSON has no infinite number, so it is null there.
type Bound float64

// MarshalJSON writes a number or null.
func (b Bound) MarshalJSON() ([]byte, error) {
	if x := float64(b); math.IsInf(x, 0) || math.IsNaN(x) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(b))
}

// Seen reports whether there is a difference, as far as one can tell.
func (r Ratio) Seen() bool { return r.P < 1-confidence && (r.Low > 1 || r.High < 1) }

// Independent compares samples that were taken apart: new/old, by the median of the ratios of all pairs (Hodges and Lehmann 1963,
// doi:10.1214/aoms/1177704172), and the Mann-Whitney U test, whose distribution also gives the interval. Nothing is assumed
// about the distributions but that they have one shape. Values must be positive.
func Independent(old, new []float64) Ratio {
	var ratios []float64
	for _, o := range old {
		for _, n := range new {
			ratios = append(ratios, n/o)
		}
	}
	slices.Sort(ratios)
	r := Ratio{Center: Median(ratios), Low: 0, High: Bound(math.Inf(1)), P: 1}
	if len(ratios) == 0 {
		return r
	}
	if test, err := stats.MannWhitneyUTest(old, new, stats.LocationDiffers); err == nil { // else all samples are equal
		r.P = test.P
	}
	if k := cutOff(len(old), len(new)); k >= 0 {
		r.Low, r.High = Bound(ratios[k]), Bound(ratios[len(ratios)-1-k])
	}
	return r
}

// cutOff is how many of the sorted ratios lie outside the interval at each end; -1: there are too few for one.
func cutOff(n, m int) int {
	u := stats.UDist{N1: n, N2: m}
	if n*m > 400 { // the exact distribution takes long, and is normal by then
		sigma := math.Sqrt(float64(n*m*(n+m+1)) / 12)
		return max(0, int(float64(n*m)/2-1.96*sigma))
	}
	k := -1
	for k+1 < n*m/2 && u.CDF(float64(k+1)) <= (1-confidence)/2 {
		k++
	}
	return k
}

// Paired compares samples that were taken in turn: the i-th of both at about the same time. It is the geometric mean of the
// ratios a/b, with the interval and the test of Student's t on their logarithms.
func Paired(a, b []float64) Ratio {
	logs := make([]float64, min(len(a), len(b)))
	for i := range logs {
		logs[i] = math.Log(a[i] / b[i])
	}
	r := Ratio{Center: math.Exp(mean(logs)), Low: 0, High: Bound(math.Inf(1)), P: 1}
	if len(logs) < 2 {
		return r
	}
	_, low, high := stats.Sample{Xs: logs}.MeanCI(confidence)
	r.Low, r.High = Bound(math.Exp(low)), Bound(math.Exp(high))
	if t, err := stats.OneSampleTTest(stats.Sample{Xs: logs}, 0, stats.LocationDiffers); err == nil {
		r.P = t.P
	} else if mean(logs) != 0 { // all ratios are equal, and not 1
		r.P = 0
	}
	return r
}

// GeometricMean is the root of the product: the mean of ratios.
func GeometricMean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += math.Log(v)
	}
	return math.Exp(sum / float64(len(x)))
}

// String is the ratio as people write it: 1.85x (1.79-1.92).
func (r Ratio) String() string {
	if math.IsInf(float64(r.High), 0) {
		return fmt.Sprintf("%.2fx", r.Center)
	}
	return fmt.Sprintf("%.2fx (%.2f-%.2f)", r.Center, float64(r.Low), float64(r.High))
}
