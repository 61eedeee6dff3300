package gbnf

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/llamakit/llamakit/engine/grammar/rx"
)

// Expectation is one way in which a text may go on.
type Expectation struct {
	Rules []string // that are being read, from root inwards
	Next  string   // what the innermost wants: a text in quotes, or a class of characters
}

// ErrTooMany is of a text that can be read in too many ways to list.
var ErrTooMany = errors.New("the text can be read in too many ways")

// maxFrames bounds the work of Trace.
const maxFrames = 200_000

// Trace reads the beginning of a text and says by which rules it may go on, and whether it may end. It keeps what the compiled
// automaton forgets, and is slow: it is for people. find is as for Compile. A text that the grammar does not allow has no expectations and no end.
func Trace(grammar, text string, find Lookup) (next []Expectation, end bool, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *SyntaxError:
			err = p
		case tooMany:
			err = ErrTooMany
		default:
			panic(p)
		}
	}()
	t := tracer{g: read(grammar, find), known: map[frame]*frame{}}
	t.begin()
	t.call("root", nil)
	for len(text) > 0 && utf8.FullRuneInString(text) {
		r, n := utf8.DecodeRuneInString(text)
		text = text[n:]
		t.step(r)
	}
	return t.expectations(), t.end, nil
}

type tooMany struct{}

// frame is a place within a sequence, and where that was called from. Equal frames are the same pointer.
type frame struct {
	seq    *sequence
	at     int // item
	done   int // how often the item was read
	offset int // in a literal that is being read
	rule   string
	parent *frame
}

type tracer struct {
	g     *grammar
	known map[frame]*frame
	seen  map[*frame]bool // of this step
	order []*frame        // that wait for a character
	end   bool
}

func (t *tracer) begin() { t.seen, t.order, t.end = map[*frame]bool{}, nil, false }

func (t *tracer) intern(f frame) *frame {
	p, ok := t.known[f]
	if !ok {
		if len(t.known) > maxFrames {
			panic(tooMany{})
		}
		p = &f
		t.known[f] = p
	}
	return p
}

// step takes a character.
func (t *tracer) step(r rune) {
	waiting := t.order
	t.begin()
	for _, f := range waiting {
		switch it := &(*f.seq)[f.at]; it.kind {
		case itemClass:
			if in := rx.Runes(it.ranges).Has(r); in != it.negate {
				t.finish(f)
			}
		case itemLiteral:
			t.stepLiteral(f, it.text, r)
		} // text is no token
	}
}

func (t *tracer) stepLiteral(f *frame, text string, r rune) {
	want, n := utf8.DecodeRuneInString(text[f.offset:])
	switch {
	case want != r:
	case f.offset+n == len(text):
		t.finish(f)
	default:
		after := *f
		after.offset += n
		t.wait(t.intern(after))
	}
}

func (t *tracer) wait(f *frame) {
	if !t.seen[f] {
		t.seen[f] = true
		t.order = append(t.order, f)
	}
}

// call enters the alternatives of a rule.
func (t *tracer) call(rule string, parent *frame) {
	t.alternatives(t.g.rules[t.g.index[rule]].body, rule, parent)
}

func (t *tracer) alternatives(a alternatives, rule string, parent *frame) {
	for i := range a {
		t.enter(t.intern(frame{seq: &a[i], rule: rule, parent: parent}))
	}
}

// enter is at an item that is to be read: it reads it, or where it has been read often enough goes on behind it.
func (t *tracer) enter(f *frame) {
	if t.seen[f] {
		return
	}
	t.seen[f] = true
	if f.at == len(*f.seq) {
		if f.parent == nil {
			t.end = true
			return
		}
		t.finish(f.parent)
		return
	}
	it := &(*f.seq)[f.at]
	if f.done >= it.min {
		t.enter(t.intern(frame{seq: f.seq, at: f.at + 1, rule: f.rule, parent: f.parent}))
	}
	if it.max != rx.Unbounded && f.done >= it.max {
		return
	}
	switch {
	case it.kind == itemRule:
		t.call(it.text, f)
	case it.kind == itemGroup:
		t.alternatives(it.group, "", f)
	case it.kind == itemLiteral && it.text == "":
		t.finish(f)
	default:
		t.order = append(t.order, f)
	}
}

// finish has read an item once more. Counts that make no difference are not kept, so that a star is one place.
func (t *tracer) finish(f *frame) {
	it := &(*f.seq)[f.at]
	done := f.done + 1
	if it.max == rx.Unbounded {
		done = min(done, max(it.min, 1))
	}
	t.enter(t.intern(frame{seq: f.seq, at: f.at, done: done, rule: f.rule, parent: f.parent}))
}

func (t *tracer) expectations() (list []Expectation) {
	for _, f := range t.order {
		e := Expectation{Next: (*f.seq)[f.at].wanted(f.offset)}
		for p := f; p != nil; p = p.parent {
			if p.rule != "" {
				e.Rules = append(e.Rules, p.rule)
			}
		}
		slices.Reverse(e.Rules)
		same := func(x Expectation) bool { return x.Next == e.Next && slices.Equal(x.Rules, e.Rules) }
		if !slices.ContainsFunc(list, same) {
			list = append(list, e)
		}
	}
	return list
}

// wanted is what an item wants, in the notation of grammars.
func (it *item) wanted(offset int) string {
	switch {
	case it.kind == itemLiteral:
		return strconv.Quote(it.text[offset:])
	case it.kind == itemToken && it.negate:
		return fmt.Sprintf("!<[%d]>", it.token)
	case it.kind == itemToken:
		return fmt.Sprintf("<[%d]>", it.token)
	}
	var b strings.Builder
	b.WriteByte('[')
	if it.negate {
		b.WriteByte('^')
	}
	for _, r := range it.ranges {
		b.WriteString(Class(r.Lo, r.Hi))
	}
	b.WriteByte(']')
	return b.String()
}

// Class writes the characters from lo to hi as they stand in a class.
func Class(lo, hi rune) string {
	switch hi - lo {
	case 0:
		return inClass(lo)
	case 1:
		return inClass(lo) + inClass(hi)
	}
	return inClass(lo) + "-" + inClass(hi)
}

func inClass(r rune) string {
	if strings.ContainsRune(`]\^-`, r) {
		return `\` + string(r)
	}
	if strconv.IsPrint(r) {
		return string(r)
	}
	return strings.Trim(fmt.Sprintf("%+q", r), "'")
}
