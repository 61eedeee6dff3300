package jinja

import (
	"sort"
	"strings"
)

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
