package sample

import (
	"math"
	"slices"
	"testing"
)

func near(t *testing.T, what string, got float32, want float64) {
	t.Helper()
	if math.Abs(float64(got)-want) > 1e-5 {
		t.Errorf("%s is %g, want %g", what, got, want)
	}
}

func TestMirostat(t *testing.T) {
	halves := []float64{1. / 2, 1. / 4, 1. / 8, 1. / 16, 1. / 16}
	p := DefaultParams()
	p.Mirostat, p.MirostatTau, p.MirostatEta = 2, 1, 0.5
	s := newMirostat(p)
	c := candidates(halves...)
	s.Accept(3) // of the prompt: nothing was drawn
	s.Apply(c)
	if want := []Token{0, 1}; !slices.Equal(left(c), want) {
		t.Errorf("left %v, want %v: two bits of surprise or less", left(c), want)
	}
	s.Accept(1) // drawn with 1/3: 1.585 bits, 0.585 too many
	near(t, "mu", s.mu, 2-0.5*(math.Log2(3)-1))
	c = candidates(halves...)
	s.Apply(c)
	if want := []Token{0}; !slices.Equal(left(c), want) {
		t.Errorf("left %v, want %v", left(c), want)
	}
	s.Accept(0) // certain: no surprise, one bit too few
	near(t, "mu", s.mu, 2-0.5*(math.Log2(3)-1)+0.5)
	if s.Reset(); s.mu != 2 {
		t.Errorf("mu is %g after Reset, want 2", s.mu)
	}
}

// Probabilities that fall as 1/i² have the exponent 2 exactly, so k = sqrt(2^mu / (1 - 1/n)).
func TestMirostat1(t *testing.T) {
	zipf := []float64{1, 1. / 4, 1. / 9, 1. / 16}
	for _, c := range []struct {
		tau  float32
		want int
	}{{1, 2}, {1.5, 3}, {0.1, 1}, {9, 4}} { // k = 2.31, 3.27, 1.24, 590
		p := DefaultParams()
		p.Mirostat, p.MirostatTau = 1, c.tau
		cands := candidates(zipf...)
		if newMirostat(p).Apply(cands); len(cands.Items) != c.want {
			t.Errorf("tau %g: %d are left, want %d", c.tau, len(cands.Items), c.want)
		}
	}
	equal := candidates(0.25, 0.25, 0.25, 0.25)
	p := DefaultParams()
	p.Mirostat = 1
	if newMirostat(p).Apply(equal); len(equal.Items) != 4 {
		t.Errorf("%d of equally likely ones are left, want all", len(equal.Items))
	}
}

func TestAdaptiveP(t *testing.T) {
	p := DefaultParams()
	p.AdaptiveTarget, p.AdaptiveDecay = 0.5, 0
	s := newAdaptiveP(p)
	c := candidates(0.5, 0.3, 0.2)
	s.Apply(c)
	for i, want := range []float64{5, 5 - 10*4./9/(5./3), 0} { // at distances of 0, 2/3 and 1 widths
		near(t, "logit", c.Items[i].Logit, want)
	}
	s.Accept(2) // its probability was 0.2, so that the next target is 0.8
	c = candidates(0.8, 0.2)
	s.Apply(c)
	for i, want := range []float64{5, 5 - 10*4./3} { // at 0 and 2 widths
		near(t, "logit", c.Items[i].Logit, want)
	}
}

func TestOrder(t *testing.T) {
	for _, c := range []struct {
		change func(*Params)
		want   []string
	}{
		{func(p *Params) {}, DefaultSamplers()},
		{func(p *Params) { p.Mirostat = 2 }, []string{"temperature", "mirostat"}},
		{func(p *Params) { p.Samplers = []string{"adaptive_p", "min_p"} }, []string{"min_p", "adaptive_p"}},
		{func(p *Params) { p.Samplers = []string{} }, []string{}},
	} {
		p := DefaultParams()
		if c.change(&p); !slices.Equal(p.order(), c.want) {
			t.Errorf("order %v, want %v", p.order(), c.want)
		}
	}
}
