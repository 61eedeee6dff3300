package engine

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/llamakit/llamakit/engine/chat"
)

// beginCalls puts a gate before calls that need not come. free reports that nothing else is to be decided: there is a gate, or the
// grammar has the reasoning in it.
func (c *constraint) beginCalls(prompt string, split *chat.Splitter) (free bool, err error) {
	f := c.calls
	lent := ""
	if strings.HasSuffix(strings.TrimSpace(prompt), f.Prompt) {
		lent = f.Prompt
	}
	c.bound = newCourse(c.words, f.First)
	switch {
	case f.Required && f.Format.Raw && c.answer.request.Template.Continue:
		return false, ErrPrefill
	case f.Required:
		return f.Format.Raw, c.bound.takeAll(lent)
	case f.Format.Raw:
		split = nil
	}
	c.gate = &gate{split: split, calls: f, held: lent, beginning: lent == ""}
	if c.answer.request.Template.Continue && split != nil {
		return true, c.resume()
	}
	return true, nil
}

// resume takes a content that was begun, which may end within a call.
func (c *constraint) resume() error {
	content := contentOf(c.answer.model.TemplateFor(&c.answer.request).Splitter(""), c.answer.request.Messages)
	for {
		waiting := c.gate
		begun := gate{calls: c.calls, held: waiting.held, beginning: waiting.beginning}
		rest, open := begun.push(content)
		if !open {
			waiting.held, waiting.beginning = begun.held, begun.beginning
			return nil
		}
		c.gate = nil
		var err error
		if content, err = c.bound.take(rest); err != nil {
			return fmt.Errorf("%w: %w", ErrPrefill, err)
		}
		switch {
		case c.calls.Single && strings.TrimSpace(content) != "":
			return fmt.Errorf("%w: %.40q after the only call", ErrPrefill, content)
		case c.calls.Single || !c.bound.ended():
			return nil
		}
		c.gate, c.bound = &gate{calls: c.calls}, newCourse(c.words, c.calls.Group)
	}
}

// allowSpans adds the tokens that reach over the end of a call: a bracket and the line break behind it are often one, and a model that
// may not write it writes something else instead.
func (c *constraint) allowSpans() {
	for _, t := range c.answer.model.spans() {
		if c.takes(c.answer.piece(t)) {
			c.mask.Add(t)
		}
	}
}

// spanning lists the tokens with a line break behind what ends calls.
func (m *Model) spanning() (tokens []Token) {
	for t := range Token(m.vocab.Size()) {
		p := m.vocab.Piece(t, false)
		if i := bytes.IndexByte(p, '\n'); i > 0 && bytes.IndexByte([]byte("}>])"), p[i-1]) >= 0 {
			tokens = append(tokens, t)
		}
	}
	return tokens
}
