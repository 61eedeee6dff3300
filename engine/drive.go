package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/llamakit/llamakit/engine/sched"
)

// Driven says how one sequence of Drive went.
type Driven struct {
	Cached int           // tokens of the prompt that earlier work had computed
	Chosen int           // tokens after it
	Time   time.Duration // from Drive's beginning to the sequence's end
}

// Drive computes prompts, all at the same time, and n further tokens of each, which next supplies whatever the logits are. This
// is the road of every request without the sampling: the way to measure a model's speed. The last row of a prompt counts
// as a step of generation: n steps of one row follow a prompt of one token when n tokens are asked for. Calls of next do not
// overlap.
func (m *Model) Drive(ctx context.Context, prompts [][]Token, n int, next func() Token) ([]Driven, error) {
	if err := m.checkDrive(prompts, n); err != nil {
		return nil, err
	}
	begin := time.Now()
	driven, errs := make([]Driven, len(prompts)), make([]error, len(prompts))
	ended := make(chan struct{}, len(prompts))
	requests := make([]*sched.Request, len(prompts))
	for i, tokens := range prompts {
		requests[i] = &sched.Request{Prompt: tokens, Max: n,
			Choose: func([]float32) (Token, error) { return next(), nil },
			Took:   func(Token) bool { return false },
			Done: func(o sched.Outcome) {
				driven[i], errs[i] = Driven{o.Cached, o.Generated, time.Since(begin)}, o.Err
				ended <- struct{}{}
			}}
		if !m.arch.Graph.Causal() {
			requests[i].Row = func(int, []float32, []float32) {}
		}
	}
	m.sched.Submit(ctx, requests...)
	for range prompts {
		<-ended
	}
	return driven, errors.Join(errs...)
}

func (m *Model) checkDrive(prompts [][]Token, n int) error {
	if !m.arch.Graph.Causal() && n > 0 {
		return fmt.Errorf("%w: %s models do not generate token by token", ErrNotCausal, m.arch.Architecture)
	}
	for _, tokens := range prompts {
		if len(tokens) == 0 {
			return ErrEmptyPrompt
		}
		if err := m.checkTokens(tokens); err != nil {
			return err
		}
	}
	return nil
}
