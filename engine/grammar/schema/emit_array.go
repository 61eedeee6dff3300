package schema

import (
	"slices"

	"github.com/llamakit/llamakit/engine/grammar/pushdown"
)

// maxCounted bounds the counts of contains: eight bits each in a position.
const (
	maxCounted   = 250
	maxContains  = 8
	maxContained = 5000 // items
)

// arraySource writes out an array an item at a time.
type arraySource struct {
	choices  [][]choice // by index; the last are those of all further items
	min, max int
	limited  bool
	contains []contains
	bounded  int // indexes from here on are the same place
	inside   pushdown.Expr
	comma    pushdown.Expr
	emptyEnd pushdown.Expr
	end      pushdown.Expr
	alive    map[pushdown.Position]bool
}

// choice is a way to write an item, and the contains that it counts for.
type choice struct {
	value  pushdown.Expr
	counts []bool
}

// arrayPossible reports whether an array of a can be written, as far as is known.
func (c *compiler) arrayPossible(a *array) bool {
	if a.unique != nil {
		values, _ := c.uniqueValues(a)
		return len(values) >= a.min
	}
	s, ok := c.arraySource(a, nil)
	return ok && s.reachable(pushdown.Position{})
}

// arraySource prepares a; more is nil when only the possibility is asked for.
func (c *compiler) arraySource(a *array, more *[]conj) (*arraySource, bool) {
	s := &arraySource{min: a.min, max: a.max, limited: a.limited, contains: a.contains, alive: make(map[pushdown.Position]bool)}
	s.bounded = max(a.horizon(), a.min)
	if a.limited {
		s.bounded = max(s.bounded, a.max)
	}
	for i := range a.horizon() + 1 {
		list, err := c.choices(a, i)
		if err != nil {
			return nil, false
		}
		var out []choice
		for _, x := range list {
			if !c.conjs[x.value].possible {
				continue
			}
			e := pushdown.Empty
			if more != nil {
				e, _ = c.value(x.value, more)
			}
			out = append(out, choice{e, x.counts})
		}
		s.choices = append(s.choices, out)
	}
	return s, true
}

func (c *compiler) emitArray(a *array, more *[]conj) pushdown.Expr {
	open := c.b.Term(c.layout.openArray)
	if a.unique != nil {
		return c.b.Cat(open, c.emitUnique(a))
	}
	s, _ := c.arraySource(a, more)
	s.inside, s.comma, s.end, s.emptyEnd = c.b.Term(c.layout.inside), c.b.Term(c.layout.comma), c.b.Term(c.layout.closeArray), c.b.Term(c.layout.emptyArray)
	return c.b.Cat(open, c.b.Lazy(s, pushdown.Position{}))
}

// Expand writes out what may come: Index is the next item, Marks the counts of contains.
func (s *arraySource) Expand(b *pushdown.Builder, at pushdown.Position) pushdown.Expr {
	before := s.comma
	if at.Count == 0 {
		before = s.inside
	}
	byPlace := make(map[pushdown.Position][]pushdown.Expr)
	var order []pushdown.Position
	for _, x := range s.next(at) {
		to, ok := s.after(at, x)
		if !ok || !s.reachable(to) {
			continue
		}
		if byPlace[to] == nil {
			order = append(order, to)
		}
		byPlace[to] = append(byPlace[to], x.value)
	}
	var list []pushdown.Expr
	for _, to := range order {
		list = append(list, b.Cat(before, b.Alt(byPlace[to]...), b.Lazy(s, to)))
	}
	if s.complete(at) {
		end := s.end
		if at.Count == 0 {
			end = s.emptyEnd
		}
		list = append(list, end)
	}
	return b.Alt(list...)
}

// next is the ways to write the next item.
func (s *arraySource) next(at pushdown.Position) []choice {
	if s.limited && int(at.Index) >= s.max {
		return nil
	}
	return s.choices[min(int(at.Index), len(s.choices)-1)]
}

// after is the position after an item, if it is allowed.
func (s *arraySource) after(at pushdown.Position, x choice) (pushdown.Position, bool) {
	to := pushdown.Position{Index: int32(min(int(at.Index)+1, s.bounded)), Count: 1, Marks: at.Marks}
	for i, k := range s.contains {
		if !x.counts[i] {
			continue
		}
		n := int(to.Marks >> (8 * i) & 255)
		switch {
		case k.limited && n == k.max:
			return to, false
		case k.limited || n < k.min:
			to.Marks += 1 << (8 * i)
		}
	}
	return to, true
}

// complete reports whether the array may end.
func (s *arraySource) complete(at pushdown.Position) bool {
	for i, k := range s.contains {
		if int(at.Marks>>(8*i)&255) < k.min {
			return false
		}
	}
	return int(at.Index) >= s.min
}

// reachable reports whether an array that has come to a position can be completed.
func (s *arraySource) reachable(at pushdown.Position) bool {
	if len(s.contains) == 0 {
		for i := int(at.Index); i < min(s.min, len(s.choices)); i++ {
			if len(s.choices[i]) == 0 {
				return false
			}
		}
		return int(at.Index) >= s.min || s.min < len(s.choices) || len(s.choices[len(s.choices)-1]) > 0
	}
	ok, seen := s.alive[at]
	if seen {
		return ok
	}
	s.alive[at] = s.complete(at)
	if !s.alive[at] {
		s.alive[at] = slices.ContainsFunc(s.next(at), func(x choice) bool {
			to, ok := s.after(at, x)
			return ok && to != at && s.reachable(to)
		})
	}
	return s.alive[at]
}
