package sample

import (
	"math"
	"slices"
)

// topK keeps the k most likely candidates.
type topK int

func (topK) Name() string          { return "top_k" }
func (k topK) Apply(c *Candidates) { c.Top(int(k)) }
func (topK) Accept(Token)          {}
func (topK) Reset()                {}
func (k topK) Clone() Sampler      { return k }

// topP keeps the fewest most likely candidates whose probabilities add up to p (nucleus sampling: Holtzman et al. 2019,
// arXiv:1904.09751).
type topP struct {
	p    float32
	keep int
}

func (topP) Name() string     { return "top_p" }
func (topP) Accept(Token)     {}
func (topP) Reset()           {}
func (s topP) Clone() Sampler { return s }

// Apply sorts as few candidates as it can: a model that knows what it wants to say leaves some dozens of 150,000.
func (s topP) Apply(c *Candidates) {
	c.Softmax()
	for n := 128; ; n *= 8 {
		sum := float32(0)
		for i := range c.first(n) {
			sum += c.Items[i].P
			if sum >= s.p && i+1 >= s.keep {
				c.cut(i + 1)
				c.sorted = true
				return
			}
		}
		if n >= len(c.Items) {
			return
		}
	}
}

// minP drops candidates less likely than p times the most likely one (Nguyen et al. 2024, arXiv:2407.01082).
type minP struct {
	p    float32
	keep int
}

func (minP) Name() string     { return "min_p" }
func (minP) Accept(Token)     {}
func (minP) Reset()           {}
func (s minP) Clone() Sampler { return s }

func (s minP) Apply(c *Candidates) {
	top := negInf
	for i := range c.Items {
		top = max(top, c.Items[i].Logit)
	}
	least, n := top+float32(math.Log(float64(s.p))), 0
	for i := range c.Items {
		if c.Items[i].Logit >= least {
			n++
		}
	}
	c.Top(max(n, s.keep))
}

// typicalP keeps the candidates whose surprise is closest to the entropy, until their probabilities add up to p (Meister
// et al. 2022, arXiv:2202.00666).
type typicalP struct {
	p    float32
	keep int
}

func (typicalP) Name() string     { return "typ_p" }
func (typicalP) Accept(Token)     {}
func (typicalP) Reset()           {}
func (s typicalP) Clone() Sampler { return s }

func (s typicalP) Apply(c *Candidates) {
	c.Sort()
	c.Softmax()
	entropy := entropy(c.Items)
	distance := func(x Candidate) float64 { return math.Abs(-math.Log(float64(x.P)) - entropy) }
	slices.SortStableFunc(c.Items, func(a, b Candidate) int {
		switch da, db := distance(a), distance(b); {
		case da < db:
			return -1
		case da > db:
			return 1
		}
		return 0
	})
	c.sorted = false
	sum := float32(0)
	for i := range c.Items {
		sum += c.Items[i].P
		if sum > s.p && i+1 >= s.keep {
			c.cut(i + 1)
			return
		}
	}
}

// entropy of the candidates' probabilities, in nats.
func entropy(items []Candidate) float64 {
	h := 0.0
	for i := range items {
		if p := float64(items[i].P); p > 0 {
			h -= p * math.Log(p)
		}
	}
	return h
}

// topNSigma keeps logits within n standard deviations of the greatest (Tang et al. 2024, arXiv:2411.07641).
type topNSigma float32

func (topNSigma) Name() string     { return "top_n_sigma" }
func (topNSigma) Accept(Token)     {}
func (topNSigma) Reset()           {}
func (n topNSigma) Clone() Sampler { return n }

func (n topNSigma) Apply(c *Candidates) {
	top, sum, count := negInf, 0.0, 0.0
	for i := range c.Items {
		if l := c.Items[i].Logit; l > negInf {
			top = max(top, l)
			sum += float64(l)
			count++
		}
	}
	if count == 0 {
		return
	}
	mean, square := sum/count, 0.0
	for i := range c.Items {
		if l := c.Items[i].Logit; l > negInf {
			square += (float64(l) - mean) * (float64(l) - mean)
		}
	}
	least := top - float32(n)*float32(math.Sqrt(square/count))
	kept := c.Items[:0]
	for _, it := range c.Items {
		if it.Logit >= least {
			kept = append(kept, it)
		}
	}
	c.Items = kept
}
