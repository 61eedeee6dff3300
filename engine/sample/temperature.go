package sample

import (
	"math"
	"math/rand/v2"
)

// temperature divides logits by a temperature; 0 or less keeps the most likely candidate only. With a range, the temperature
// varies between temp-spread and temp+spread with the candidates' entropy, relative to the greatest possible one.
type temperature struct {
	temp, spread, exponent float32
}

func (temperature) Name() string     { return "temperature" }
func (temperature) Accept(Token)     {}
func (temperature) Reset()           {}
func (s temperature) Clone() Sampler { return s }

func (s temperature) Apply(c *Candidates) {
	t := s.temp
	if s.spread > 0 && len(c.Items) > 1 {
		t = s.dynamic(c)
	}
	if t <= 0 {
		c.Top(1)
		return
	}
	for i := range c.Items {
		c.Items[i].Logit /= t
	}
}

func (s temperature) dynamic(c *Candidates) float32 {
	low, high := max(0, s.temp-s.spread), s.temp+s.spread
	c.Softmax()
	share := entropy(c.Items) / math.Log(float64(len(c.Items)))
	return low + (high-low)*float32(math.Pow(share, float64(s.exponent)))
}

// xtc removes, now and then, all of the likely candidates but the least likely of them, so that texts turn less obvious
// ("exclude top choices", by p-e-w, text-generation-webui pull request 6335).
type xtc struct {
	probability, threshold float32
	keep                   int
	seed                   uint64
	rng                    *rand.PCG
}

func newXTC(p Params, keep int, seed uint64) *xtc {
	s := &xtc{probability: p.XTCProbability, threshold: p.XTCThreshold, keep: keep, seed: seed}
	s.Reset()
	return s
}

func (*xtc) Name() string { return "xtc" }
func (*xtc) Accept(Token) {}
func (s *xtc) Reset()     { s.rng = rand.NewPCG(s.seed, 1) }

func (s *xtc) Clone() Sampler {
	d, rng := *s, *s.rng
	d.rng = &rng
	return &d
}

func (s *xtc) Apply(c *Candidates) {
	if float32(s.rng.Uint64()>>40)/(1<<24) > s.probability {
		return
	}
	c.Sort()
	c.Softmax()
	likely := 0
	for likely < len(c.Items) && c.Items[likely].P >= s.threshold {
		likely++
	}
	if likely > 1 && len(c.Items)-(likely-1) >= s.keep {
		c.Items = c.Items[likely-1:]
	}
}
