package chat

import (
	"context"
	"math"

	"github.com/llamakit/llamakit/tui/source"
)

// asked takes the candidates from a server that does not tell what its samplers do: their probabilities before and after.
func (p *preview) asked(ctx context.Context, from source.Source, r source.Request) error {
	r.Probs, r.TopProbs = true, shownCandidates
	before, err := likeliest(ctx, from, r)
	if err != nil {
		return err
	}
	r.ProbsDrawn = true
	after, err := likeliest(ctx, from, r)
	if err != nil {
		return err
	}
	drawn := map[int32]float64{}
	for _, c := range after {
		drawn[c.ID] = math.Exp(float64(c.Logprob))
	}
	for _, c := range before {
		one := candidate{text: string(c.Bytes), model: math.Exp(float64(c.Logprob))}
		if one.drawn, one.known = drawn[c.ID]; !one.known {
			one.removed = "removed"
		}
		p.candidates = append(p.candidates, one)
	}
	return nil
}

// likeliest are the likeliest tokens for the next place.
func likeliest(ctx context.Context, from source.Source, r source.Request) (top []source.Choice, err error) {
	for e, err := range from.Generate(ctx, r) {
		if err != nil {
			return nil, err
		}
		if len(e.Chosen) > 0 && top == nil {
			top = e.Chosen[0].Top
		}
	}
	return top, nil
}
