package sample

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Sampler is one link of a chain.
type Sampler interface {
	// Name is the sampler's name in Params.Samplers.
	Name() string
	// Apply changes, sorts or cuts the candidates; it leaves at least one.
	Apply(c *Candidates)
	// Accept tells the sampler which token was chosen, or stood in the prompt.
	Accept(t Token)
	// Reset forgets the accepted tokens.
	Reset()
	// Clone returns an independent copy in the same state.
	Clone() Sampler
}

// Vocabulary is what samplers must know of a model's vocabulary.
type Vocabulary interface {
	Size() int
	Piece(t Token, special bool) []byte
}

// Chain is a list of samplers with a draw at its end.
type Chain struct {
	links []Sampler
	bias  map[Token]float32
	seed  uint64
	rng   *rand.PCG
	cands Candidates

	traced int
	steps  []Step
}

// New makes the chain that p describes. v is needed for DRY's sequence breakers only and may be nil otherwise.
func New(p Params, v Vocabulary) (*Chain, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if v != nil {
		for t := range p.LogitBias {
			if t < 0 || int(t) >= v.Size() {
				return nil, fmt.Errorf("logit bias: token %d is not in the vocabulary of %d", t, v.Size())
			}
		}
	}
	c := &Chain{bias: p.LogitBias, seed: uint64(p.Seed)}
	if p.Seed < 0 {
		c.seed = rand.Uint64()
	}
	c.rng = rand.NewPCG(c.seed, 0)
	for _, name := range p.order() {
		if s := newSampler(name, p, v, c.seed); s != nil {
			c.links = append(c.links, s)
		}
	}
	return c, nil
}

// order lists the samplers of the chain. Mirostat takes the place of all but temperature; adaptive_p comes last.
func (p *Params) order() []string {
	if p.Mirostat > 0 {
		return []string{"temperature", "mirostat"}
	}
	if p.Samplers == nil {
		return DefaultSamplers()
	}
	isAdaptive := func(name string) bool { return name == "adaptive_p" }
	names := slices.DeleteFunc(slices.Clone(p.Samplers), isAdaptive)
	if len(names) < len(p.Samplers) {
		names = append(names, "adaptive_p")
	}
	return names
}

// newSampler returns the named sampler, or nil where the parameters switch it off. Names were validated.
func newSampler(name string, p Params, v Vocabulary, seed uint64) Sampler {
	keep := max(1, p.MinKeep)
	switch {
	case name == "penalties" && p.RepeatLastN != 0 && (p.RepeatPenalty != 1 || p.FrequencyPenalty != 0 || p.PresencePenalty != 0):
		return newPenalties(p)
	case name == "dry" && p.DryMultiplier != 0 && p.DryPenaltyLastN != 0 && p.DryBase >= 1:
		return newDry(p, v)
	case name == "top_n_sigma" && p.TopNSigma > 0:
		return topNSigma(p.TopNSigma)
	case name == "top_k" && p.TopK > 0:
		return topK(p.TopK)
	case name == "typ_p" && p.TypicalP > 0 && p.TypicalP < 1:
		return typicalP{p.TypicalP, keep}
	case name == "top_p" && p.TopP < 1:
		return topP{p.TopP, keep}
	case name == "min_p" && p.MinP > 0:
		return minP{p.MinP, keep}
	case name == "xtc" && p.XTCProbability > 0 && p.XTCThreshold <= 0.5:
		return newXTC(p, keep, seed)
	case name == "temperature":
		return temperature{p.Temperature, p.DynatempRange, p.DynatempExponent}
	case name == "mirostat":
		return newMirostat(p)
	case name == "adaptive_p" && p.AdaptiveTarget >= 0:
		return newAdaptiveP(p)
	}
	return nil
}

// Sample chooses a token. The logits are not changed.
func (c *Chain) Sample(logits []float32) Candidate {
	c.fill(logits)
	return c.choose()
}

// SampleAmong is Sample of the tokens in a bit set: token t is bit t%64 of word t/64. ok is false where that has none.
func (c *Chain) SampleAmong(logits []float32, allowed []uint64) (chosen Candidate, ok bool) {
	c.fill(logits)
	if c.cands.keep(allowed); len(c.cands.Items) == 0 {
		return Candidate{}, false
	}
	return c.choose(), true
}

// Take is Sample where one token only can be chosen, whatever its logit: the samplers see it alone.
func (c *Chain) Take(t Token) {
	c.cands.Items, c.cands.sorted = append(c.cands.Items[:0], Candidate{ID: t}), false
	c.choose()
}

// fill makes every token a candidate.
func (c *Chain) fill(logits []float32) {
	c.cands.reset(logits)
	for t, b := range c.bias {
		if int(t) < len(logits) {
			c.cands.Items[t].Logit += b
		}
	}
}

func (c *Chain) choose() Candidate {
	if c.traced > 0 {
		c.applyTraced()
	} else {
		for _, s := range c.links {
			s.Apply(&c.cands)
		}
	}
	c.cands.Softmax()
	return c.draw()
}

// draw picks a candidate by its probability.
func (c *Chain) draw() Candidate {
	items := c.cands.Items
	if len(items) == 1 {
		return items[0]
	}
	at := float64(c.rng.Uint64()>>11) / (1 << 53)
	for i := range items {
		if at -= float64(items[i].P); at < 0 {
			return items[i]
		}
	}
	best := items[0] // rounding left a crumb, or every logit is -Inf
	for _, it := range items {
		if it.P > best.P {
			best = it
		}
	}
	return best
}

// Candidates are what the last call of Sample left to draw from, with their probabilities.
func (c *Chain) Candidates() []Candidate { return c.cands.Items }

// Seed is the seed in use, also when it was chosen at random.
func (c *Chain) Seed() uint64 { return c.seed }

// Accept records a token of the prompt or of the answer.
func (c *Chain) Accept(t Token) {
	for _, s := range c.links {
		s.Accept(t)
	}
}

// Reset goes back to the state after New.
func (c *Chain) Reset() {
	c.rng = rand.NewPCG(c.seed, 0)
	for _, s := range c.links {
		s.Reset()
	}
}

// Clone returns an independent chain in the same state: it would choose the same tokens.
func (c *Chain) Clone() *Chain {
	d := &Chain{bias: c.bias, seed: c.seed, traced: c.traced}
	rng := *c.rng
	d.rng = &rng
	for _, s := range c.links {
		d.links = append(d.links, s.Clone())
	}
	return d
}

var negInf = float32(math.Inf(-1))
