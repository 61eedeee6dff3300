package engine

import (
	"fmt"
	"strings"

	"github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/engine/chat/calls"
	"github.com/llamakit/llamakit/engine/grammar"
)

// course is a place in a text that is of a grammar.
type course struct{ matcher *grammar.Matcher }

func newCourse(words *grammar.Vocabulary, g *grammar.Grammar) course { return course{g.Matcher(words)} }

func (c *course) clone() *course { return &course{c.matcher.Clone()} }

// ended reports that nothing can follow.
func (c *course) ended() bool { return c.matcher.Ended() }

// take accepts a text, which may reach over the end of the grammar. What follows that is the rest.
func (c *course) take(text string) (rest string, err error) {
	if text == "" || c.ended() {
		return text, nil
	}
	n, err := c.matcher.AcceptBytes([]byte(text))
	if err == nil {
		return "", nil
	}
	if n == 0 {
		return "", err
	}
	if _, again := c.matcher.AcceptBytes([]byte(text[:n])); again != nil || !c.ended() {
		return "", err
	}
	return text[n:], nil
}

// takeAll is take of a text that has no rest.
func (c *course) takeAll(text string) error {
	rest, err := c.take(text)
	if err == nil && rest != "" {
		err = fmt.Errorf("%w: %q after the end", grammar.ErrRejected, rest)
	}
	return err
}

// contentOf is the content of the last message, without the reasoning before it.
func contentOf(split *chat.Splitter, messages []chat.Message) string {
	content, _ := split.Push(messages[len(messages)-1].Text())
	rest, _ := split.Flush()
	return content + rest
}

// prefill takes a content that was begun.
func (c *course) prefill(content string) error {
	if err := c.takeAll(content); err != nil {
		return fmt.Errorf("%w: %w", ErrPrefill, err)
	}
	return nil
}

// gate is shut while text is free: until the reasoning ends, or until a text comes that the bound part begins with.
type gate struct {
	split     *chat.Splitter // nil: there is no reasoning
	calls     *calls.Form    // nil: the content itself is bound
	held      string         // of the content: what may be the beginning of a trigger
	beginning bool           // no content has come
	late      *late          // instead of calls
}

func (g *gate) clone() *gate {
	c := *g
	if g.split != nil {
		c.split = g.split.Clone()
	}
	if g.late != nil {
		l := *g.late
		c.late = &l
	}
	return &c
}

// push takes the next piece of text. Where it opens the gate, rest is what the bound part begins with.
func (g *gate) push(text string) (rest string, open bool) {
	if g.split != nil {
		text, _ = g.split.Push(text)
	}
	if g.late != nil {
		return g.late.push(text)
	}
	if g.calls == nil {
		return strings.TrimLeft(text, white), !g.split.Thinking()
	}
	g.held += text
	at, longest := -1, len(g.calls.Beginning)
	for _, t := range g.calls.Triggers {
		if i := strings.Index(g.held, t); i >= 0 && (at < 0 || i < at) {
			at = i
		}
		longest = max(longest, len(t))
	}
	if at >= 0 {
		return g.held[at:], true
	}
	if content := strings.TrimLeft(g.held, white); g.beginning && content != "" {
		if b := g.calls.Beginning; b != "" && strings.HasPrefix(content, b) {
			return content, true
		} else if !strings.HasPrefix(b, content) {
			g.beginning = false
		}
	}
	g.held = g.held[max(0, len(g.held)-longest+1):]
	return "", false
}

const white = " \t\r\n"
