package sample

import "math"

// mirostat steers the surprise of the text, -log2 p of each token, towards tau (Basu et al. 2020, arXiv:2007.14966): it cuts
// the candidates so that the surprise to expect is mu, and moves mu by eta times the error of each token drawn. Version 1
// estimates from the likeliest candidates how steeply probabilities fall (Zipf's exponent) and keeps as many as that asks for;
// version 2 drops the candidates more surprising than mu.
type mirostat struct {
	version  int
	tau, eta float32
	mu       float32
	drawn    drawn
}

func newMirostat(p Params) *mirostat {
	s := &mirostat{version: p.Mirostat, tau: p.MirostatTau, eta: p.MirostatEta}
	s.Reset()
	return s
}

func (*mirostat) Name() string { return "mirostat" }

// Reset starts from twice the target, as the paper does.
func (s *mirostat) Reset() { s.mu, s.drawn = 2*s.tau, nil }

func (s *mirostat) Clone() Sampler {
	d := *s
	d.drawn = s.drawn.clone()
	return &d
}

func (s *mirostat) Apply(c *Candidates) {
	c.Sort()
	c.Softmax()
	if s.version == 1 {
		c.cut(s.estimate(c.Items))
	} else {
		c.cut(s.unsurprising(c.Items))
	}
	c.Softmax()
	s.drawn = s.drawn.keep(c.Items)
}

// unsurprising counts the candidates up to the surprise mu, the first in any case.
func (s *mirostat) unsurprising(items []Candidate) int {
	n := 1
	for n < len(items) && -math.Log2(float64(items[n].P)) <= float64(s.mu) {
		n++
	}
	return n
}

// estimateFrom is how many candidates version 1 looks at, m in the paper.
const estimateFrom = 100

// estimate returns k of the paper's equation 2, with the exponent of its equation 10.
func (s *mirostat) estimate(items []Candidate) int {
	var tb, tt float64
	for i := range min(estimateFrom, len(items)) - 1 {
		t := math.Log(float64(i+2) / float64(i+1))
		b := math.Log(float64(items[i].P) / float64(items[i+1].P))
		tb, tt = tb+t*b, tt+t*t
	}
	exponent := tb / tt
	e := exponent - 1
	k := math.Pow(e*math.Exp2(float64(s.mu))/(1-math.Pow(float64(len(items)), -e)), 1/exponent)
	if !(k < float64(len(items))) { // NaN too: all equally likely, or one candidate
		return len(items)
	}
	return max(1, int(k))
}

// Accept moves mu, if t was drawn from what Apply left.
func (s *mirostat) Accept(t Token) {
	if p, ok := s.drawn.take(t); ok {
		s.mu -= s.eta * (float32(-math.Log2(float64(p))) - s.tau)
	}
	s.drawn = s.drawn[:0]
}

// drawn are the candidates that a token is about to be drawn from. A token that comes without (of a prompt) finds none.
type drawn []Candidate

func (d drawn) keep(items []Candidate) drawn { return append(d[:0], items...) }

func (d drawn) clone() drawn { return append(drawn(nil), d...) }

// take returns the probability of t.
func (d drawn) take(t Token) (p float32, ok bool) {
	for i := range d {
		if d[i].ID == t {
			return d[i].P, true
		}
	}
	return 0, false
}
