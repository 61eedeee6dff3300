package gbnf

import "github.com/llamakit/llamakit/engine/grammar/rx"

// rule is a definition.
type rule struct {
	name string
	at   int // offset in the text
	body alternatives
}

// alternatives are separated by |, the items of a sequence by blanks.
type (
	alternatives []sequence
	sequence     []item
)

type itemKind uint8

const (
	itemLiteral itemKind = iota // text
	itemClass                   // one character of ranges
	itemRule                    // name
	itemGroup                   // group
	itemToken                   // one token
)

// item is what a sequence consists of.
type item struct {
	kind   itemKind
	at     int
	text   string // of a literal; the name of a rule
	ranges []rx.RuneRange
	negate bool // the ranges are what is left out, or the token
	token  int32
	group  alternatives
	min    int
	max    int // rx.Unbounded: no limit
}

// walk calls f for all items of the alternatives, those of groups included.
func (a alternatives) walk(f func(*item)) {
	for _, seq := range a {
		for i := range seq {
			f(&seq[i])
			seq[i].group.walk(f)
		}
	}
}
