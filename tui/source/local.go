package source

import (
	"context"
	"iter"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/engine/sample"
	"github.com/llamakit/llamakit/engine/serve"
	"github.com/llamakit/llamakit/engine/vocab"
)

// Local is a model in this process.
type Local struct{ Model *engine.Model }

// Info describes the model.
func (l Local) Info() Info {
	i := l.Model.Info()
	return Info{Name: i.Name, Context: i.Context, Template: l.Model.Template().Source(), Sampling: l.Model.DefaultSampling(), Traces: true}
}

// ready is the engine's request for one that has tools.
func (l Local) ready(r Request) (engine.Request, error) {
	if len(r.Template.Tools) == 0 || len(r.Messages) == 0 {
		return r.Request, nil
	}
	err := serve.OfferTools(l.Model, &r.Request, r.Template.Tools)
	return r.Request, err
}

// Generate answers a request.
func (l Local) Generate(ctx context.Context, r Request) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		request, err := l.ready(r)
		if err != nil {
			yield(Event{}, err)
			return
		}
		var calls *chat.CallSplitter
		if request.Calls != nil {
			splitter := request.Calls.Splitter()
			calls = &splitter
		}
		generated := 0
		for e, err := range l.Model.Generate(ctx, request) {
			generated += len(e.Tokens)
			out := l.event(e, calls)
			out.Generated = generated
			if !yield(out, err) {
				return
			}
		}
	}
}

// event adds the texts of tokens to an event, and takes calls out of its text.
func (l Local) event(e engine.Event, calls *chat.CallSplitter) Event {
	out := Event{Event: e}
	if calls != nil {
		out.Text, out.Calls = calls.Push(e.Text)
		if e.Result != nil {
			out.Text += calls.Flush()
		}
	}
	for _, p := range e.Probs {
		c := l.choice(p.Prob)
		for _, other := range p.Top {
			c.Top = append(c.Top, l.choice(other))
		}
		out.Chosen = append(out.Chosen, c)
	}
	return out
}

func (l Local) choice(p sample.Prob) Choice {
	return Choice{Token: l.piece(p.Token), Logprob: p.Logprob}
}

// Prompt is what the model will see of a request.
func (l Local) Prompt(_ context.Context, r Request) (string, []engine.Token, error) {
	request, err := l.ready(r)
	if err != nil {
		return "", nil, err
	}
	return l.Model.Prompt(request)
}

// Tokenize cuts a text.
func (l Local) Tokenize(_ context.Context, text string, add bool) ([]Token, error) {
	v := l.Model.Vocab()
	if v == nil {
		return nil, ErrMissing
	}
	return l.Pieces(context.Background(), v.Encode(text, vocab.EncodeOptions{AddSpecial: add, ParseSpecial: true}))
}

// Pieces are the texts of tokens.
func (l Local) Pieces(_ context.Context, ids []engine.Token) ([]Token, error) {
	out := make([]Token, len(ids))
	for i, id := range ids {
		out[i] = l.piece(id)
	}
	return out, nil
}

func (l Local) piece(id engine.Token) Token {
	v := l.Model.Vocab()
	if v == nil {
		return Token{ID: id}
	}
	return Token{ID: id, Bytes: v.Piece(id, true), Special: v.IsControl(id)}
}
