package jinja

import (
	"sort"
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

// foldCase returns what sorting and its relatives compare: texts without case, unless told to heed it.
func (s *state) foldCase(sensitive Value) func(Value) Value {
	if s.truth(sensitive) {
		return func(v Value) Value { return v }
	}
	return func(v Value) Value {
		if t, ok := text(v); ok {
			return s.sized(lower(t))
		}
		return v
	}
}

// sorted is Python's sorted: stable, also when reversed.
func (s *state) sorted(items []Value, key func(Value) Value, reversed bool) []Value {
	type keyed struct{ key, value Value }
	s.reserve(3 * itemBytes * len(items))
	all := make([]keyed, len(items))
	for i, v := range items {
		all[i] = keyed{key(v), v}
	}
	sort.SliceStable(all, func(i, j int) bool {
		if reversed {
			return s.less(all[j].key, all[i].key, "<")
		}
		return s.less(all[i].key, all[j].key, "<")
	})
	out := make([]Value, len(all))
	for i := range all {
		out[i] = all[i].value
	}
	return out
}

// filterSort sorts by one attribute or several, separated by commas.
func filterSort(s *state, a []Value) Value {
	fold := s.foldCase(a[2])
	getters := []func(Value) Value{s.getter(a[3], nil)}
	if t, ok := text(a[3]); ok {
		getters = nil
		for _, part := range strings.Split(t, ",") {
			getters = append(getters, s.getter(part, nil))
		}
	}
	key := func(v Value) Value {
		keys := make(Tuple, len(getters))
		for i, get := range getters {
			keys[i] = fold(get(v))
		}
		return keys
	}
	return &List{Items: s.sorted(s.items(a[0]), key, s.truth(a[1]))}
}

func filterDictSort(s *state, a []Value) Value {
	d, ok := a[0].(*Dict)
	if !ok {
		s.wrongType(a[0], "dictsort", "a mapping")
	}
	by, _ := text(a[2])
	if by != "key" && by != "value" {
		s.failf(RuntimeError, `dictsort: You can only sort by either "key" or "value"`)
	}
	fold := s.foldCase(a[1])
	key := func(v Value) Value {
		if by == "key" {
			return fold(v.(Tuple)[0])
		}
		return fold(v.(Tuple)[1])
	}
	return &List{Items: s.sorted((&view{d, 'i'}).items(s), key, s.truth(a[3]))}
}

func filterUnique(s *state, a []Value) Value {
	it, get, fold := s.iter(a[0]), s.getter(a[2], nil), s.foldCase(a[1])
	seen := map[any]bool{}
	return s.generator(func() (Value, bool) {
		for v, ok := it.next(); ok; v, ok = it.next() {
			s.spend(1)
			key := s.hashKey(fold(get(v)))
			if !seen[key] {
				s.reserve(2 * itemBytes)
				seen[key] = true
				return v, true
			}
		}
		return nil, false
	})
}

// extreme makes min (op "<") and max (op ">"): the first element that no other beats.
func extreme(op string) func(*state, []Value) Value {
	return func(s *state, a []Value) Value {
		it, get, fold := s.iter(a[0]), s.getter(a[2], nil), s.foldCase(a[1])
		best, ok := it.next()
		if !ok {
			return &Undefined{hint: "No aggregated item, sequence was empty."}
		}
		bestKey := fold(get(best))
		for v, ok := it.next(); ok; v, ok = it.next() {
			if key := fold(get(v)); s.compare(op, key, bestKey) {
				best, bestKey = v, key
			}
		}
		return best
	}
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

// filterGroupBy gives pairs of a value and the elements that have it, sorted by the value.
func filterGroupBy(s *state, a []Value) Value {
	get, fold := s.getter(a[1], a[2]), s.foldCase(a[3])
	key := func(v Value) Value { return fold(get(v)) }
	groups := &List{}
	var last Value
	for _, v := range s.sorted(s.items(a[0]), key, false) {
		k := key(v)
		if n := len(groups.Items); n > 0 && s.equal(k, last) {
			members := groups.Items[n-1].(Tuple)[1].(*List)
			members.Items = append(members.Items, v)
			continue
		}
		last = k
		groups.Items = append(groups.Items, Tuple{get(v), NewList(v)})
	}
	return groups
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
