// Package ecma compiles regular expressions as ECMA-262 defines them (with the flag u, as JSON Schema asks for) to regular
// languages.
//
// Look-ahead and anchors are supported, also inside groups: they are intersections and complements. Back-references,
// look-behind, word boundaries and assertions under an unbounded repetition are refused.
package ecma

import (
	"fmt"

	"github.com/llamakit/llamakit/engine/grammar/rx"
)

// Error is of a pattern that cannot be compiled.
type Error struct {
	Offset int // in bytes
	Reason string
}

func (e *Error) Error() string { return fmt.Sprintf("at offset %d: %s", e.Offset, e.Reason) }

// Text makes the language of the characters of a set, as the text is written. It must not have two spellings of a character.
type Text func(rx.Runes) rx.ID

// Compile returns the texts in which pattern is found. An error is an *Error.
func Compile(a *rx.Arena, text Text, pattern string) (e rx.ID, err error) {
	defer func() {
		if x, ok := recover().(*Error); ok {
			err = x
		}
	}()
	p := parser{text: pattern}
	root := p.alternatives(0)
	if p.pos < len(pattern) {
		p.fail(p.pos, "unexpected )")
	}
	any := text(rx.Runes(nil).Not())
	c := compiler{Arena: a, text: text, any: a.Star(any)}
	found := c.sequence([]*node{root}, true, c.any)
	if !root.has(nodeStart) {
		return a.Cat(c.any, found), nil
	}
	return a.Alt(found, a.Cat(any, c.any, c.sequence([]*node{root}, false, c.any))), nil
}

// maxSteps bounds the sequences that are looked at: groups with assertions are written out for each way through them.
const maxSteps = 10_000

type compiler struct {
	*rx.Arena
	text  Text
	any   rx.ID
	steps int
}

// sequence returns the texts that list matches with rest after it. start says that nothing came before.
func (c *compiler) sequence(list []*node, start bool, rest rx.ID) rx.ID {
	if c.steps++; c.steps > maxSteps {
		panic(&Error{0, "too many combinations of assertions"})
	}
	if len(list) == 0 {
		return rest
	}
	n, tail := list[0], list[1:]
	if !n.asserts() {
		return c.plain(n, tail, start, rest)
	}
	switch n.kind {
	case nodeStart:
		if !start {
			return rx.Nothing
		}
		return c.sequence(tail, start, rest)
	case nodeEnd:
		return c.And(rx.Empty, c.sequence(tail, start, rest))
	case nodeAhead, nodeNotAhead:
		ahead := c.sequence(n.list, start, c.any)
		if n.kind == nodeNotAhead {
			ahead = c.Not(ahead)
		}
		return c.And(ahead, c.sequence(tail, start, rest))
	case nodeCat:
		return c.sequence(join(n.list, tail), start, rest)
	case nodeAlt:
		var alts []rx.ID
		for _, x := range n.list {
			alts = append(alts, c.sequence(join([]*node{x}, tail), start, rest))
		}
		return c.Alt(alts...)
	}
	return c.repeat(n, tail, start, rest)
}

// plain is a sequence that begins with a part without assertions. Where a later one asks for the start, it matters
// whether that part matched anything.
func (c *compiler) plain(n *node, tail []*node, start bool, rest rx.ID) rx.ID {
	x := c.regular(n)
	later := false
	for _, t := range tail {
		later = later || t.has(nodeStart)
	}
	if !start || !later {
		return c.Cat(x, c.sequence(tail, start && later, rest))
	}
	some := c.Cat(c.And(x, c.Not(rx.Empty)), c.sequence(tail, false, rest))
	if c.Nullable(x) {
		return c.Alt(some, c.sequence(tail, true, rest))
	}
	return some
}

// repeat writes out a bounded repetition of something with assertions.
func (c *compiler) repeat(n *node, tail []*node, start bool, rest rx.ID) rx.ID {
	if n.max > 8 {
		panic(&Error{n.at, "an assertion is repeated too often"})
	}
	var alts []rx.ID
	var body []*node
	for i := 0; i <= n.max; i++ {
		if i >= n.min {
			alts = append(alts, c.sequence(join(body, tail), start, rest))
		}
		body = append(body, n.list[0])
	}
	return c.Alt(alts...)
}

// regular returns the texts of a node without assertions.
func (c *compiler) regular(n *node) rx.ID {
	var list []rx.ID
	for _, x := range n.list {
		list = append(list, c.regular(x))
	}
	switch n.kind {
	case nodeSet:
		return c.text(n.set)
	case nodeAlt:
		return c.Alt(list...)
	case nodeRepeat:
		return c.Repeat(list[0], n.min, n.max)
	}
	return c.Cat(list...)
}

func join(x, y []*node) []*node { return append(append([]*node(nil), x...), y...) }
