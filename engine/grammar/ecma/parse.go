package ecma

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/llamakit/llamakit/engine/grammar/rx"
)

type kind uint8

const (
	nodeCat kind = iota
	nodeAlt
	nodeSet
	nodeRepeat
	nodeStart
	nodeEnd
	nodeAhead
	nodeNotAhead
)

type node struct {
	kind     kind
	at       int
	list     []*node
	set      rx.Runes
	min, max int
}

// has reports whether a node of this kind is inside; asserts, whether any that is not plain is.
func (n *node) has(k kind) bool {
	if n.kind == k {
		return true
	}
	for _, x := range n.list {
		if x.has(k) {
			return true
		}
	}
	return false
}

func (n *node) asserts() bool {
	return n.has(nodeStart) || n.has(nodeEnd) || n.has(nodeAhead) || n.has(nodeNotAhead)
}

// Limits of a pattern.
const (
	maxDepth = 100
	maxCount = 1 << 20
)

type parser struct {
	text string
	pos  int
}

func (p *parser) fail(at int, reason string) { panic(&Error{at, reason}) }

func (p *parser) take(s string) bool {
	if !strings.HasPrefix(p.text[p.pos:], s) {
		return false
	}
	p.pos += len(s)
	return true
}

func (p *parser) alternatives(depth int) *node {
	if depth > maxDepth {
		p.fail(p.pos, "groups are nested too deep")
	}
	n := &node{kind: nodeAlt, at: p.pos, list: []*node{p.sequence(depth)}}
	for p.take("|") {
		n.list = append(n.list, p.sequence(depth))
	}
	if len(n.list) == 1 {
		return n.list[0]
	}
	return n
}

func (p *parser) sequence(depth int) *node {
	n := &node{kind: nodeCat, at: p.pos}
	for p.pos < len(p.text) && p.text[p.pos] != '|' && p.text[p.pos] != ')' {
		n.list = append(n.list, p.repetition(p.atom(depth)))
	}
	return n
}

func (p *parser) atom(depth int) *node {
	at := p.pos
	switch {
	case p.take("^"):
		return &node{kind: nodeStart, at: at}
	case p.take("$"):
		return &node{kind: nodeEnd, at: at}
	case p.take("("):
		return p.group(at, depth)
	case p.take("["):
		return &node{kind: nodeSet, at: at, set: p.class(at)}
	case p.take("."):
		return &node{kind: nodeSet, at: at, set: lineEnds.Not()}
	case p.take(`\`):
		return &node{kind: nodeSet, at: at, set: p.escape(at, false)}
	case strings.IndexByte("*+?", p.text[p.pos]) >= 0:
		p.fail(at, "nothing to repeat")
	}
	r := p.char()
	return &node{kind: nodeSet, at: at, set: one(r)}
}

func (p *parser) group(at, depth int) *node {
	n := &node{kind: nodeCat, at: at}
	switch {
	case p.take("?:"):
	case p.take("?="):
		n.kind = nodeAhead
	case p.take("?!"):
		n.kind = nodeNotAhead
	case p.take("?<=") || p.take("?<!"):
		p.fail(at, "look-behind is not supported")
	case p.take("?<"):
		end := strings.IndexByte(p.text[p.pos:], '>')
		if end < 1 {
			p.fail(at, "the name of a group is not closed")
		}
		p.pos += end + 1
	case p.take("?"):
		p.fail(at, "unknown kind of group")
	}
	n.list = []*node{p.alternatives(depth + 1)}
	if !p.take(")") {
		p.fail(at, "this parenthesis is not closed")
	}
	return n
}

// repetition reads a quantifier. Whether it is lazy does not change what is matched.
func (p *parser) repetition(n *node) *node {
	at := p.pos
	lo, hi := 0, rx.Unbounded
	switch {
	case p.take("*"):
	case p.take("+"):
		lo = 1
	case p.take("?"):
		hi = 1
	case p.take("{"):
		var ok bool
		if lo, hi, ok = p.counts(); !ok {
			p.pos = at // a brace that stands for itself
			return n
		}
	default:
		return n
	}
	p.take("?")
	if n.kind == nodeStart || n.kind == nodeEnd {
		p.fail(at, "nothing to repeat")
	}
	if lo > hi {
		p.fail(at, "the least count is greater than the greatest")
	}
	return &node{kind: nodeRepeat, at: at, list: []*node{n}, min: lo, max: hi}
}

func (p *parser) counts() (lo, hi int, ok bool) {
	inner, _, closed := strings.Cut(p.text[p.pos:], "}")
	if !closed {
		return 0, 0, false
	}
	from, to, comma := strings.Cut(inner, ",")
	lo, err := strconv.Atoi(from)
	if err != nil || lo < 0 {
		return 0, 0, false
	}
	hi = lo
	if comma {
		hi = rx.Unbounded
	}
	if to != "" {
		if hi, err = strconv.Atoi(to); err != nil {
			return 0, 0, false
		}
	}
	if lo > maxCount || hi > maxCount && hi != rx.Unbounded {
		p.fail(p.pos, "counts go up to "+strconv.Itoa(maxCount))
	}
	p.pos += len(inner) + 1
	return lo, hi, true
}

func (p *parser) char() rune {
	r, n := utf8.DecodeRuneInString(p.text[p.pos:])
	p.pos += n
	return r
}
