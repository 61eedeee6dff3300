// Package remote debugs prompts on a server: a llama-server, this project's or llama.cpp's.
//
// A server renders, cuts into tokens and answers with probabilities. It does not tell what each sampler removed, how likely the
// prompt's own tokens were, ranks beyond the candidates, margins under a grammar, which control tokens messages spell, nor which
// file its model is: that is left out, and runs say so in their notes.
package remote

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/engine/debug"
	"github.com/llamakit/llamakit/engine/grammar/gbnf"
	"github.com/llamakit/llamakit/tui/source"
)

// Runner is a server as a debug.Runner.
type Runner struct {
	source  source.Source
	version string
}

var _ debug.Runner = (*Runner)(nil)

// New makes a runner of a source. version is that of the program.
func New(s source.Source, version string) *Runner { return &Runner{s, version} }

// missing is the note that every run has.
const missing = "from a server: what each sampler removed, the prompt's own probabilities, ranks beyond the candidates and the model's digest are not told"

// Model describes the server's model, as far as it tells.
func (r *Runner) Model() debug.Model {
	i := r.source.Info()
	return debug.Model{Name: i.Name, File: i.Address, Context: i.Context}
}

// Defaults is an empty input with the server's own samplers.
func (r *Runner) Defaults() debug.Input { return debug.NewInput(r.source.Info().Sampling) }

// TemplateSource is the server's template; "" where it does not tell.
func (r *Runner) TemplateSource() string { return r.source.Info().Template }

// Parallel is how many requests are sent at the same time; the server queues what it has no room for.
func (r *Runner) Parallel() int { return 4 }

// Seal does nothing: there is no digest.
func (r *Runner) Seal(*debug.Run) error { return nil }

// Grammar says what may follow a text; the reasoning before it is told apart as the server did.
func (r *Runner) Grammar(run *debug.Run, at int) (*debug.GrammarState, error) {
	text := run.Content
	if at < len(run.Answer) {
		if run.Reasoning != "" {
			return nil, fmt.Errorf("the grammar within an answer that has reasoning: %w", source.ErrMissing)
		}
		part := debug.Run{Answer: run.Answer[:at]}
		text = part.Raw()
	}
	return debug.GrammarAfter(&run.Input, text, gbnf.AnyToken, nil)
}

// request is an input as a source takes it. A template of one's own is rendered here, and its text sent as a plain prompt.
func (r *Runner) request(ctx context.Context, in *debug.Input) (source.Request, error) {
	q, err := in.Request(gbnf.AnyToken)
	if err != nil {
		return source.Request{}, err
	}
	q.Grammar = nil // the server makes its own, of the text
	out := source.Request{Request: q, GBNF: in.Grammar, Schema: in.Schema}
	if t := q.Template.Use; t != nil {
		o := q.Template
		text, err := t.Render(ctx, chat.Input{Messages: q.Messages, Tools: o.Tools, Kwargs: o.Kwargs, Thinking: o.Thinking, Now: o.Now,
			AddGenerationPrompt: !o.Continue, ContinueFinalMessage: o.Continue})
		if err != nil {
			return out, err
		}
		out.Messages, out.Prompt, out.Template = nil, text, engine.TemplateOptions{}
	}
	return out, nil
}

// Render asks the server what its model will see.
func (r *Runner) Render(ctx context.Context, in debug.Input) (*debug.Prompt, error) {
	q, err := r.request(ctx, &in)
	if err != nil {
		return nil, err
	}
	return r.render(ctx, &in, q)
}

func (r *Runner) render(ctx context.Context, in *debug.Input, q source.Request) (*debug.Prompt, error) {
	text, ids, err := r.source.Prompt(ctx, q)
	if err != nil {
		return nil, err
	}
	pieces, err := r.source.Pieces(ctx, ids)
	if err != nil {
		return nil, err
	}
	p := &debug.Prompt{Text: text, Template: "the server's template", Notes: []string{missing}}
	switch {
	case in.Template != "":
		p.Template = "the edited template, here: special tokens that it has variables for are empty"
	case in.Prompt != "":
		p.Template = "none: the prompt is taken as it stands"
	}
	at := 0
	for _, piece := range pieces {
		t := debug.NewToken(piece.ID, piece.Bytes, "")
		if n := len(piece.Bytes); at+n <= len(text) && text[at:at+n] == string(piece.Bytes) {
			t.Offset, t.Length = at, n
			at += n
		} else {
			t.Offset = at
		}
		p.Tokens = append(p.Tokens, t)
	}
	return p, nil
}

// Run answers an input.
func (r *Runner) Run(ctx context.Context, in debug.Input, o debug.Options, watch func(debug.Run)) (*debug.Run, error) {
	in.Settle(time.Now())
	run := &debug.Run{Format: debug.Format, Engine: r.version, Model: r.Model(), Input: in, Options: debug.Options{Candidates: o.Candidates}}
	q, err := r.request(ctx, &in)
	if err != nil {
		return run, err
	}
	p, err := r.render(ctx, &in, q)
	switch {
	case errors.Is(err, source.ErrMissing): // it answers, and does not tell what it saw
		p = &debug.Prompt{Template: "the server's template, which it does not show", Notes: []string{missing}}
	case err != nil:
		return run, err
	}
	run.Text, run.Template, run.Prompt, run.Notes = p.Text, p.Template, p.Tokens, p.Notes
	return run, r.generate(ctx, run, q, watch)
}

// Branch goes on from another token: prompt and past are sent as tokens, and the server's cache has them.
func (r *Runner) Branch(ctx context.Context, from *debug.Run, at int, t engine.Token, watch func(debug.Run)) (*debug.Run, error) {
	if at < 0 || at >= len(from.Answer) || len(from.Prompt) == 0 {
		return nil, fmt.Errorf("there is no token %d to go on from", at)
	}
	pieces, err := r.source.Pieces(ctx, []engine.Token{t})
	if err != nil {
		return nil, err
	}
	run := *from
	chosen := debug.NewToken(t, pieces[0].Bytes, "")
	chosen.Candidates = from.Answer[at].Candidates
	run.Answer = append(from.Answer[:at:at], chosen)
	run.Past, run.Reasoning, run.Content, run.ToolCalls = at+1, "", run.Raw(), nil
	in := from.Input
	in.Prompt, in.Messages, in.Template, in.Tools = "x", nil, "", nil
	q, err := r.request(ctx, &in)
	if err != nil {
		return nil, err
	}
	if q.Prompt = ""; q.GBNF != "" || q.Schema != nil {
		return nil, fmt.Errorf("going on within a grammar: %w", source.ErrMissing)
	}
	for _, list := range [][]debug.Token{run.Prompt, run.Answer} {
		for i := range list {
			q.Tokens = append(q.Tokens, list[i].ID)
		}
	}
	if q.MaxTokens > 0 {
		q.MaxTokens = max(1, q.MaxTokens-run.Past)
	}
	return &run, r.generate(ctx, &run, q, watch)
}

// generate takes the events of an answer.
func (r *Runner) generate(ctx context.Context, run *debug.Run, q source.Request, watch func(debug.Run)) error {
	q.Probs, q.TopProbs = true, max(run.Candidates, 2)
	for e, err := range r.source.Generate(ctx, q) {
		if err != nil {
			run.Stop = debug.Stop{Reason: debug.StopError, Error: err.Error()}
			if errors.Is(err, context.Canceled) {
				run.Stop = debug.Stop{Reason: debug.StopCancelled}
			}
			return fmt.Errorf("%w: %w", debug.ErrRun, err)
		}
		run.Content += e.Text
		run.Reasoning += e.Reasoning
		for _, c := range e.Calls {
			addCall(run, c)
		}
		for _, c := range e.Chosen {
			run.Answer = append(run.Answer, token(c, run.Candidates))
		}
		if res := e.Result; res != nil {
			run.Stop = debug.Stop{Reason: string(res.Stop), Text: res.StopText}
			switch n := len(run.Answer); {
			case res.Stop == engine.StopLimit:
				run.Stop.Limit = run.Input.MaxTokens
			case res.Stop == engine.StopEOS && n > 0 && run.Answer[n-1].Text == "": // llama.cpp leaves it out in conversations
				run.Stop.Token = run.Answer[n-1].ID
			}
			run.Cached, run.Prefill, run.Decode = min(res.CachedTokens, len(run.Prompt)), res.PromptTime, res.GenerateTime
		}
		if watch != nil {
			watch(*run)
		}
	}
	return nil
}

func addCall(run *debug.Run, c chat.CallDelta) {
	for len(run.ToolCalls) <= c.Index && c.Index < maxCalls {
		run.ToolCalls = append(run.ToolCalls, debug.ToolCall{})
	}
	if c.Index >= 0 && c.Index < len(run.ToolCalls) {
		one := &run.ToolCalls[c.Index]
		one.Name += c.Name
		one.Arguments = append(one.Arguments, c.Arguments...)
	}
}

// maxCalls bounds what a server's numbers of calls can make of the list.
const maxCalls = 1000

// token is a token of an answer with its candidates.
func token(c source.Choice, n int) debug.Token {
	t := debug.NewToken(c.ID, c.Bytes, "")
	lp := max(c.Logprob, -9999)
	t.Logprob = &lp
	best := float32(math.Inf(-1))
	for i, other := range c.Top {
		if other.ID == c.ID {
			t.Rank = i + 1
		} else {
			best = max(best, other.Logprob)
		}
		if i < n {
			o := debug.NewToken(other.ID, other.Bytes, "")
			t.Candidates = append(t.Candidates, debug.Candidate{ID: o.ID, Text: o.Text, P: float32(math.Exp(float64(other.Logprob)))})
		}
	}
	if m := lp - best; !math.IsInf(float64(m), 0) {
		t.Margin = &m
	}
	return t
}
