package jinja

import (
	"strings"
)

func filterFirst(s *state, a []Value) Value {
	if v, ok := s.iter(a[0]).next(); ok {
		return v
	}
	return &Undefined{hint: "No first item, sequence was empty."}
}

func filterLast(s *state, a []Value) Value {
	items := s.reversible(a[0])
	if len(items) == 0 {
		return &Undefined{hint: "No last item, sequence was empty."}
	}
	return items[len(items)-1]
}

// reversible returns the elements of what Python's reversed takes.
func (s *state) reversible(v Value) []Value {
	if it, ok := v.(*iterator); ok {
		s.failf(RuntimeError, "'%s' object is not reversible", it.kind)
	}
	return s.items(v)
}

func filterReverse(s *state, a []Value) Value {
	if t, ok := text(a[0]); ok {
		return like(a[0], s.sized(reverseText(t)))
	}
	items := clone(s.items(a[0]))
	s.reserve(itemBytes * len(items))
	reverse(items)
	if _, ok := a[0].(*iterator); ok {
		return &List{Items: items}
	}
	return &iterator{kind: "list_reverseiterator", items: items}
}

func filterJoin(s *state, a []Value) Value {
	items := s.items(a[0])
	get := s.getter(a[2], nil)
	parts := make([]string, len(items))
	for i, item := range items {
		parts[i] = s.str(get(item))
	}
	return s.join(parts, s.str(a[1]))
}

// getter returns a function that follows a path of items like "a.b.0"; none is the value itself. A fallback other than
// none replaces what is undefined on the way.
func (s *state) getter(attribute, fallback Value) func(Value) Value {
	path := attributePath(attribute)
	return func(v Value) Value {
		for _, key := range path {
			s.spend(1)
			v = s.getItem(v, key)
			if fallback != nil && isUndefined(v) {
				v = fallback
			}
		}
		return v
	}
}

func attributePath(attribute Value) []Value {
	t, ok := text(attribute)
	switch {
	case attribute == nil:
		return nil
	case !ok:
		return []Value{attribute}
	}
	var path []Value
	for _, part := range strings.Split(t, ".") {
		if n, ok := smallNumber(part); ok {
			path = append(path, n)
		} else {
			path = append(path, part)
		}
	}
	return path
}

func smallNumber(t string) (int64, bool) {
	if t == "" || len(t) > 18 {
		return 0, false
	}
	n := int64(0)
	for i := range len(t) {
		if t[i] < '0' || t[i] > '9' {
			return 0, false
		}
		n = n*10 + int64(t[i]-'0')
	}
	return n, true
}

func filterSum(s *state, a []Value) Value {
	it, get, total := s.iter(a[0]), s.getter(a[1], nil), a[2]
	if _, ok := text(total); ok {
		s.failf(RuntimeError, "sum() can't sum strings [use ''.join(seq) instead]")
	}
	for v, ok := it.next(); ok; v, ok = it.next() {
		s.spend(1)
		total = s.binary("+", total, get(v))
	}
	return total
}

// filterBatch cuts into lists of linecount elements.
func filterBatch(s *state, a []Value) Value {
	it, n := s.iter(a[0]), s.wantInt(a[1], "batch")
	var carry []Value
	done := false
	return s.generator(func() (Value, bool) {
		row := carry
		carry = nil
		for !done {
			v, ok := it.next()
			s.spend(1)
			switch {
			case !ok:
				done = true
			case len(row) == n:
				carry = []Value{v}
				return &List{Items: row}, true
			default:
				s.reserveItem(len(row))
				row = append(row, v)
			}
		}
		if len(row) == 0 {
			return nil, false
		}
		return &List{Items: s.fill(row, n, a[2])}, true
	})
}

func (s *state) fill(row []Value, n int, with Value) []Value {
	if with == nil || len(row) >= n {
		return row
	}
	s.reserveTimes(itemBytes, n)
	for len(row) < n {
		row = append(row, with)
	}
	return row
}

// filterSlice cuts into the given number of lists of almost equal length, longer ones first.
func filterSlice(s *state, a []Value) Value {
	items, n := s.items(a[0]), s.wantInt(a[1], "slice")
	if n == 0 {
		s.failf(RuntimeError, "slice: integer division or modulo by zero")
	}
	i, pos := 0, 0
	return s.generator(func() (Value, bool) {
		if i >= n {
			return nil, false
		}
		size := len(items) / n
		long := i < len(items)%n
		if long {
			size++
		}
		row := s.list(clone(items[pos : pos+size]))
		if a[2] != nil && !long {
			row.Items = append(row.Items, a[2])
		}
		i, pos = i+1, pos+size
		return row, true
	})
}
