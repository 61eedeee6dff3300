package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/engine/chat/calls"
	"github.com/llamakit/llamakit/engine/grammar"
	"github.com/llamakit/llamakit/engine/sample"
	"github.com/llamakit/llamakit/engine/vocab"
)

// Errors of answers that have a grammar.
var (
	ErrNoWay   = errors.New("no token of the vocabulary continues the answer as its grammar wants")
	ErrPrefill = errors.New("the beginning of the answer is not of its grammar")
)

// constraint keeps the content of an answer within a form. It is free while a gate is shut, and bound by grammars, one after the
// other, while none is. It belongs to the answer, so that a sequence that is put back or shifted goes on where it was.
type constraint struct {
	answer  *answer
	gate    *gate
	bound   course
	openers []Token     // at the beginning: tokens that open the reasoning, and with it a gate
	calls   *calls.Form // nil: the answer ends with the course
	words   *grammar.Vocabulary

	mask  grammar.Mask // of the next token
	alone bool         // it has one token only, and is there
	found chan error   // tells that mask is there: it is found while the model computes
}

// Words is the vocabulary as grammars need it. It is made once.
func (m *Model) Words() *grammar.Vocabulary { return m.words() }

// constrain gives an answer its form.
func (m *Model) constrain(a *answer) error {
	r := &a.request
	switch {
	case r.Grammar == nil && r.Calls == nil:
		return nil
	case r.Grammar != nil && r.Calls != nil:
		return errors.New("an answer cannot have both a grammar and calls")
	case m.vocab == nil:
		return fmt.Errorf("a grammar needs a tokenizer: %w", m.noVocab)
	}
	c := &constraint{answer: a, calls: r.Calls, mask: grammar.NewMask(m.vocab.Size()), found: make(chan error, 1)}
	if err := c.begin(m); err != nil {
		return err
	}
	a.constraint = c
	c.find()
	return nil
}

// begin looks at what the prompt leaves open: reasoning, or a content that was begun.
func (c *constraint) begin(m *Model) (err error) {
	r, text := &c.answer.request, c.answer.text
	var split *chat.Splitter
	if len(r.Messages) > 0 {
		split = m.TemplateFor(r).SplitterFor(m.input(*r), text)
	}
	if len(r.Triggers) > 0 {
		c.bound = newCourse(m.Words(), r.Grammar)
		c.gate = &gate{split: split, late: &late{triggers: r.Triggers}}
		return nil
	}
	if c.calls != nil {
		tokens := m.callTokens(c.calls.Format)
		c.words, c.answer.marks = tokens.words, tokens.marks
		free, err := c.beginCalls(text, split)
		if free || err != nil {
			return err
		}
	} else {
		c.words = m.Words()
		c.bound = newCourse(c.words, r.Grammar)
	}
	if split == nil || m.coversReasoning(r) {
		return nil
	}
	if split.Thinking() {
		c.gate = &gate{split: split}
	}
	if r.Template.Continue {
		return c.bound.prefill(contentOf(m.TemplateFor(r).Splitter(""), r.Messages))
	}
	if c.gate == nil && r.Template.Thinking != ThinkingOff {
		if c.openers = m.openers(m.TemplateFor(r), text); c.openers != nil {
			c.gate = &gate{split: split}
		}
	}
	return nil
}

// coversReasoning reports that a grammar names tokens that open or close the reasoning: it is a grammar of that, too.
func (m *Model) coversReasoning(r *Request) bool {
	return r.Grammar != nil && slices.ContainsFunc(m.TemplateFor(r).Tags(), func(tag string) bool {
		t, ok := m.vocab.Lookup(tag)
		return ok && r.Grammar.Names(t)
	})
}

// openers are the tokens that open the reasoning; none where the prompt has closed it.
func (m *Model) openers(t *chat.Template, prompt string) (tokens []Token) {
	tags := t.Tags() // in pairs
	prompt = strings.TrimSpace(prompt)
	for i := 0; i+1 < len(tags); i += 2 {
		if strings.HasSuffix(prompt, tags[i+1]) {
			return nil
		}
		if list := m.vocab.Encode(tags[i], vocab.EncodeOptions{ParseSpecial: true}); len(list) == 1 {
			tokens = append(tokens, list[0])
		}
	}
	return tokens
}

// find begins to find the mask of the next token. Where one byte only can come it is small, and may be a single token.
func (c *constraint) find() {
	if c.gate == nil && c.bound.matcher.Forced() {
		err := c.fill()
		c.alone = err == nil && c.mask.Count() == 1
		c.found <- err
		return
	}
	go func() { c.found <- c.fill() }()
}

// sole is the only token of the mask.
func (c *constraint) sole() (Token, error) {
	if err := <-c.found; err != nil {
		return 0, err
	}
	return c.mask.First(), nil
}

func (c *constraint) fill() error {
	if c.gate != nil && c.openers == nil {
		for i := range c.mask {
			c.mask[i] = ^uint64(0)
		}
	} else if err := c.bound.matcher.Mask(c.mask); err != nil {
		return err
	}
	if c.gate == nil && c.calls != nil {
		c.allowSpans()
	}
	for _, t := range c.openers {
		c.mask.Add(t)
	}
	if !c.mayEnd() {
		for _, t := range c.answer.model.ends() {
			if c.gate != nil || c.calls == nil || !c.answer.marks[t] {
				c.mask.Remove(t)
			}
		}
	}
	return nil
}

// mayEnd reports that the answer can end here, as far as more than the grammar decides that: not before a content that must
// come, nor within a call.
func (c *constraint) mayEnd() bool {
	if c.calls != nil {
		return c.ended() || c.gate != nil && c.gate.calls != nil
	}
	return c.gate == nil || c.openers != nil || c.gate.late != nil
}

// takes reports that the bound part goes on with a text, behind which a call may end the line.
func (c *constraint) takes(text string) bool {
	rest, err := c.bound.clone().take(text)
	return err == nil && (rest == "" || c.calls != nil && !c.calls.Single && strings.TrimSpace(rest) == "")
}

// sample chooses a token that the form allows.
func (c *constraint) sample(logits []float32) (Token, error) {
	if err := <-c.found; err != nil {
		return 0, err
	}
	chain := c.answer.chain
	var chosen sample.Candidate
	ok := c.anything()
	if ok {
		chosen = chain.Sample(logits)
	} else {
		chosen, ok = chain.SampleAmong(logits, c.mask)
	}
	for ok && !c.fits(chosen.ID) {
		c.mask.Remove(chosen.ID)
		chosen, ok = chain.SampleAmong(logits, c.mask)
	}
	if !ok {
		return 0, ErrNoWay
	}
	return chosen.ID, nil
}

// anything reports that the mask has all tokens: text before a call need not cost more than text without tools.
func (c *constraint) anything() bool { return c.gate != nil && c.openers == nil && c.mayEnd() }

// fits looks at a token that opens the gate: what it has behind that must be of the grammar.
func (c *constraint) fits(t Token) bool {
	if c.gate == nil || c.openers != nil {
		return true
	}
	rest, open := c.gate.clone().pushToken(c.answer, t)
	return !open || c.takes(rest)
}

// accept takes the token that was chosen, and looks ahead.
func (c *constraint) accept(t Token) error {
	c.alone = false
	if c.openers != nil && !slices.Contains(c.openers, t) {
		c.gate = nil
	}
	c.openers = nil
	if err := c.advance(t); err != nil {
		return fmt.Errorf("token %d is not of the answer's grammar: %w", t, err)
	}
	if !c.ended() {
		c.find()
	}
	return nil
}

func (c *constraint) advance(t Token) (err error) {
	if c.gate == nil && c.calls == nil {
		return c.bound.matcher.Accept(t)
	}
	text, open := c.answer.piece(t), true
	if c.gate != nil {
		text, open = c.gate.pushToken(c.answer, t)
	}
	if !open {
		return nil
	}
	c.gate = nil
	if text, err = c.bound.take(text); err != nil {
		return err
	}
	if c.calls != nil && !c.calls.Single && c.bound.ended() {
		c.gate = &gate{calls: c.calls, held: text}
		c.bound = newCourse(c.words, c.calls.Group)
		return nil
	}
	if text != "" {
		return grammar.ErrRejected
	}
	return nil
}

// ended reports that nothing can follow.
func (c *constraint) ended() bool { return c.gate == nil && c.bound.ended() }

// piece is the text of a token as a splitter must see it.
func (a *answer) piece(t Token) string { return string(a.model.vocab.Piece(t, false)) + a.tag(t) }
