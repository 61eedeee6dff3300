package debug

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/llamakit/llamakit/engine"
)

// Options say how much of a run is kept.
type Options struct {
	Candidates int  `json:"candidates,omitempty"` // that are kept of every token, with what the samplers did to them; 0: none
	Surprise   bool `json:"surprise,omitempty"`   // the prompt is measured, too
}

// ErrRun is wrapped by the error of a run that began: the Run has what came before it.
var ErrRun = errors.New("the run did not end")

// Run answers an input. watch, which may be nil, is called with what there is so far, after every token. A random seed and the
// time are chosen first and are in the run's input. A run that was cancelled, or that an error ended, is returned with what there
// is of it, and says so in Stop; error is then ErrRun.
func (s *Session) Run(ctx context.Context, in Input, o Options, watch func(Run)) (*Run, error) {
	in.Settle(time.Now())
	run := &Run{Format: Format, Engine: s.version, Model: s.Model(), Input: in, Options: o}
	return run, s.execute(ctx, run, nil, watch)
}

// execute fills a run whose input is settled. past is the beginning of the answer, where that is given: what is known of its tokens
// stays, but for the last, which is measured like one that was chosen, and may end the answer.
func (s *Session) execute(ctx context.Context, run *Run, past []Token, watch func(Run)) error {
	r, err := s.request(&run.Input)
	if err != nil {
		return err
	}
	known := past[:max(0, len(past)-1)]
	r.Past, r.Script = ids(known), ids(past[len(known):])
	r.Probs, r.TopProbs, r.Trace = true, max(run.Candidates, 1), 2*max(run.Candidates, 1)
	p, err := s.model.Prepare(r)
	if err != nil {
		return err
	}
	prompt, err := s.render(ctx, &run.Input, r)
	if err != nil {
		return err
	}
	run.Text, run.Template, run.Prompt, run.Attempts, run.Notes = prompt.Text, prompt.Template, prompt.Tokens, prompt.Attempts, prompt.Notes
	run.Reuse = s.compareWithLast(run.Prompt)
	e := execution{Session: s, run: run, past: known, form: r.Grammar != nil}
	for event, err := range p.Generate(ctx) {
		if err != nil {
			run.Stop = stopByError(err)
			return fmt.Errorf("%w: %w", ErrRun, err)
		}
		e.take(event)
		run.Past = min(len(past), len(run.Answer))
		if watch != nil {
			watch(*run)
		}
	}
	if r.Calls != nil {
		run.ToolCalls = takeCalls(run, r.Calls.Splitter())
	}
	if run.Surprise {
		return s.Surprise(ctx, run, run.Candidates)
	}
	return nil
}

// execution takes the events of a run.
type execution struct {
	*Session
	run  *Run
	past []Token
	form bool // the answer has a grammar
}

func (e *execution) take(event engine.Event) {
	run := e.run
	run.Content += event.Text
	run.Reasoning += event.Reasoning
	for i, t := range event.Tokens {
		if n := len(run.Answer); n < len(e.past) {
			run.Answer = append(run.Answer, e.past[n])
			continue
		}
		run.Answer = e.appendAnswer(run.Answer, t)
		if i < len(event.Probs) {
			e.measure(&run.Answer[len(run.Answer)-1], event.Probs[i], event.Trace)
		}
	}
	if r := event.Result; r != nil {
		run.Stop = stopOf(run, r)
		run.Cached, run.Prefill, run.Decode = r.CachedTokens, r.PromptTime, r.GenerateTime
	}
}

// compareWithLast says how far a prompt is that of the run before: only that part can come from the cache of this session.
func (s *Session) compareWithLast(prompt []Token) string {
	s.mu.Lock()
	last := s.last
	s.last = slices.Clone(prompt)
	s.mu.Unlock()
	if last == nil {
		return ""
	}
	n := parts(last, prompt)
	switch {
	case n < 0:
		return "the prompt is that of the run before"
	case n == len(last):
		return fmt.Sprintf("the prompt goes on where that of the run before ended, after %d tokens", n)
	case n == len(prompt):
		return fmt.Sprintf("the prompt is the beginning of that of the run before, %d of %d tokens", n, len(last))
	}
	return fmt.Sprintf("the prompt differs from that of the run before at token %d: %q, was %q", n, prompt[n].Text, last[n].Text)
}
