package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/engine/grammar"
	"github.com/llamakit/llamakit/engine/vocab"
)

// Errors of answers that have a grammar.
var (
	ErrNoWay   = errors.New("no token of the vocabulary continues the answer as its grammar wants")
	ErrPrefill = errors.New("the beginning of the answer is not of its grammar")
)

// constraint keeps the content of an answer within a grammar. Where the model reasons first, that is free, and the content
// begins behind it. It belongs to the answer, so that a sequence that is put back or shifted goes on where it was.
type constraint struct {
	answer  *answer
	matcher *grammar.Matcher
	mask    grammar.Mask   // of the next token
	found   chan error     // tells that mask is there: it is found while the model computes
	think   *chat.Splitter // nil: the content has begun
	openers []Token        // at the beginning: tokens that open the reasoning
}

// Words is the vocabulary as grammars need it. It is made once.
func (m *Model) Words() *grammar.Vocabulary { return m.words() }

// constrain gives an answer its grammar.
func (m *Model) constrain(a *answer, g *grammar.Grammar) error {
	if m.vocab == nil {
		return fmt.Errorf("a grammar needs a tokenizer: %w", m.noVocab)
	}
	c := &constraint{answer: a, matcher: g.Matcher(m.Words()), mask: grammar.NewMask(m.vocab.Size()), found: make(chan error, 1)}
	if len(a.request.Messages) > 0 {
		if err := c.begin(m); err != nil {
			return err
		}
	}
	a.constraint = c
	c.find()
	return nil
}

// begin looks at what the prompt leaves open: reasoning, or a content that was begun.
func (c *constraint) begin(m *Model) error {
	r, text := &c.answer.request, c.answer.text
	split := m.template.SplitterFor(m.input(*r), text)
	if split.Thinking() {
		c.think = split
	}
	if r.Template.Continue {
		return c.prefill(m.template.Splitter(""), r.Messages[len(r.Messages)-1].Text())
	}
	if c.think == nil && r.Template.Thinking != ThinkingOff {
		if c.openers = m.openers(text); c.openers != nil {
			c.think = split
		}
	}
	return nil
}

// prefill takes a content that was begun, without the reasoning before it.
func (c *constraint) prefill(split *chat.Splitter, text string) error {
	content, _ := split.Push(text)
	rest, _ := split.Flush()
	if n, err := c.matcher.AcceptBytes([]byte(content + rest)); err != nil {
		return fmt.Errorf("%w: after %d bytes", ErrPrefill, n)
	}
	return nil
}

// openers are the tokens that open the reasoning; none where the prompt has closed it.
func (m *Model) openers(prompt string) (tokens []Token) {
	tags := m.template.Tags() // in pairs
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

// find begins to find the mask of the next token.
func (c *constraint) find() {
	go func() { c.found <- c.fill() }()
}

func (c *constraint) fill() error {
	if c.think == nil || c.openers != nil {
		err := c.matcher.Mask(c.mask)
		for _, t := range c.openers {
			c.mask[t>>6] |= 1 << (t & 63)
		}
		return err
	}
	for i := range c.mask {
		c.mask[i] = ^uint64(0)
	}
	for t := range Token(c.answer.model.vocab.Size()) { // the content is still to come
		if c.answer.model.vocab.IsEOG(t) {
			c.ban(t)
		}
	}
	return nil
}

func (c *constraint) ban(t Token) { c.mask[t>>6] &^= 1 << (t & 63) }

// sample chooses a token that the grammar allows.
func (c *constraint) sample(logits []float32) (Token, error) {
	if err := <-c.found; err != nil {
		return 0, err
	}
	for {
		chosen, ok := c.answer.chain.SampleAmong(logits, c.mask)
		switch {
		case !ok:
			return 0, ErrNoWay
		case c.fits(chosen.ID):
			return chosen.ID, nil
		}
		c.ban(chosen.ID)
	}
}

// fits looks at the end of a token of the reasoning: content that begins in it must be of the grammar.
func (c *constraint) fits(t Token) bool {
	if c.think == nil || c.openers != nil {
		return true
	}
	content, _ := c.think.Clone().Push(c.answer.piece(t))
	_, err := c.matcher.Clone().AcceptBytes([]byte(trimmed(content)))
	return err == nil
}

// accept takes the token that was chosen, and looks ahead.
func (c *constraint) accept(t Token) error {
	if c.openers != nil && !slices.Contains(c.openers, t) {
		c.think = nil
	}
	c.openers = nil
	if err := c.take(t); err != nil {
		return fmt.Errorf("token %d is not of the answer's grammar: %w", t, err)
	}
	if !c.ended() {
		c.find()
	}
	return nil
}

func (c *constraint) take(t Token) error {
	if c.think == nil {
		return c.matcher.Accept(t)
	}
	content, _ := c.think.Push(c.answer.piece(t))
	if !c.think.Thinking() {
		c.think = nil
	}
	_, err := c.matcher.AcceptBytes([]byte(trimmed(content)))
	return err
}

// ended reports that nothing can follow.
func (c *constraint) ended() bool { return c.think == nil && c.matcher.Ended() }

// trimmed is a content without the white space that parts it from the reasoning.
func trimmed(content string) string { return strings.TrimLeft(content, " \t\r\n") }

// piece is the text of a token as a splitter must see it.
func (a *answer) piece(t Token) string { return string(a.model.vocab.Piece(t, false)) + a.tag(t) }
