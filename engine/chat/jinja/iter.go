package jinja

import (
	"strconv"
	"unicode/utf8"
)

// iterator is a sequence that is consumed once: what filters like map and select give, and what for loops walk.
type iterator struct {
	kind  string // Python's type name, for messages
	items []Value
	pos   int
	fn    func() (Value, bool) // used when set; else items
	s     *state               // set with fn
}

func (it *iterator) next() (Value, bool) {
	if it.fn != nil {
		it.s.enter() // iterators can be stacked without end
		v, ok := it.fn()
		it.s.leave()
		return v, ok
	}
	if it.pos >= len(it.items) {
		return nil, false
	}
	it.pos++
	return it.items[it.pos-1], true
}

func (s *state) generator(fn func() (Value, bool)) *iterator {
	return &iterator{kind: "generator", fn: fn, s: s}
}

// tryIter returns an iterator over v, or false if v is not iterable.
func (s *state) tryIter(v Value) (*iterator, bool) {
	switch v := v.(type) {
	case *iterator:
		return v, true
	case *List:
		return &iterator{items: v.Items}, true
	case Tuple:
		return &iterator{items: v}, true
	case *Dict:
		return &iterator{items: s.list(v.Keys()).Items}, true
	case *view:
		return &iterator{items: v.items(s)}, true
	case string:
		return s.chars(v), true
	case Markup:
		return s.chars(string(v)), true
	case *rangeValue:
		return v.iter(s), true
	case *Undefined:
		return &iterator{}, true
	}
	return nil, false
}

func (s *state) iter(v Value) *iterator {
	it, ok := s.tryIter(v)
	if !ok {
		s.failf(RuntimeError, "'%s' object is not iterable", typeName(v))
	}
	return it
}

func (s *state) chars(text string) *iterator {
	return s.generator(func() (Value, bool) {
		if text == "" {
			return nil, false
		}
		_, n := utf8.DecodeRuneInString(text)
		c := text[:n]
		text = text[n:]
		return c, true
	})
}

// items returns all elements of an iterable.
func (s *state) items(v Value) []Value {
	switch v := v.(type) {
	case *List:
		return v.Items
	case Tuple:
		return v
	}
	var items []Value
	it := s.iter(v)
	for x, ok := it.next(); ok; x, ok = it.next() {
		s.spend(1)
		s.reserveItem(len(items))
		items = append(items, x)
	}
	return items
}

// reserveItem accounts for one more element of a list that has n.
func (s *state) reserveItem(n int) {
	if (n+1)*itemBytes > s.limits.Size {
		s.reserve(-1)
	}
	s.reserve(itemBytes)
}

// rangeValue is range(start, stop, step).
type rangeValue struct{ start, stop, step int64 }

func (r *rangeValue) len() int {
	switch {
	case r.step > 0 && r.start < r.stop:
		return int((uint64(r.stop-r.start)-1)/uint64(r.step)) + 1
	case r.step < 0 && r.start > r.stop:
		return int((uint64(r.start-r.stop)-1)/uint64(-r.step)) + 1
	}
	return 0
}

func (r *rangeValue) at(i int) Value { return r.start + int64(i)*r.step }

func (r *rangeValue) iter(s *state) *iterator {
	i, n := 0, r.len()
	return &iterator{kind: "range_iterator", s: s, fn: func() (Value, bool) {
		if i >= n {
			return nil, false
		}
		i++
		return r.at(i - 1), true
	}}
}

func (r *rangeValue) contains(v Value) bool {
	n, ok := numberKey(v).(int64)
	if !ok || r.len() == 0 {
		return false
	}
	lo, hi := r.start, r.start+int64(r.len()-1)*r.step
	return n >= min(lo, hi) && n <= max(lo, hi) && (n-r.start)%r.step == 0
}

func (r *rangeValue) equal(o *rangeValue) bool {
	n := r.len()
	return n == o.len() && (n == 0 || r.start == o.start && (n == 1 || r.step == o.step))
}

func (r *rangeValue) String() string {
	text := "range(" + strconv.FormatInt(r.start, 10) + ", " + strconv.FormatInt(r.stop, 10)
	if r.step != 1 {
		text += ", " + strconv.FormatInt(r.step, 10)
	}
	return text + ")"
}

// view is what the dict methods keys, values and items give: it follows the dict.
type view struct {
	dict *Dict
	kind byte // 'k', 'v', 'i'
}

func (v *view) typeName() string {
	return map[byte]string{'k': "dict_keys", 'v': "dict_values", 'i': "dict_items"}[v.kind]
}

func (v *view) items(s *state) []Value {
	s.reserve(itemBytes * v.dict.Len())
	items := make([]Value, v.dict.Len())
	for i := range v.dict.entries {
		e := &v.dict.entries[i]
		switch v.kind {
		case 'k':
			items[i] = e.key
		case 'v':
			items[i] = e.value
		default:
			items[i] = Tuple{e.key, e.value}
		}
	}
	return items
}
