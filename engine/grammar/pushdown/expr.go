package pushdown

import (
	"encoding/binary"
	"slices"

	"github.com/llamakit/llamakit/engine/grammar/rx"
)

// Expr is the number of an expression in its builder. Equal numbers are equal expressions.
type Expr int32

// The expressions that every builder has.
const (
	Nothing Expr = iota
	Empty
)

// Rule is the number of a rule.
type Rule int32

// Source writes out lazy expressions. It must be comparable, and give the same expression for the same position always.
type Source interface {
	Expand(b *Builder, at Position) Expr
}

// Position says which of its expressions a source is to write out.
type Position struct {
	Index, Count int32
	Marks        uint64
}

type kind uint8

const (
	kindNothing kind = iota
	kindEmpty
	kindTerm
	kindCat
	kindAlt
	kindRepeat
	kindCall
	kindLazy
)

type node struct {
	kind     kind
	a, b     Expr // of kindCat and kindRepeat
	min, max int32
	term     rx.ID
	rule     Rule
	list     []Expr
	lazy     lazy
	expanded Expr // of kindLazy: 0 until it is known
}

type lazy struct {
	source Source
	at     Position
}

// Builder makes expressions and the states of the automaton.
type Builder struct {
	RX *rx.Arena

	nodes  []node
	index  map[string]Expr
	lazies map[lazy]Expr
	bodies []Expr // by rule
	key    []byte
	machine
}

// NewBuilder returns a builder without rules.
func NewBuilder() *Builder {
	b := &Builder{RX: rx.New(), index: make(map[string]Expr), lazies: make(map[lazy]Expr)}
	b.intern(node{kind: kindNothing})
	b.intern(node{kind: kindEmpty})
	b.machine.init()
	return b
}

// Rule makes a rule whose body is set later with Define.
func (b *Builder) Rule() Rule {
	b.bodies = append(b.bodies, Nothing)
	return Rule(len(b.bodies) - 1)
}

// Define sets the body of a rule.
func (b *Builder) Define(r Rule, body Expr) { b.bodies[r] = body }

// Call matches the body of r.
func (b *Builder) Call(r Rule) Expr { return b.intern(node{kind: kindCall, rule: r}) }

// Lazy matches what s writes out for at, when a text gets there.
func (b *Builder) Lazy(s Source, at Position) Expr {
	l := lazy{s, at}
	e, ok := b.lazies[l]
	if !ok {
		e = Expr(len(b.nodes))
		b.nodes = append(b.nodes, node{kind: kindLazy, lazy: l})
		b.lazies[l] = e
	}
	return e
}

// Term matches a regular language.
func (b *Builder) Term(e rx.ID) Expr {
	switch {
	case e == rx.Empty:
		return Empty
	case !b.RX.Alive(e):
		return Nothing
	}
	return b.intern(node{kind: kindTerm, term: e})
}

// Cat matches the expressions one after the other.
func (b *Builder) Cat(list ...Expr) Expr {
	e := Empty
	for _, l := range slices.Backward(list) {
		switch {
		case l == Nothing || e == Nothing:
			return Nothing
		case l == Empty:
		case e == Empty:
			e = l
		default:
			e = b.intern(node{kind: kindCat, a: l, b: e})
		}
	}
	return e
}

// Alt matches what one of the expressions matches. Terminals become one.
func (b *Builder) Alt(list ...Expr) Expr {
	var terms []rx.ID
	var flat []Expr
	for _, e := range list {
		switch b.nodes[e].kind {
		case kindNothing:
		case kindTerm:
			terms = append(terms, b.nodes[e].term)
		case kindAlt:
			flat = append(flat, b.nodes[e].list...)
		default:
			flat = append(flat, e)
		}
	}
	if len(terms) > 0 {
		flat = append(flat, b.Term(b.RX.Alt(terms...)))
	}
	slices.Sort(flat)
	flat = slices.Compact(flat)
	switch len(flat) {
	case 0:
		return Nothing
	case 1:
		return flat[0]
	}
	return b.intern(node{kind: kindAlt, list: flat})
}

// Repeat matches e from lo to hi times; hi may be rx.Unbounded.
func (b *Builder) Repeat(e Expr, lo, hi int) Expr {
	switch {
	case e == Nothing && lo > 0, lo > hi:
		return Nothing
	case hi == 0, e == Empty, e == Nothing:
		return Empty
	case lo == 1 && hi == 1:
		return e
	}
	return b.intern(node{kind: kindRepeat, a: e, min: int32(lo), max: int32(hi)})
}

func (b *Builder) intern(n node) Expr {
	k := append(b.key[:0], byte(n.kind))
	for _, v := range []int32{int32(n.a), int32(n.b), n.min, n.max, int32(n.term), int32(n.rule)} {
		k = binary.LittleEndian.AppendUint32(k, uint32(v))
	}
	for _, e := range n.list {
		k = binary.LittleEndian.AppendUint32(k, uint32(e))
	}
	b.key = k
	e, ok := b.index[string(k)]
	if !ok {
		e = Expr(len(b.nodes))
		b.nodes = append(b.nodes, n)
		b.index[string(k)] = e
	}
	return e
}
