package chat

import (
	"context"
	"errors"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/sample"
	"github.com/llamakit/llamakit/tui/conversation"
	"github.com/llamakit/llamakit/tui/source"
)

// preview is what the candidates at a place are.
type preview struct {
	place      int           // that was looked at
	before     string        // the text of the answer up to the place
	candidates []candidate   // the likeliest, as the model has them
	steps      []sample.Step // of the chain; nil: not told
	err        error
}

// candidate is a token that may come.
type candidate struct {
	text          string
	model, drawn  float64 // probability before and after the samplers
	removed       string  // the sampler that removed it
	chosen, known bool    // the one that came; whether drawn is known
}

type previewMsg struct {
	number int
	preview
}

// preview is a command that asks for the candidates at the panel's place; nil while it is closed, or the model at work.
func (v *View) preview() tea.Cmd {
	if !v.panel.open || v.Busy() {
		return nil
	}
	r, answer := v.previewRequest()
	if len(r.Messages) == 0 {
		return nil
	}
	v.panel.asked++
	number, place, from, ctx := v.panel.asked, v.panel.place, v.source, v.ctx
	return func() tea.Msg { return previewMsg{number, look(ctx, from, r, answer, place)} }
}

// previewRequest is the request of the last answer under the parameters as they are now, and that answer, or nil.
func (v *View) previewRequest() (r source.Request, answer *conversation.Turn) {
	path := v.tree().Path()
	if n := len(path); n > 0 && path[n-1].Message.Role == "assistant" {
		answer, path = path[n-1], path[:n-1]
	}
	if len(path) > 0 {
		r = v.requestFor(path)
	}
	if answer != nil && answer.Made != nil {
		r.Sampling.Seed = answer.Made.Seed
	}
	r.MaxTokens, r.Stop = 1, nil
	return r, answer
}

// tokens are those of an answer: as they came, or where that is not known, those that its text is cut into.
func tokens(ctx context.Context, from source.Source, answer *conversation.Turn) (said []engine.Token, err error) {
	switch {
	case answer == nil:
		return nil, nil
	case answer.Made != nil && answer.Made.Tokens != nil:
		return answer.Made.Tokens, nil
	case answer.Message.Reasoning != "":
		return nil, nil // how the template would write it is not known
	}
	cut, err := from.Tokenize(ctx, answer.Message.Content, false)
	for _, t := range cut {
		said = append(said, t.ID)
	}
	return said, err
}

// look asks a source for the candidates at a place of an answer.
func look(ctx context.Context, from source.Source, r source.Request, answer *conversation.Turn, place int) (p preview) {
	_, prompt, err := from.Prompt(ctx, r)
	if err != nil {
		return preview{err: err}
	}
	said, err := tokens(ctx, from, answer)
	if err != nil {
		return preview{err: err}
	}
	place = min(place, max(len(said)-1, 0))
	p.place = place
	prefix := said[:place]
	pieces, err := from.Pieces(ctx, prefix)
	if err != nil {
		return preview{err: err}
	}
	for _, t := range pieces {
		p.before += string(t.Bytes)
	}
	r.Messages, r.Grammar, r.GBNF, r.Schema, r.Template = nil, nil, "", nil, engine.TemplateOptions{}
	r.Tokens, r.PastEOG = append(slices.Clone(prompt), prefix...), true
	if from.Info().Traces {
		r.Trace = shownCandidates
		p.err = p.traced(ctx, from, r)
	} else {
		p.err = p.asked(ctx, from, r)
	}
	if place < len(said) && len(p.candidates) > 0 {
		if came, err := from.Pieces(ctx, said[place:place+1]); err == nil {
			p.mark(string(came[0].Bytes))
		}
	}
	return p
}

func (p *preview) mark(text string) {
	for i := range p.candidates {
		p.candidates[i].chosen = p.candidates[i].text == text
	}
}

// traced takes the candidates from what the samplers tell.
func (p *preview) traced(ctx context.Context, from source.Source, r source.Request) error {
	for e, err := range from.Generate(ctx, r) {
		if err != nil {
			return err
		}
		if len(e.Trace) > 0 {
			p.steps = e.Trace
		}
	}
	if len(p.steps) == 0 {
		return errors.New("the samplers told nothing")
	}
	var ids []engine.Token
	for _, c := range p.steps[0].Top {
		ids = append(ids, c.ID)
	}
	pieces, err := from.Pieces(ctx, ids)
	if err != nil {
		return err
	}
	for i, c := range p.steps[0].Top {
		p.candidates = append(p.candidates, fate(c, string(pieces[i].Bytes), p.steps))
	}
	return nil
}

// fate is what the samplers did to a candidate.
func fate(c sample.Candidate, text string, steps []sample.Step) candidate {
	out := candidate{text: text, model: float64(c.P)}
	is := func(o sample.Candidate) bool { return o.ID == c.ID }
	for _, s := range steps[1:] {
		if slices.ContainsFunc(s.Removed, is) {
			out.removed = s.Sampler
			return out
		}
	}
	last := steps[len(steps)-1].Top
	if i := slices.IndexFunc(last, is); i >= 0 {
		out.drawn, out.known = float64(last[i].P), true
	}
	return out
}

// take shows a preview, unless another was asked for since.
func (p *panel) take(msg previewMsg) {
	if msg.number == p.asked {
		p.seen, p.place = msg.preview, msg.place
	}
}
