package jinja

import (
	"sort"
)

// filterAttr is v.name without the fallback to v["name"].
func filterAttr(s *state, a []Value) Value {
	name := s.wantText(a[1], "attr")
	if u, ok := a[0].(*Undefined); ok {
		s.failUndefined(u)
	}
	if v, ok := s.attribute(a[0], name); ok {
		return v
	}
	return &Undefined{name: name, owner: ownerName(a[0])}
}

func filterDefault(s *state, a []Value) Value {
	if isUndefined(a[0]) || s.truth(a[2]) && !s.truth(a[0]) {
		return a[1]
	}
	return a[0]
}

func filterLength(s *state, a []Value) Value {
	n, ok := s.size(a[0])
	if !ok {
		s.failf(RuntimeError, "object of type '%s' has no len()", typeName(a[0]))
	}
	return int64(n)
}

func filterItems(s *state, a []Value) Value {
	switch v := a[0].(type) {
	case *Undefined:
		return &iterator{kind: "generator"}
	case *Dict:
		return &iterator{kind: "generator", items: (&view{v, 'i'}).items(s)}
	}
	s.failf(RuntimeError, "Can only get item pairs from a mapping.")
	return nil
}

// fromJSON is FromJSON as a filter.
func (s *state) fromJSON(t string) Value {
	s.reserveTimes(itemBytes, len(t)) // a value for every other byte
	v, err := FromJSON([]byte(t))
	if err != nil {
		s.failf(RuntimeError, "from_json: %s", err)
	}
	return v
}

// sortedKeys orders the keys of dicts, as Python's pprint shows them.
func (s *state) sortedKeys(v Value) Value {
	s.enter()
	defer s.leave()
	s.spend(8)
	switch v := v.(type) {
	case *List:
		items := clone(v.Items)
		for i := range items {
			items[i] = s.sortedKeys(items[i])
		}
		return s.list(items)
	case Tuple:
		items := clone(v)
		for i := range items {
			items[i] = s.sortedKeys(items[i])
		}
		return Tuple(items)
	case *Dict:
		d := v.clone()
		sort.SliceStable(d.entries, func(i, j int) bool { return s.beforeInPrint(d.entries[i].key, d.entries[j].key) })
		for i := range d.entries {
			d.entries[i].value = s.sortedKeys(d.entries[i].value)
		}
		return d
	}
	return v
}

// beforeInPrint orders keys of one type by value, others by the type's name.
func (s *state) beforeInPrint(a, b Value) bool {
	if x, y := typeName(a), typeName(b); x != y && !(isNumber(a) && isNumber(b)) {
		return x < y
	}
	if a == nil {
		return false
	}
	return s.less(a, b, "<")
}
