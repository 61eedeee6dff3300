package sample

import (
	"math"
	"slices"
	"strings"
)

// history is the tokens that a sampler looks back on, the newest last: at most limit of them, or all when limit is negative.
type history struct {
	limit  int
	tokens []Token
}

func (h *history) accept(t Token) {
	if h.limit >= 0 && len(h.tokens) == h.limit {
		copy(h.tokens, h.tokens[1:])
		h.tokens = h.tokens[:len(h.tokens)-1]
	}
	h.tokens = append(h.tokens, t)
}

func (h *history) clone() history { return history{h.limit, slices.Clone(h.tokens)} }

// penalties lowers the logits of tokens that occurred lately: positive ones are divided by repeat, negative ones multiplied
// (Keskar et al. 2019, arXiv:1909.05858); then count·frequency + presence is subtracted.
type penalties struct {
	repeat, frequency, presence float32
	past                        history
	counts                      map[Token]int
}

func newPenalties(p Params) *penalties {
	return &penalties{repeat: p.RepeatPenalty, frequency: p.FrequencyPenalty, presence: p.PresencePenalty,
		past: history{limit: p.RepeatLastN}, counts: map[Token]int{}}
}

func (*penalties) Name() string     { return "penalties" }
func (s *penalties) Accept(t Token) { s.past.accept(t) }
func (s *penalties) Reset()         { s.past.tokens = s.past.tokens[:0] }

func (s *penalties) Clone() Sampler {
	d := *s
	d.past, d.counts = s.past.clone(), map[Token]int{}
	return &d
}

func (s *penalties) Apply(c *Candidates) {
	clear(s.counts)
	for _, t := range s.past.tokens {
		s.counts[t]++
	}
	for i := range c.Items {
		n, ok := s.counts[c.Items[i].ID]
		if !ok {
			continue
		}
		l := c.Items[i].Logit
		if l > 0 {
			l /= s.repeat
		} else {
			l *= s.repeat
		}
		c.Items[i].Logit = l - float32(n)*s.frequency - s.presence
	}
	c.sorted = false
}

// dry lowers the logits of tokens that would prolong a repetition: one that makes the repeated run longer than allowed by n
// tokens loses multiplier·base^n ("don't repeat yourself", by p-e-w, text-generation-webui pull request 5677). Runs do not
// reach over a token that contains a breaker.
type dry struct {
	multiplier, base float32
	allowed          int
	past             history
	breaks           []bool // by token
	longest          map[Token]int
}

func newDry(p Params, v Vocabulary) *dry {
	s := &dry{multiplier: p.DryMultiplier, base: p.DryBase, allowed: p.DryAllowedLength,
		past: history{limit: p.DryPenaltyLastN}, longest: map[Token]int{}}
	if v == nil {
		return s
	}
	s.breaks = make([]bool, v.Size())
	for t := range s.breaks {
		piece := string(v.Piece(Token(t), true))
		s.breaks[t] = slices.ContainsFunc(p.DryBreakers, func(b string) bool { return b != "" && strings.Contains(piece, b) })
	}
	return s
}

func (*dry) Name() string     { return "dry" }
func (s *dry) Accept(t Token) { s.past.accept(t) }
func (s *dry) Reset()         { s.past.tokens = s.past.tokens[:0] }

func (s *dry) Clone() Sampler {
	d := *s
	d.past, d.longest = s.past.clone(), map[Token]int{}
	return &d
}

// Apply finds for every earlier position how long the run that ends there equals the run at the end of the text: these are
// the lengths of the Z-function of the reversed text (Gusfield 1997, section 1.4).
func (s *dry) Apply(c *Candidates) {
	clear(s.longest)
	text := s.past.tokens
	runs := s.runs(text)
	for i, n := range runs { // text[len-1-i] ends a run of n tokens equal to the end of the text; its successor would prolong it
		if i > 0 && n >= s.allowed {
			next := text[len(text)-i]
			s.longest[next] = max(s.longest[next], n)
		}
	}
	if len(s.longest) == 0 {
		return
	}
	for i := range c.Items {
		if n, ok := s.longest[c.Items[i].ID]; ok {
			c.Items[i].Logit -= s.multiplier * float32(math.Pow(float64(s.base), float64(n-s.allowed)))
		}
	}
	c.sorted = false
}

// runs returns the Z-function of the reversed text up to the nearest breaker.
func (s *dry) runs(text []Token) []int {
	n := len(text)
	reach := 0 // tokens at the end without a breaker
	for reach < n && !s.isBreak(text[n-1-reach]) {
		reach++
	}
	z := make([]int, n)
	left, right := 0, 0
	at := func(i int) Token { return text[n-1-i] }
	for i := 1; i < n; i++ {
		if i < right {
			z[i] = min(right-i, z[i-left])
		}
		for i+z[i] < n && z[i] < reach && at(z[i]) == at(i+z[i]) {
			z[i]++
		}
		if i+z[i] > right {
			left, right = i, i+z[i]
		}
	}
	return z
}

func (s *dry) isBreak(t Token) bool { return int(t) < len(s.breaks) && t >= 0 && s.breaks[t] }
