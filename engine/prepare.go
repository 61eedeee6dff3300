package engine

import (
	"context"
	"iter"
)

// Prepared is a request in which nothing is wrong: it was rendered, tokenized and checked, and can be generated once.
type Prepared struct {
	Text   string  // what the model sees
	Tokens []Token // likewise
	Seed   uint64  // the sampler's, also when it was chosen at random

	answer *answer
}

// Prepare does the part of Generate that can fail because of the request.
func (m *Model) Prepare(r Request) (*Prepared, error) {
	a, err := m.newAnswer(r)
	if err != nil {
		return nil, err
	}
	return &Prepared{Text: a.text, Tokens: a.tokens, Seed: a.chain.Seed(), answer: a}, nil
}

// Generate is Model.Generate for a prepared request.
func (p *Prepared) Generate(ctx context.Context) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		a := p.answer
		ctx, cancel := context.WithCancel(ctx)
		a.model.sched.Submit(ctx, a.scheduled())
		defer func() {
			cancel()
			a.mail.drain()
		}()
		for {
			e, err, more := a.mail.take()
			if !more || !yield(e, err) || err != nil {
				return
			}
		}
	}
}
