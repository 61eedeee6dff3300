// Package rx holds regular languages of bytes as expressions and walks through them by derivatives.
//
// An Arena interns expressions, so that equal ones have equal numbers: a number is a state of a deterministic automaton
// that is built as it is walked (Brzozowski, "Derivatives of regular expressions", 1964; Owens, Reppy and Turon,
// "Regular-expression derivatives re-examined", 2009). Beside the usual operators there are intersection and complement,
// repetition that counts without being unrolled, and multiples of a number in decimal. A state from which no end can be
// reached is Nothing, always.
//
// An Arena is not safe for concurrent use.
package rx

import (
	"encoding/binary"
	"math"
)

// ID is the number of an expression in its arena. Equal numbers are equal expressions.
type ID int32

// The expressions that every arena has.
const (
	Nothing ID = iota // matches no text
	Empty             // matches the empty text
	All               // matches every text
)

// Unbounded is the max of a repetition without one.
const Unbounded = math.MaxInt32

type kind uint8

const (
	kindNothing kind = iota
	kindEmpty
	kindSet      // one byte of a set
	kindCat      // a, then b, which is no kindCat's left side
	kindAlt      // one of list
	kindAnd      // all of list
	kindNot      // not a
	kindRepeat   // a, min to max times
	kindMultiple // the rest of a decimal number
)

type node struct {
	kind     kind
	nullable bool // matches the empty text
	plain    bool // has no kindAnd, kindNot or kindMultiple inside, so that it is not Nothing in disguise
	finite   bool // matches finitely many texts, as far as is known
	free     int32
	weight   int32 // nodes with repetition, saturating
	a, b     ID
	min, max int32
	list     []ID
	set      *Set
	multiple *multiple
}

// Arena interns expressions and remembers their derivatives.
type Arena struct {
	nodes []node
	index map[string]ID
	key   []byte // scratch for index

	classes  classes
	rows     [][]ID // by expression and class of bytes; 0 is unknown, else the derivative + 1
	life     []life
	tooLarge bool        // an expression was given up, see TooLarge
	searched int         // derivatives taken by searches so far
	covers   map[ID]bool // expressions that match every plain character of a string, see MarkFree
	spares   map[ID]bool // complements of texts that all have a character that is not plain, and stay the same by one that is
}

// New returns an arena with Nothing, Empty and All.
func New() *Arena {
	a := &Arena{index: make(map[string]ID), covers: make(map[ID]bool), spares: make(map[ID]bool)}
	a.classes.init()
	a.intern(node{kind: kindNothing, plain: true, finite: true})
	a.intern(node{kind: kindEmpty, nullable: true, plain: true, finite: true})
	a.intern(node{kind: kindNot, a: Nothing, nullable: true, plain: true})
	return a
}

// Refill gives searches for an end their full budget again. Between two calls it is shared.
func (a *Arena) Refill() { a.searched = 0 }

// maxAlternatives bounds the alternatives of an expression, and so of a state.
const maxAlternatives = 10_000

// TooLarge reports whether an expression had too many alternatives since the last call. It is Nothing then.
func (a *Arena) TooLarge() bool {
	t := a.tooLarge
	a.tooLarge = false
	return t
}

// Len is the number of expressions so far.
func (a *Arena) Len() int { return len(a.nodes) }

// Nullable reports whether the empty text matches.
func (a *Arena) Nullable(e ID) bool { return a.nodes[e].nullable }

// Weight measures how large e is written out, repetitions not unrolled. It saturates.
func (a *Arena) Weight(e ID) int { return int(a.nodes[e].weight) }

// Free returns how many plain characters, of those that MarkFree was told of, may surely come next: after any number up
// to it there is still an end in reach.
func (a *Arena) Free(e ID) int { return int(a.nodes[e].free) }

// MarkFree says that e matches, as a text of its own, every single character that counts for Free. It has to be called
// before e is used in other expressions.
func (a *Arena) MarkFree(e ID) { a.covers[e] = true }

func (a *Arena) intern(n node) ID {
	k := a.key[:0]
	k = append(k, byte(n.kind))
	k = binary.LittleEndian.AppendUint32(k, uint32(n.a))
	k = binary.LittleEndian.AppendUint32(k, uint32(n.b))
	k = binary.LittleEndian.AppendUint32(k, uint32(n.min))
	k = binary.LittleEndian.AppendUint32(k, uint32(n.max))
	for _, e := range n.list {
		k = binary.LittleEndian.AppendUint32(k, uint32(e))
	}
	if n.set != nil {
		for _, w := range n.set {
			k = binary.LittleEndian.AppendUint64(k, w)
		}
	}
	if n.multiple != nil {
		k = n.multiple.appendKey(k)
	}
	a.key = k
	if e, ok := a.index[string(k)]; ok {
		return e
	}
	n.weight = a.weigh(&n)
	e := ID(len(a.nodes))
	a.nodes = append(a.nodes, n)
	a.rows = append(a.rows, nil)
	a.life = append(a.life, unknown)
	a.index[string(k)] = e
	return e
}

func (a *Arena) weigh(n *node) int32 {
	w := int64(1)
	switch n.kind {
	case kindCat:
		w += int64(a.nodes[n.a].weight) + int64(a.nodes[n.b].weight)
	case kindNot:
		if n.a != Nothing {
			w += int64(a.nodes[n.a].weight)
		}
	case kindRepeat:
		w += int64(a.nodes[n.a].weight)
	}
	for _, e := range n.list {
		w += int64(a.nodes[e].weight)
	}
	return int32(min(w, math.MaxInt32))
}
