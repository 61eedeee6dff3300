package rx

import (
	"math"
	"slices"
	"unicode/utf8"
)

// Set matches one byte of s.
func (a *Arena) Set(s Set) ID {
	if s == (Set{}) {
		return Nothing
	}
	if a.classes.refine(&s) {
		clear(a.rows)
	}
	return a.intern(node{kind: kindSet, plain: true, finite: true, set: &s})
}

// Byte matches b.
func (a *Arena) Byte(b byte) ID {
	var s Set
	s.Add(b, b)
	return a.Set(s)
}

// Literal matches s.
func (a *Arena) Literal(s string) ID {
	e := Empty
	for i := len(s) - 1; i >= 0; i-- {
		e = a.Cat(a.Byte(s[i]), e)
	}
	return e
}

// Literals matches each of the texts. It is a tree of their bytes, so that there may be many.
func (a *Arena) Literals(list []string) ID {
	sorted := slices.Clone(list)
	slices.Sort(sorted)
	return a.tree(slices.Compact(sorted), 0)
}

// tree matches what follows the first bytes, which the texts have in common.
func (a *Arena) tree(list []string, first int) ID {
	if len(list) == 1 {
		return a.Literal(list[0][first:])
	}
	var alts []ID
	for len(list) > 0 {
		if len(list[0]) == first {
			alts, list = append(alts, Empty), list[1:]
			continue
		}
		n := 1
		for n < len(list) && list[n][first] == list[0][first] {
			n++
		}
		alts = append(alts, a.Cat(a.Byte(list[0][first]), a.tree(list[:n], first+1)))
		list = list[n:]
	}
	return a.Alt(alts...)
}

// Cat matches the expressions one after the other.
func (a *Arena) Cat(list ...ID) ID {
	e := Empty
	for _, l := range slices.Backward(list) {
		e = a.cat(l, e)
	}
	return e
}

// cat keeps chains leaning to the right, so that equal languages of this form are equal expressions.
func (a *Arena) cat(x, y ID) ID {
	if x == Nothing || y == Nothing {
		return Nothing
	}
	if x == Empty {
		return y
	}
	if y == Empty {
		return x
	}
	var left []ID
	for a.nodes[x].kind == kindCat {
		left = append(left, a.nodes[x].a)
		x = a.nodes[x].b
	}
	y = a.cat2(x, y)
	for _, l := range slices.Backward(left) {
		y = a.cat2(l, y)
	}
	return y
}

func (a *Arena) cat2(x, y ID) ID {
	nx, ny := &a.nodes[x], &a.nodes[y]
	n := node{kind: kindCat, a: x, b: y, nullable: nx.nullable && ny.nullable, plain: nx.plain && ny.plain, finite: nx.finite && ny.finite}
	if ny.plain { // else the end may be out of reach
		n.free = nx.free
	}
	return a.intern(n)
}

// Alt matches what one of the expressions matches.
func (a *Arena) Alt(list ...ID) ID {
	var set Set
	flat := make([]ID, 0, len(list))
	for _, e := range list {
		switch n := &a.nodes[e]; {
		case e == All:
			return All
		case n.kind == kindNothing:
		case n.kind == kindSet:
			set = set.union(n.set)
		case n.kind == kindAlt:
			for _, x := range n.list {
				if a.nodes[x].kind == kindSet {
					set = set.union(a.nodes[x].set)
				} else {
					flat = append(flat, x)
				}
			}
		default:
			flat = append(flat, e)
		}
	}
	if set != (Set{}) {
		flat = append(flat, a.Set(set))
	}
	slices.Sort(flat)
	flat = slices.Compact(flat)
	switch len(flat) {
	case 0:
		return Nothing
	case 1:
		return flat[0]
	}
	if len(flat) > maxAlternatives {
		a.tooLarge = true
		return Nothing
	}
	n := node{kind: kindAlt, plain: true, finite: true, list: flat}
	for _, e := range flat {
		x := &a.nodes[e]
		n.nullable = n.nullable || x.nullable
		n.plain = n.plain && x.plain
		n.finite = n.finite && x.finite
		n.free = max(n.free, x.free)
	}
	return a.intern(n)
}

// And matches what all of the expressions match.
func (a *Arena) And(list ...ID) ID {
	flat := make([]ID, 0, len(list))
	for _, e := range list {
		switch {
		case e == Nothing:
			return Nothing
		case e == All:
		case a.nodes[e].kind == kindAnd:
			flat = append(flat, a.nodes[e].list...)
		default:
			flat = append(flat, e)
		}
	}
	slices.Sort(flat)
	flat = slices.Compact(flat)
	switch {
	case len(flat) == 0:
		return All
	case len(flat) == 1:
		return flat[0]
	}
	n := node{kind: kindAnd, nullable: true, list: flat, free: a.freeOfAnd(flat)}
	for _, e := range flat {
		x := &a.nodes[e]
		if _, both := slices.BinarySearch(flat, x.a); both && x.kind == kindNot {
			return Nothing
		}
		n.nullable = n.nullable && x.nullable
		n.finite = n.finite || x.finite
	}
	if flat[0] == Empty || a.apart(flat) {
		if n.nullable {
			return Empty
		}
		return Nothing
	}
	return a.intern(n)
}

// apart reports whether the sets among the expressions have no byte in common.
func (a *Arena) apart(list []ID) bool {
	common := Set{math.MaxUint64, math.MaxUint64, math.MaxUint64, math.MaxUint64}
	for _, e := range list {
		if s := a.nodes[e].set; s != nil {
			for i := range common {
				common[i] &= s[i]
			}
		}
	}
	return common == Set{}
}

// freeOfAnd is not 0 where one expression is free and the others cannot stop it: they need a character that is not plain or, where it
// is free without end, leave out finitely many texts only.
func (a *Arena) freeOfAnd(list []ID) int32 {
	free, endless := int32(0), false
	for _, e := range list {
		n := &a.nodes[e]
		switch {
		case a.spares[e]:
		case n.kind == kindNot && a.nodes[n.a].finite:
			endless = true
		case n.free > 0 && free == 0:
			free = n.free
		default:
			return 0
		}
	}
	if endless && free != Unbounded {
		return 0
	}
	return free
}

// Without matches the texts of e that part is not in.
func (a *Arena) Without(e ID, part string) ID {
	not := a.Not(a.Cat(All, a.Literal(part), All))
	if first, _ := utf8.DecodeRuneInString(part); !Plain.Has(first) {
		a.spares[not] = true
	}
	return a.And(e, not)
}

// Not matches what e does not match.
func (a *Arena) Not(e ID) ID {
	n := &a.nodes[e]
	if n.kind == kindNot {
		return n.a
	}
	if e == Nothing {
		return All
	}
	return a.intern(node{kind: kindNot, a: e, nullable: !n.nullable})
}

// Repeat matches e from lo to hi times; hi may be Unbounded.
func (a *Arena) Repeat(e ID, lo, hi int) ID {
	n := &a.nodes[e]
	if n.nullable {
		lo = 0
	}
	switch {
	case lo > hi:
		return Nothing
	case hi == 0, e == Empty, e == Nothing && lo == 0:
		return Empty
	case e == Nothing:
		return Nothing
	case lo == 1 && hi == 1:
		return e
	case n.kind == kindRepeat && n.min <= 1: // the counts that are possible have no gaps
		return a.Repeat(n.a, int(n.min)*lo, times(int(n.max), hi))
	}
	r := node{kind: kindRepeat, a: e, min: int32(lo), max: int32(hi), nullable: lo == 0, plain: n.plain, finite: n.finite && hi != Unbounded}
	if a.covers[e] {
		r.free = int32(hi)
	}
	return a.intern(r)
}

// times is x * y, where Unbounded stands for no limit.
func times(x, y int) int {
	if x > Unbounded/y {
		return Unbounded
	}
	return x * y
}

// Star matches e any number of times, Opt at most once.
func (a *Arena) Star(e ID) ID { return a.Repeat(e, 0, Unbounded) }
func (a *Arena) Opt(e ID) ID  { return a.Alt(e, Empty) }

func (s *Set) union(t *Set) Set {
	return Set{s[0] | t[0], s[1] | t[1], s[2] | t[2], s[3] | t[3]}
}
