package score

import "math"

// Mean is a running mean of values and what is needed for its uncertainty (Welford 1962, Technometrics 4, 419).
type Mean struct {
	N       int
	mean    float64
	squares float64 // sum of (x - mean)²
}

// Add takes a value.
func (m *Mean) Add(x float64) {
	m.N++
	d := x - m.mean
	m.mean += d / float64(m.N)
	m.squares += d * (x - m.mean)
}

// Value is the mean; 0 of no values.
func (m *Mean) Value() float64 { return m.mean }

// Error is the standard error of the mean; 0 of fewer than two values.
func (m *Mean) Error() float64 { return math.Sqrt(m.variance()) }

// variance is that of the mean, Error squared.
func (m *Mean) variance() float64 {
	if m.N < 2 {
		return 0
	}
	return m.squares / float64(m.N) / float64(m.N-1)
}

// Pair is the running means of two values that come together.
type Pair struct {
	X, Y     Mean
	products float64 // sum of (x - mean x)(y - mean y)
}

// Add takes a pair.
func (p *Pair) Add(x, y float64) {
	d := x - p.X.mean
	p.X.Add(x)
	p.Y.Add(y)
	p.products += d * (y - p.Y.mean)
}

// Covariance is that of the two means.
func (p *Pair) Covariance() float64 {
	if p.X.N < 2 {
		return 0
	}
	return p.products / float64(p.X.N) / float64(p.X.N-1)
}

// Correlation is that of the two values, from -1 to 1; 0 where one of them does not vary.
func (p *Pair) Correlation() float64 {
	if d := p.X.Error() * p.Y.Error(); d > 0 {
		return p.Covariance() / d
	}
	return 0
}

// Estimate is a number and its standard error.
type Estimate struct {
	Value float64 `json:"value"`
	Error float64 `json:"error"`
}

// Estimate is the mean with its error.
func (m *Mean) Estimate() Estimate { return Estimate{m.Value(), m.Error()} }

// Perplexity is exp of a mean negative log-likelihood.
func (m *Mean) Perplexity() Estimate {
	ppl := math.Exp(m.Value())
	return Estimate{ppl, ppl * m.Error()}
}

// Difference is that of the means of a pair, X - Y.
func (p *Pair) Difference() Estimate {
	v := p.X.variance() + p.Y.variance() - 2*p.Covariance()
	return Estimate{p.X.Value() - p.Y.Value(), math.Sqrt(max(0, v))}
}

// Share is the share of hits among n.
func Share(hits, n int) Estimate { return Binomial(float64(hits)/float64(max(1, n)), n) }

// Binomial is a probability as n trials show it.
func Binomial(p float64, n int) Estimate {
	return Estimate{p, math.Sqrt(p * (1 - p) / float64(max(1, n-1)))}
}

// Wilson is the score interval of a share at 95% (Wilson 1927, JASA 22, 209).
func Wilson(hits, n int) (low, high float64) {
	const z = 1.95996398454
	p, z2 := float64(hits)/float64(n), z*z/float64(n)
	half := math.Sqrt(p*(1-p)*z2 + z2*z2/4)
	return (p + z2/2 - half) / (1 + z2), (p + z2/2 + half) / (1 + z2)
}
