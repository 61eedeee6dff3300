package debug

import (
	"cmp"
	"math"
	"slices"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/sample"
)

// least is the lowest logarithm of a probability that is written: JSON has no infinity.
const least = -9999

func finite(logprob float32) *float32 {
	logprob = max(logprob, least)
	return &logprob
}

// measure adds to a token how likely it was, and what the samplers did to the candidates beside it. The trace begins with what the
// grammar left, the model's logits with their bias.
func (e *execution) measure(t *Token, p sample.TokenProbs, trace []sample.Step) {
	t.Logprob, t.Rank = finite(p.Logprob), p.Rank
	if len(trace) == 0 {
		return
	}
	t.Margin = margin(t.ID, trace[0].Top)
	if e.run.Candidates == 0 {
		return
	}
	for _, step := range trace[1:] {
		t.Chain = append(t.Chain, Link{step.Sampler, step.Left})
	}
	t.Candidates = e.candidates(p, trace)
}

// margin is how many logits a token leads by, or trails behind the first. nil: nothing else could come.
func margin(t engine.Token, top []sample.Candidate) *float32 {
	own, other := float32(math.Inf(-1)), float32(math.Inf(-1))
	for _, c := range top {
		if c.ID == t {
			own = c.Logit
		} else {
			other = max(other, c.Logit)
		}
	}
	if m := own - other; !math.IsInf(float64(m), 0) && m == m {
		return &m
	}
	return nil
}

// candidates are the likeliest of the model, those that were left to draw from, and the token itself.
func (e *execution) candidates(p sample.TokenProbs, trace []sample.Step) []Candidate {
	n := e.run.Candidates
	index := map[engine.Token]int{}
	var out []Candidate
	add := func(id engine.Token, prob float32) {
		if _, ok := index[id]; !ok {
			index[id] = len(out)
			out = append(out, Candidate{ID: id, Text: e.token(id).Text, P: prob, Removed: e.removedBy(id, trace)})
		}
	}
	for _, c := range p.Top {
		add(c.Token, exp(c.Logprob))
	}
	add(p.Token, exp(p.Logprob))
	if total, ok := logTotal(p, trace[0].Top); ok && e.form { // the grammar left what the model would hardly have said
		for _, c := range trace[0].Top[:min(n, len(trace[0].Top))] {
			add(c.ID, exp(c.Logit-total))
		}
	}
	for _, c := range trace[len(trace)-1].Top {
		if i, ok := index[c.ID]; ok {
			out[i].Drawn = c.P
		}
	}
	slices.SortStableFunc(out, func(a, b Candidate) int { return cmp.Or(cmp.Compare(b.P, a.P), cmp.Compare(b.Drawn, a.Drawn)) })
	return out
}

// logTotal is the logarithm of the sum of the exponentials of all logits, as the token that was chosen tells.
func logTotal(p sample.TokenProbs, top []sample.Candidate) (float32, bool) {
	for _, c := range top {
		if c.ID == p.Token {
			return c.Logit - p.Logprob, true
		}
	}
	return 0, false
}

func exp(logprob float32) float32 { return float32(math.Exp(float64(logprob))) }

// removedBy is the sampler that removed a candidate; "" where it was left, or is not known.
func (e *execution) removedBy(id engine.Token, trace []sample.Step) string {
	is := func(c sample.Candidate) bool { return c.ID == id }
	if e.form && !slices.ContainsFunc(trace[0].Top, is) && !removedLater(trace, is) {
		return "grammar"
	}
	for _, step := range trace[1:] {
		if slices.ContainsFunc(step.Removed, is) {
			return step.Sampler
		}
	}
	return ""
}

func removedLater(trace []sample.Step, is func(sample.Candidate) bool) bool {
	for _, step := range trace[1:] {
		if slices.ContainsFunc(step.Removed, is) || slices.ContainsFunc(step.Top, is) {
			return true
		}
	}
	return false
}
