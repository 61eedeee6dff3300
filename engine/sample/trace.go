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

// look records a step and returns the candidates, the likeliest first.
func (c *Chain) look(name string, before []Candidate) []Candidate {
	now := Candidates{Items: slices.Clone(c.cands.Items)}
	now.Softmax()
	slices.SortFunc(now.Items, byP)
	kept := make(map[Token]bool, len(now.Items))
	for _, it := range now.Items {
		kept[it.ID] = true
	}
	step := Step{Sampler: name, Left: len(now.Items), Top: slices.Clone(now.Items[:min(c.traced, len(now.Items))])}
	for _, it := range before {
		if len(step.Removed) < c.traced && !kept[it.ID] {
			step.Removed = append(step.Removed, it)
		}
	}
	c.steps = append(c.steps, step)
	return now.Items
}
