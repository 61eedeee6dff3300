package score

import (
	"math"
	"slices"

	"github.com/llamakit/llamakit/formats/logprobs"
)

// Point compares a model with a base at one position.
type Point struct {
	NLL, Base float64 // negative log-likelihoods of the token that came
	KLD       float64 // Kullback-Leibler divergence of the model from the base, in nats
	DeltaP    float64 // probability of the token that came, less that which the base gives it
	SameTop   bool    // both find the same token most likely
}

// NewPoint compares a row with the base's of the same position, where next came. Tokens that the base gives less than
// exp(-16) do not count, as in llama.cpp: the codes do not reach there.
func NewPoint(r Row, base logprobs.Row, next int32) (Point, error) {
	nll, err := r.NLL(next)
	if err != nil {
		return Point{}, err
	}
	codes := base.Codes()
	shift := float64(r.Logits[r.Top]) + r.LogSum
	kld, top, topCode := 0.0, 0, codes.At(0)
	for i, l := range r.Logits {
		code := codes.At(i)
		if code > topCode {
			top, topCode = i, code
		}
		if log := codes.Scale*float64(code) + codes.Min; log > -16 {
			kld += math.Exp(log) * (log - float64(l) + shift)
		}
	}
	p := Point{NLL: nll, Base: -codes.LogProb(int(next)), KLD: kld, SameTop: top == r.Top}
	p.DeltaP = math.Exp(-p.NLL) - math.Exp(-p.Base)
	return p, nil
}

// Divergence gathers points.
type Divergence struct {
	nll     Pair // the model's, the base's
	kld     Mean
	delta   Mean
	delta2  Mean // of DeltaP squared
	same    int
	klds    []float64
	deltas  []float64
	ordered bool
}

// Add takes a point.
func (d *Divergence) Add(p Point) {
	d.nll.Add(p.NLL, p.Base)
	d.kld.Add(p.KLD)
	d.delta.Add(p.DeltaP)
	d.delta2.Add(p.DeltaP * p.DeltaP)
	if p.SameTop {
		d.same++
	}
	d.klds, d.deltas, d.ordered = append(d.klds, p.KLD), append(d.deltas, p.DeltaP), false
}

// N is the number of points.
func (d *Divergence) N() int { return d.kld.N }

// The perplexities of the model and of the base.
func (d *Divergence) Perplexity() Estimate     { return d.nll.X.Perplexity() }
func (d *Divergence) BasePerplexity() Estimate { return d.nll.Y.Perplexity() }

// Correlation is that of the negative log-likelihoods.
func (d *Divergence) Correlation() float64 { return d.nll.Correlation() }

// LogRatio is ln(perplexity / base perplexity).
func (d *Divergence) LogRatio() Estimate { return d.nll.Difference() }

// Ratio is the perplexity over the base's.
func (d *Divergence) Ratio() Estimate {
	log := d.LogRatio()
	r := math.Exp(log.Value)
	return Estimate{r, r * log.Error}
}

// Difference is the perplexity less the base's.
func (d *Divergence) Difference() Estimate {
	x, y := d.Perplexity(), d.BasePerplexity()
	v := x.Error*x.Error + y.Error*y.Error - 2*x.Value*y.Value*d.nll.Covariance()
	return Estimate{x.Value - y.Value, math.Sqrt(max(0, v))}
}

// KLD is the mean divergence.
func (d *Divergence) KLD() Estimate { return d.kld.Estimate() }

// DeltaP is the mean change of the probability of the token that came.
func (d *Divergence) DeltaP() Estimate { return d.delta.Estimate() }

// RMSDeltaP is the root of the mean square of that change.
func (d *Divergence) RMSDeltaP() Estimate {
	rms := math.Sqrt(d.delta2.Value())
	if rms == 0 {
		return Estimate{}
	}
	return Estimate{rms, d.delta2.Error() / (2 * rms)}
}

// SameTop is the share of positions where both find the same token most likely.
func (d *Divergence) SameTop() Estimate { return Share(d.same, d.N()) }

// KLDQuantile and DeltaPQuantile give the value below which the fraction q of the points lies, interpolated.
func (d *Divergence) KLDQuantile(q float64) float64    { return quantile(d.sorted().klds, q) }
func (d *Divergence) DeltaPQuantile(q float64) float64 { return quantile(d.sorted().deltas, q) }

func (d *Divergence) sorted() *Divergence {
	if !d.ordered {
		slices.Sort(d.klds)
		slices.Sort(d.deltas)
		d.ordered = true
	}
	return d
}

func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	at := q * float64(len(sorted)-1)
	i := int(at)
	next := sorted[min(i+1, len(sorted)-1)]
	return sorted[i] + (at-float64(i))*(next-sorted[i])
}
