package engine

import (
	"fmt"

	"github.com/llamakit/llamakit/engine/chat"
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
