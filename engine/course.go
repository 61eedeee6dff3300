package engine

import (
	"fmt"
	"strings"

	"github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/engine/grammar"
)

// course is a place in a text that is of several grammars, one after the other. Each but the last must know where it ends.
type course struct {
	words   *grammar.Vocabulary
	matcher *grammar.Matcher
	next    []*grammar.Grammar
}

func newCourse(words *grammar.Vocabulary, list ...*grammar.Grammar) course {
	return course{words: words, matcher: list[0].Matcher(words), next: list[1:]}
}

func (c *course) clone() *course {
	return &course{words: c.words, matcher: c.matcher.Clone(), next: c.next}
}

// ended reports that nothing can follow.
func (c *course) ended() bool { return len(c.next) == 0 && c.matcher.Ended() }

// turn goes on to the next grammar at the end of one.
func (c *course) turn() {
	if c.matcher.Ended() && len(c.next) > 0 {
		c.matcher, c.next = c.next[0].Matcher(c.words), c.next[1:]
	}
}

// take accepts a text, which may reach over the end of a grammar. What follows the end of the last one is the rest.
func (c *course) take(text string) (rest string, err error) {
	for text != "" && !c.ended() {
		n, err := c.matcher.AcceptBytes([]byte(text))
		if err == nil {
			n = len(text)
		} else if n == 0 {
			return "", err
		} else if _, err := c.matcher.AcceptBytes([]byte(text[:n])); err != nil {
			return "", err
		}
		c.turn()
		text = text[n:]
	}
	return text, nil
}

// takeAll is take of a text that has no rest.
func (c *course) takeAll(text string) error {
	rest, err := c.take(text)
	if err == nil && rest != "" {
		err = fmt.Errorf("%w: %q after the end", grammar.ErrRejected, rest)
	}
	return err
}

// prefill takes a content that was begun, without the reasoning before it.
func (c *course) prefill(split *chat.Splitter, text string) error {
	content, _ := split.Push(text)
	rest, _ := split.Flush()
	if err := c.takeAll(content + rest); err != nil {
		return fmt.Errorf("%w: %w", ErrPrefill, err)
	}
	return nil
}

// gate is shut while text is free: until the reasoning ends, or until a text comes that the bound part follows.
type gate struct {
	split   *chat.Splitter // nil: there is no reasoning
	trigger string         // "": the content itself is bound
	held    string         // of the content: what may be the beginning of trigger
	late    *late          // instead of trigger
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

// push takes the next piece of text. Where it opens the gate, rest is what follows.
func (g *gate) push(text string) (rest string, open bool) {
	if g.split != nil {
		text, _ = g.split.Push(text)
	}
	if g.late != nil {
		return g.late.push(text)
	}
	if g.trigger == "" {
		return strings.TrimLeft(text, " \t\r\n"), !g.split.Thinking()
	}
	g.held += text
	if _, rest, open = strings.Cut(g.held, g.trigger); open {
		return rest, true
	}
	g.held = g.held[max(0, len(g.held)-len(g.trigger)+1):]
	return "", false
}

// Calls is the form of an answer that may call tools: text, and calls between Open and Close, each on its own lines.
type Calls struct {
	Open, Close string
	Form        *grammar.Grammar // of what stands between, without the line breaks: JSON objects
	Required    bool             // the answer begins with a call
	Single      bool             // the answer ends with the first one
}

// afterOpening is the course of a call whose Open has come.
func (c *Calls) afterOpening(words *grammar.Vocabulary) (course, error) { return c.course(words, "\n") }

// whole is the course of a call.
func (c *Calls) whole(words *grammar.Vocabulary) (course, error) {
	return c.course(words, c.Open+"\n")
}

func (c *Calls) course(words *grammar.Vocabulary, open string) (course, error) {
	before, err := literal(open)
	if err != nil {
		return course{}, err
	}
	after, err := literal("\n" + c.Close)
	if err != nil {
		return course{}, err
	}
	return newCourse(words, before, c.Form, after), nil
}

// literal is the grammar of one text.
func literal(text string) (*grammar.Grammar, error) {
	return grammar.ParseGBNF(`root ::= "` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(text) + `"`)
}
