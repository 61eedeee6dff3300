package engine

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"

	"github.com/llamakit/llamakit/engine/sample"
	"github.com/llamakit/llamakit/engine/sched"
)

// Generate answers a request. The sequence ends with an event whose Result is set, or with an error: of the request, of
// ctx, or because the model was closed. Breaking the loop cancels the request; Generate returns when it no longer runs.
func (m *Model) Generate(ctx context.Context, r Request) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		p, err := m.Prepare(r)
		if err != nil {
			yield(Event{}, err)
			return
		}
		p.Generate(ctx)(yield)
	}
}

// newAnswer prepares everything that can fail before a request is queued.
func (m *Model) newAnswer(r Request) (*answer, error) {
	switch {
	case !m.hasLogits():
		return nil, ErrNoLogits
	case !m.arch.Graph.Causal():
		return nil, fmt.Errorf("%w: %s models fill in a text by diffusion; ask for its logits", ErrNotCausal, m.arch.Architecture)
	}
	text, tokens, err := m.Prompt(r)
	if err != nil {
		return nil, err
	}
	if banned := m.banned(&r); len(banned) > 0 {
		r.Sampling.LogitBias = without(r.Sampling.LogitBias, banned)
	}
	var words sample.Vocabulary
	if m.vocab != nil {
		words = m.vocab
	}
	chain, err := sample.New(r.Sampling, words)
	if err != nil {
		return nil, err
	}
	if err := m.checkRequest(&r); err != nil {
		return nil, err
	}
	if err := m.checkPast(&r, tokens); err != nil {
		return nil, err
	}
	for _, t := range tokens {
		chain.Accept(t)
	}
	chain.Trace(r.Trace)
	a := &answer{model: m, chain: chain, text: text, tokens: tokens, mail: newMailbox(m.sched.Wake), ignoreEOG: r.IgnoreEOG || r.PastEOG,
		stops: newStopFinder(r.Stop), result: Result{PromptTokens: len(tokens)}, request: r, script: r.Script}
	if m.vocab != nil {
		a.stream = m.vocab.NewStream(false)
	}
	a.budget = m.newBudget(&r, text)
	a.limitReasoning()
	if len(r.Messages) > 0 {
		a.tags = m.TemplateFor(&r).Tags()
		if !r.Unsplit {
			a.split = m.TemplateFor(&r).SplitterFor(m.input(r), text)
		}
	}
	a.tags = slices.Concat(a.tags, m.preserved(&r))
	if err := m.constrain(a); err != nil {
		return nil, err
	}
	return a, a.goOn()
}

// preserved lists the texts of tokens that the answer shows though they are control tokens.
func (m *Model) preserved(r *Request) (texts []string) {
	if m.vocab == nil {
		return nil
	}
	for _, t := range r.Preserved {
		texts = append(texts, m.vocab.Text(t))
	}
	return texts
}

// checkRequest looks at what neither the prompt nor the samplers check.
func (m *Model) checkRequest(r *Request) error {
	if r.TopProbs < 0 || r.Trace < 0 {
		return fmt.Errorf("%d probabilities and %d candidates are wanted of every token; want 0 or more", r.TopProbs, r.Trace)
	}
	if r.Pinned && (r.Slot < 0 || r.Slot >= m.options.Sequences) {
		return fmt.Errorf("%w: %d, there are %d, from 0 on", ErrNoSlot, r.Slot, m.options.Sequences)
	}
	if err := m.checkTokens(r.Preserved); err != nil {
		return err
	}
	for i, t := range r.Script {
		if t < 0 || int(t) >= m.arch.NVocab {
			return fmt.Errorf("%w: %d at place %d of the script, the vocabulary has %d", ErrBadToken, t, i, m.arch.NVocab)
		}
	}
	return nil
}

// banned lists the tokens that may not be chosen: those that the file says, and with IgnoreEOG those that end a turn.
func (m *Model) banned(r *Request) (tokens []Token) {
	if m.vocab != nil {
		tokens = m.vocab.Suppressed
	}
	if r.IgnoreEOG {
		tokens = slices.Concat(tokens, m.ends())
	}
	return tokens
}

// without adds the ban of tokens to biases.
func without(bias map[Token]float32, tokens []Token) map[Token]float32 {
	out := map[Token]float32{}
	maps.Copy(out, bias)
	for _, t := range tokens {
		out[t] = float32(math.Inf(-1))
	}
	return out
}

// endTokens lists the tokens that end a turn.
func (m *Model) endTokens() (tokens []Token) {
	for t := range Token(m.arch.NVocab) {
		if m.vocab != nil && m.vocab.IsEOG(t) {
			tokens = append(tokens, t)
		}
	}
	return tokens
}

// scheduled is the request as the scheduler takes it.
func (a *answer) scheduled() *sched.Request {
	r := &a.request
	limit := r.MaxTokens
	if limit -= len(r.Past); r.MaxTokens <= 0 {
		limit = -1
	}
	return &sched.Request{Prompt: a.computed(), Max: limit, Shift: r.ContextShift, Keep: r.Keep, Fresh: r.Fresh, Pinned: r.Pinned, Slot: r.Slot, ID: r.ID,
		Choose: a.choose, Sole: a.sole, Took: a.took, Seated: func(slot int) { a.slot = slot }, Progress: a.progress, Ready: a.mail.ready,
		Done: a.done}
}

// Logits computes the logits of every position of tokens: NVocab values each.
func (m *Model) Logits(ctx context.Context, tokens []Token) ([][]float32, error) {
	switch {
	case !m.hasLogits():
		return nil, ErrNoLogits
	case len(tokens) == 0:
		return nil, ErrEmptyPrompt
	}
	if err := m.checkTokens(tokens); err != nil {
		return nil, err
	}
	rows := make([][]float32, len(tokens))
	keep := func(pos int, logits, _ []float32) { rows[pos] = slices.Clone(logits) }
	done := make(chan error, 1)
	m.sched.Submit(ctx, &sched.Request{Prompt: tokens, Row: keep, Done: func(o sched.Outcome) { done <- o.Err }})
	return rows, <-done
}

// hasLogits says whether the model computes logits of tokens.
func (m *Model) hasLogits() bool { return m.arch.Graph.Logits != nil && m.arch.Classes == nil }

// Tensors calls visit for every named intermediate of the last batch, in the order of computing: rows of width values. The
// model must have been opened with Options.Keep, and nothing may run meanwhile.
func (m *Model) Tensors(visit func(name string, width int, values []float32) error) error {
	for _, t := range m.arch.Graph.Tensors {
		if t.Name == "" {
			continue
		}
		if err := visit(t.Name, t.Width, m.program.Tensor(t)); err != nil {
			return err
		}
	}
	return nil
}
