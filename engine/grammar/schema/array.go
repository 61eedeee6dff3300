package schema

import (
	"cmp"
	"slices"

	"github.com/llamakit/llamakit/engine/grammar/rx"
)

// array is a set of arrays: those that satisfy all its parts.
type array struct {
	prefix     []conj // of the first items
	rest       conj   // of the others
	min, max   int
	limited    bool // max counts
	contains   []contains
	containsAt string      // a schema with contains
	unique     *schemaNode // with uniqueItems, or nil

	evaluated int // items that unevaluatedItems leaves alone, from the first
}

// contains counts items from an index on.
type contains struct {
	value   conj
	not     conj // what refuses value; of use when limited
	from    int
	min     int
	max     int
	limited bool
}

// free reports whether a is all arrays.
func (a *array) free() bool {
	return len(a.prefix)+len(a.contains)+a.min == 0 && a.rest == truth && !a.limited && a.unique == nil
}

// at is what the item at an index has to satisfy.
func (a *array) at(i int) conj {
	if i < len(a.prefix) {
		return a.prefix[i]
	}
	return a.rest
}

// intersectArrays returns nil when no array is in both.
func (c *compiler) intersectArrays(a, b *array) (*array, error) {
	x := &array{min: max(a.min, b.min), contains: append(slices.Clone(a.contains), b.contains...), unique: a.unique, containsAt: cmp.Or(a.containsAt, b.containsAt), evaluated: max(a.evaluated, b.evaluated)}
	x.max, x.limited = narrower(a.max, a.limited, b.max, b.limited)
	if b.unique != nil {
		x.unique = b.unique
	}
	for i := range max(len(a.prefix), len(b.prefix)) {
		v, err := c.and(a.at(i), b.at(i))
		if err != nil {
			return nil, err
		}
		x.prefix = append(x.prefix, v)
	}
	var err error
	if x.rest, err = c.and(a.rest, b.rest); err != nil {
		return nil, err
	}
	for i := range len(x.prefix) + 1 { // the first item that cannot be ends the array
		if x.at(i) == falsehood {
			x.max, x.limited = narrower(x.max, x.limited, i, true)
			x.prefix = x.prefix[:min(i, len(x.prefix))]
			break
		}
	}
	if x.limited && x.min > x.max {
		return nil, nil
	}
	return x, nil
}

// itemChoice is one way to write an item: what it has to satisfy, and which of the contains it counts for.
type itemChoice struct {
	value  conj
	counts []bool
}

// choices returns the ways to write an item at an index.
func (c *compiler) choices(a *array, i int) ([]itemChoice, error) {
	list := []itemChoice{{value: a.at(i)}}
	for _, k := range a.contains {
		var next []itemChoice
		for _, x := range list {
			not := truth
			if k.limited {
				not = k.not
			}
			with, err := c.and(x.value, k.value)
			if err != nil {
				return nil, err
			}
			without, err := c.and(x.value, not)
			if err != nil {
				return nil, err
			}
			if i < k.from {
				next = append(next, itemChoice{x.value, append(slices.Clone(x.counts), false)})
				continue
			}
			if with != falsehood {
				next = append(next, itemChoice{with, append(slices.Clone(x.counts), true)})
			}
			if without != falsehood {
				next = append(next, itemChoice{without, append(slices.Clone(x.counts), false)})
			}
		}
		list = next
	}
	return list, nil
}

// horizon is the index from which on all items have the same choices.
func (a *array) horizon() int {
	h := len(a.prefix)
	for _, k := range a.contains {
		h = max(h, k.from)
	}
	return h
}

// itemValues returns the conjunctions of all items. It also checks what the emitter takes for granted.
func (c *compiler) itemValues(a *array) ([]conj, error) {
	if len(a.contains) > maxContains || len(a.contains) > 0 && max(a.min, a.max, a.horizon()) > maxContained {
		return nil, &Error{Pointer: a.containsAt, Keyword: "contains", Reason: "too many at once, or in too long arrays"}
	}
	if a.unique != nil {
		if err := c.checkUnique(a); err != nil {
			return nil, err
		}
	}
	var out []conj
	for i := range a.horizon() + 1 {
		if a.limited && i >= a.max {
			break
		}
		list, err := c.choices(a, i)
		if err != nil {
			return nil, err
		}
		for _, x := range list {
			out = append(out, x.value)
		}
	}
	return out, nil
}

// maxUnique bounds the values of which each may be used once.
const maxUnique = 64

// checkUnique refuses uniqueItems unless there is at most one item, or few values for them.
func (c *compiler) checkUnique(a *array) error {
	if a.limited && a.max <= 1 {
		a.unique = nil
		return nil
	}
	if _, ok := c.uniqueValues(a); ok {
		return nil
	}
	err := c.unsupported(fail(a.unique, "uniqueItems", "items are compared only when they are of at most %d scalar values", maxUnique))
	if err == nil {
		a.unique = nil
	}
	return err
}

// uniqueValues returns the texts of the values that every item is one of, if they are few scalars.
func (c *compiler) uniqueValues(a *array) ([]string, bool) {
	if len(a.prefix) > 0 || len(a.contains) > 0 {
		return nil, false
	}
	s, err := c.shapeOf(a.rest)
	if err != nil || len(s.arrays)+len(s.objects) > 0 {
		return nil, false
	}
	return c.rx.Texts(c.scalars(s), maxUnique)
}

// scalars is the language of the values of s that are no arrays and no objects.
func (c *compiler) scalars(s *shape) rx.ID {
	var list []rx.ID
	for _, l := range []struct {
		in   bool
		text string
	}{{s.null, cmp.Or(c.text.style.Null, "null")}, {s.yes, cmp.Or(c.text.style.True, "true")}, {s.no, cmp.Or(c.text.style.False, "false")}} {
		if l.in {
			list = append(list, c.rx.Literal(l.text))
		}
	}
	return c.rx.Alt(append(list, s.num, c.text.quoted(s.str))...)
}
