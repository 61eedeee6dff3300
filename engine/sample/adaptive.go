package sample

// adaptiveP prefers candidates whose probability is near a target, and moves the target so that the tokens drawn have it on
// average (llama.cpp pull request 17927, by MrJackSpade): with p a candidate's probability and
//
//	d = |p - clamp(2·target - average)| / 0.3
//
// its logit becomes 5 - 10·d²/(1+d): quadratic near the target, linear far from it. The average of the probabilities of the
// tokens drawn forgets by the factor decay a token. It is the last of a chain.
type adaptiveP struct {
	target, decay float32
	sum, weight   float32 // of the average
	drawn         drawn
}

func newAdaptiveP(p Params) *adaptiveP {
	s := &adaptiveP{target: p.AdaptiveTarget, decay: min(max(p.AdaptiveDecay, 0), 0.99)}
	s.Reset()
	return s
}

func (*adaptiveP) Name() string { return "adaptive_p" }

// Reset begins as if the target had been met all the time.
func (s *adaptiveP) Reset() {
	s.weight = 1 / (1 - s.decay)
	s.sum, s.drawn = s.target*s.weight, nil
}

func (s *adaptiveP) Clone() Sampler {
	d := *s
	d.drawn = s.drawn.clone()
	return &d
}

func (s *adaptiveP) Apply(c *Candidates) {
	const width, peak, sharpness = 0.3, 5, 10
	c.Softmax()
	s.drawn = s.drawn.keep(c.Items)
	target := min(max(2*s.target-s.sum/s.weight, 0), 1)
	for i := range c.Items {
		d := (c.Items[i].P - target) / width
		if d < 0 {
			d = -d
		}
		c.Items[i].Logit = peak - sharpness*d*d/(1+d)
	}
	c.sorted = false
}

// Accept takes the probability that t had before it was drawn into the average.
func (s *adaptiveP) Accept(t Token) {
	if p, ok := s.drawn.take(t); ok {
		s.sum = p + s.decay*s.sum
		s.weight = 1 + s.decay*s.weight
	}
	s.drawn = s.drawn[:0]
}
