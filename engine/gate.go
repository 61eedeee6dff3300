package engine

import (
	"strings"

	"github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/engine/chat/calls"
)

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

// pushToken is push for a token, which may be a trigger itself: then the grammar begins with its text, also where that is not shown.
func (g *gate) pushToken(a *answer, t Token) (rest string, open bool) {
	if g.late.begins(t) && (g.split == nil || !g.split.Thinking()) {
		return string(a.model.vocab.Piece(t, true)), true
	}
	return g.push(a.piece(t))
}

const white = " \t\r\n"
