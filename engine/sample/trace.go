package sample

import "slices"

// Step is what one link of a chain did to the candidates.
type Step struct {
	Sampler string      // "" for what the model says, the logit bias added
	Left    int         // candidates after it
	Removed []Candidate // with their probabilities before it, the likeliest first, at most as many as asked for
	Top     []Candidate // the likeliest after it, likewise
}

// Trace makes the chain keep, of every following token, what each sampler did: up to n candidates removed and left. 0 ends it.
func (c *Chain) Trace(n int) { c.traced, c.steps = n, nil }

// Steps is what the samplers did for the last token, the model's own candidates first. It is nil without Trace.
func (c *Chain) Steps() []Step { return c.steps }

// applyTraced applies the samplers and looks at the candidates after each.
func (c *Chain) applyTraced() {
	c.steps = nil
	before := c.look("", nil)
	for _, s := range c.links {
		s.Apply(&c.cands)
		before = c.look(s.Name(), before)
	}
}

// look records a step and returns the candidates.
func (c *Chain) look(name string, before []Candidate) []Candidate {
	now := Candidates{Items: slices.Clone(c.cands.Items)}
	now.Softmax()
	c.steps = append(c.steps, Step{Sampler: name, Left: len(now.Items), Top: likeliest(now.Items, c.traced, nil), Removed: c.removed(before, now.Items)})
	return now.Items
}

// removed are the likeliest of those that are gone.
func (c *Chain) removed(before, now []Candidate) []Candidate {
	if len(before) <= len(now) {
		return nil
	}
	kept := make(map[Token]bool, len(now))
	for _, it := range now {
		kept[it.ID] = true
	}
	return likeliest(before, c.traced, kept)
}

// likeliest returns the n candidates of the greatest probability, sorted, without those that are left out. n is small: a vocabulary
// is not sorted for it.
func likeliest(items []Candidate, n int, without map[Token]bool) []Candidate {
	top := make([]Candidate, 0, n+1)
	for _, it := range items {
		if len(top) == n && byP(it, top[n-1]) >= 0 || without[it.ID] {
			continue
		}
		at, _ := slices.BinarySearchFunc(top, it, byP)
		top = slices.Insert(top, at, it)
		top = top[:min(len(top), n)]
	}
	return top
}
