package schema

import (
	"github.com/llamakit/llamakit/engine/grammar/pushdown"
	"github.com/llamakit/llamakit/engine/grammar/rx"
)

// objectSource writes out an object a member at a time.
type objectSource struct {
	members     []emitted // known, in order
	others      []emitted // in any number, after the known ones
	last        []emitted // the last member has to be one of these, if there are any
	min, max    int
	limited     bool
	first       pushdown.Expr // up to the quote of the first name
	later       pushdown.Expr // the same of a later one
	emptyObject pushdown.Expr
	closeObject pushdown.Expr
}

// emitted is a member: its name after the opening quote, and its value.
type emitted struct {
	name     pushdown.Expr
	value    pushdown.Expr
	required bool
}

// objectPossible reports whether an object of o can be written, as far as is known.
func (c *compiler) objectPossible(o *object) bool {
	required, known := 0, 0
	for _, p := range o.props {
		possible := c.conjs[p.value].possible
		if p.required && !possible {
			return false
		}
		if p.required {
			required++
		}
		if possible {
			known++
		}
	}
	others := c.anyPossible(o.classes)
	if o.last != nil {
		required++
		if !c.anyPossible(o.last) {
			return false
		}
	}
	if others || o.last != nil {
		known++ // names can be written twice: one of these counts
	}
	return known >= o.min && (!o.limited || max(required, o.min) <= o.max)
}

func (c *compiler) anyPossible(list []class) bool {
	for _, k := range list {
		if c.conjs[k.value].possible {
			return true
		}
	}
	return false
}

// memberWriter is how the members of an object are written.
type memberWriter interface {
	// name is the language of some names.
	name(names rx.ID) rx.ID
	// value is the expression of the values of a member, where there can be any. Of a class of names name is "".
	value(name string, x conj) (pushdown.Expr, bool)
}

// inner writes the members of objects that are not the outermost.
type inner struct {
	*compiler
	more *[]conj
}

func (w inner) name(names rx.ID) rx.ID { return w.text.named(names) }

func (w inner) value(_ string, x conj) (pushdown.Expr, bool) { return w.compiler.value(x, w.more) }

func (c *compiler) emitObject(o *object, more *[]conj) pushdown.Expr {
	return c.emitMembers(o, &c.layout, inner{c, more})
}

func (c *compiler) emitMembers(o *object, l *layout, w memberWriter) pushdown.Expr {
	s := &objectSource{min: o.min, max: o.max, limited: o.limited, first: c.b.Term(c.rx.Cat(l.inside, l.beforeName)), later: c.b.Term(c.rx.Cat(l.comma, l.beforeName)),
		emptyObject: c.b.Term(l.emptyObject), closeObject: c.b.Term(l.closeObject)}
	member := func(name string, names rx.ID, x conj, required bool) (m []emitted) {
		names = w.name(names)
		if v, ok := w.value(name, x); ok && c.rx.Alive(names) {
			m = append(m, emitted{c.b.Term(c.rx.Cat(names, l.afterName)), c.b.Cat(v, c.b.Term(l.afterValue)), required})
		}
		return m
	}
	for _, p := range o.props {
		s.members = append(s.members, member(p.name, c.text.literals([]string{p.name}), p.value, p.required)...)
	}
	for _, k := range o.classes {
		s.others = append(s.others, member("", c.otherNames(o, k.names), k.value, false)...)
	}
	for _, k := range o.last {
		s.last = append(s.last, member("", c.otherNames(o, k.names), k.value, false)...)
	}
	return c.b.Cat(c.b.Term(l.openObject), c.b.Lazy(s, pushdown.Position{}))
}

// place is where an object is being written.
type place struct {
	next     int  // known member, in order; one past their number after the last of all members
	count    int  // members written, as far as the limit needs it; else 1 for any
	distinct int  // members that surely have different names, up to min
	other    bool // a member with another name was written: the next one may repeat its name
}

func (p place) position() pushdown.Position {
	marks := uint64(p.distinct) << 1
	if p.other {
		marks++
	}
	return pushdown.Position{Index: int32(p.next), Count: int32(p.count), Marks: marks}
}

// Expand writes out what may come at a place. What stands before a name is common to all, so that the automaton is in one
// state there.
func (s *objectSource) Expand(b *pushdown.Builder, at pushdown.Position) pushdown.Expr {
	p := place{int(at.Index), int(at.Count), int(at.Marks >> 1), at.Marks&1 == 1}
	names := b.Alt(s.names(b, p)...)
	if p.count > 0 {
		names = b.Cat(s.later, names)
	} else {
		names = b.Cat(s.first, names)
	}
	if !s.complete(p) {
		return names
	}
	return b.Alt(names, s.end(p))
}

// names is the members that may come next.
func (s *objectSource) names(b *pushdown.Builder, p place) []pushdown.Expr {
	var list []pushdown.Expr
	add := func(m emitted, to place) {
		if s.reachable(to) {
			list = append(list, b.Cat(m.name, m.value, b.Lazy(s, to.position())))
		}
	}
	for i := p.next; i < len(s.members); i++ {
		add(s.members[i], s.after(p, i+1, false))
		if s.members[i].required {
			return list
		}
	}
	if p.next <= len(s.members) {
		for _, m := range s.others {
			add(m, s.after(p, len(s.members), true))
		}
		for _, m := range s.last {
			add(m, s.after(p, len(s.members)+1, true))
		}
	}
	return list
}

// complete reports whether the object may end.
func (s *objectSource) complete(p place) bool {
	if len(s.last) > 0 && p.next <= len(s.members) {
		return false
	}
	for i := p.next; i < len(s.members); i++ {
		if s.members[i].required {
			return false
		}
	}
	return p.distinct >= s.min
}

func (s *objectSource) end(p place) pushdown.Expr {
	if p.count > 0 {
		return s.closeObject
	}
	return s.emptyObject
}

// after is the place after one more member.
func (s *objectSource) after(p place, next int, other bool) place {
	p.count++
	if !s.limited {
		p.count = 1
	}
	if !other || !p.other {
		p.distinct = min(p.distinct+1, s.min)
	}
	p.next, p.other = next, p.other || other
	return p
}

// reachable reports whether an object that has come to p can be completed.
func (s *objectSource) reachable(p place) bool {
	required, possible := 0, 0
	if p.next <= len(s.members) {
		for _, m := range s.members[p.next:] {
			if m.required {
				required++
			}
		}
		possible = len(s.members) - p.next
		if len(s.last) > 0 {
			required++
		}
		if !p.other && len(s.others)+len(s.last) > 0 {
			possible++
		}
	}
	missing := s.min - p.distinct
	return missing <= possible && (!s.limited || p.count+max(required, missing) <= s.max)
}
