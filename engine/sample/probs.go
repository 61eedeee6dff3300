package sample

import (
	"math"
	"slices"
)

// Prob is a token and the natural logarithm of its probability.
type Prob struct {
	Token   Token
	Logprob float32
}

// TokenProbs tells how likely a chosen token was, and which were the likeliest.
type TokenProbs struct {
	Prob
	Rank int    // of the token among all, from 1; 0: it was none of the candidates
	Top  []Prob // by falling probability, ties by token
}

// Measure takes probabilities of one step; it keeps a buffer between steps.
type Measure struct{ cands Candidates }

// Logits measures t against the model's own probabilities, before any sampler, and lists the n likeliest tokens.
func (m *Measure) Logits(logits []float32, t Token, n int) TokenProbs {
	m.cands.reset(logits)
	chosen := m.cands.Items[t].Logit
	total := m.cands.logSumExp()
	out := TokenProbs{Prob: Prob{t, float32(float64(chosen) - total)}, Rank: m.rank(t)}
	if n <= 0 {
		return out
	}
	m.cands.Top(n)
	for _, c := range m.cands.Items {
		out.Top = append(out.Top, Prob{c.ID, float32(float64(c.Logit) - total)})
	}
	return out
}

// rank is the place of t among the candidates, which are in the order of the vocabulary.
func (m *Measure) rank(t Token) int {
	rank := 1
	for _, c := range m.cands.Items {
		if byLogit(c, m.cands.Items[t]) < 0 {
			rank++
		}
	}
	return rank
}

// Drawn measures t against what a chain drew it from: candidates with their probabilities.
func (m *Measure) Drawn(items []Candidate, t Token, n int) TokenProbs {
	m.cands.Items = append(m.cands.Items[:0], items...)
	slices.SortFunc(m.cands.Items, byP)
	out := TokenProbs{Prob: Prob{t, negInf}}
	for i, c := range m.cands.Items {
		p := Prob{c.ID, float32(math.Log(float64(c.P)))}
		if i < n {
			out.Top = append(out.Top, p)
		}
		if c.ID == t {
			out.Prob, out.Rank = p, i+1
		}
	}
	return out
}

// byP orders by falling probability, then by token.
func byP(a, b Candidate) int {
	switch {
	case a.P > b.P:
		return -1
	case a.P < b.P:
		return 1
	}
	return int(a.ID - b.ID)
}

// logSumExp is the logarithm of the sum of the exponentials of all logits.
func (c *Candidates) logSumExp() float64 {
	top := negInf
	for i := range c.Items {
		top = max(top, c.Items[i].Logit)
	}
	sum := 0.0
	for i := range c.Items {
		sum += math.Exp(float64(c.Items[i].Logit - top))
	}
	return float64(top) + math.Log(sum)
}
