package jinja

import (
	"math/big"
	"strings"
	"unicode/utf8"
)

// sliceValue is the a:b:c of a subscript.
type sliceValue struct{ start, stop, step Value }

// getItem is v[key]. As in Jinja2, what is not there is undefined, and a text key falls back to the attribute; but a slice
// of what has none is an error.
func (s *state) getItem(v, key Value) Value {
	if u, ok := v.(*Undefined); ok {
		s.failUndefined(u)
	}
	if x, ok := s.item(v, key); ok {
		return x
	}
	if _, ok := key.(sliceValue); ok {
		s.failf(RuntimeError, "'%s' object cannot be sliced that way", typeName(v))
	}
	if name, ok := text(key); ok {
		if x, ok := s.attribute(v, name); ok {
			return x
		}
		return &Undefined{name: name, owner: ownerName(v)}
	}
	return &Undefined{hint: ownerName(v) + " has no element " + s.repr(key)}
}

func ownerName(v Value) string {
	if v == nil {
		return "None"
	}
	return typeName(v) + " object"
}

// item is the element or entry of v under key.
func (s *state) item(v, key Value) (Value, bool) {
	if sl, ok := key.(sliceValue); ok {
		return s.slice(v, sl)
	}
	if d, ok := v.(*Dict); ok {
		return s.entry(d, key)
	}
	i, ok := smallInt(key)
	if !ok {
		return nil, false
	}
	switch v := v.(type) {
	case *List:
		return element(v.Items, i)
	case Tuple:
		return element(v, i)
	case string, Markup:
		return s.char(v, i)
	case *rangeValue:
		if i, ok = wrapIndex(i, v.len()); ok {
			return v.at(int(i)), true
		}
	}
	return nil, false
}

func (s *state) entry(d *Dict, key Value) (Value, bool) {
	switch k := key.(type) {
	case string:
		s.spend(len(k) / bytesPerStep)
		return d.Get(k)
	case *List, *Dict, *big.Int:
		return nil, false
	}
	if t, ok := key.(Tuple); ok && !s.hashable(t) {
		return nil, false
	}
	if i := d.find(s.hashKey(key)); i >= 0 {
		return d.entries[i].value, true
	}
	return nil, false
}

// hashable reports that a tuple, with all tuples in it, can be a key.
func (s *state) hashable(t Tuple) bool {
	s.enter()
	defer s.leave()
	for _, v := range t {
		s.spend(1)
		switch v := v.(type) {
		case *List, *Dict, sliceValue:
			return false
		case Tuple:
			if !s.hashable(v) {
				return false
			}
		}
	}
	return true
}

func wrapIndex(i int64, n int) (int64, bool) {
	if i < 0 {
		i += int64(n)
	}
	return i, i >= 0 && i < int64(n)
}

func element(items []Value, i int64) (Value, bool) {
	i, ok := wrapIndex(i, len(items))
	if !ok {
		return nil, false
	}
	return items[i], true
}

// char returns the i-th character of a str.
func (s *state) char(v Value, i int64) (Value, bool) {
	t, _ := text(v)
	i, ok := wrapIndex(i, s.runes(t))
	if !ok {
		return nil, false
	}
	t = t[runeOffset(t, int(i)):]
	_, n := utf8.DecodeRuneInString(t)
	return like(v, t[:n]), true
}

// runeOffset is the byte offset of the n-th character, or the length of the text when it has fewer.
func runeOffset(t string, n int) int {
	for i := range t {
		if n == 0 {
			return i
		}
		n--
	}
	return len(t)
}

// slice is v[start:stop:step].
func (s *state) slice(v Value, sl sliceValue) (Value, bool) {
	if _, ok := s.size(v); !ok {
		return nil, false
	}
	switch v := v.(type) {
	case *List:
		if from, n, step, ok := s.bounds(sl, len(v.Items)); ok {
			return s.list(pick(v.Items, from, n, step)), true
		}
	case Tuple:
		if from, n, step, ok := s.bounds(sl, len(v)); ok {
			s.reserve(itemBytes * n)
			return Tuple(pick(v, from, n, step)), true
		}
	case string, Markup:
		t, _ := text(v)
		if from, n, step, ok := s.bounds(sl, s.runes(t)); ok {
			return like(v, s.sized(pickRunes(t, from, n, step))), true
		}
	case *rangeValue:
		if from, n, step, ok := s.bounds(sl, v.len()); ok {
			start := v.start + int64(from)*v.step
			return &rangeValue{start, start + int64(n*step)*v.step, int64(step) * v.step}, true
		}
	}
	return nil, false
}

func pick(items []Value, from, n, step int) []Value {
	out := make([]Value, n)
	for i := range out {
		out[i] = items[from+i*step]
	}
	return out
}

func pickRunes(t string, from, n, step int) string {
	if step == 1 {
		start := runeOffset(t, from)
		return t[start : start+runeOffset(t[start:], n)]
	}
	runes := []rune(t)
	var b strings.Builder
	for i := range n {
		b.WriteRune(runes[from+i*step])
	}
	return b.String()
}

// bounds resolves a slice of a sequence of n elements to the first index, the count and the step.
func (s *state) bounds(sl sliceValue, n int) (from, count, step int, ok bool) {
	step64, ok := sliceInt(sl.step, 1)
	if !ok {
		return 0, 0, 0, false
	}
	if step64 == 0 {
		s.failf(RuntimeError, "slice step cannot be zero")
	}
	lo, hi := int64(0), int64(n)
	if step64 < 0 {
		lo, hi = -1, int64(n)-1
	}
	start, ok1 := sliceInt(sl.start, map[bool]int64{true: lo, false: hi}[step64 > 0])
	stop, ok2 := sliceInt(sl.stop, map[bool]int64{true: hi, false: lo}[step64 > 0])
	if sl.start != nil {
		start = clampIndex(start, int64(n), lo, hi)
	}
	if sl.stop != nil {
		stop = clampIndex(stop, int64(n), lo, hi)
	}
	r := rangeValue{start, stop, step64}
	return int(start), r.len(), int(step64), ok1 && ok2
}

func clampIndex(i, n, lo, hi int64) int64 {
	if i < 0 {
		i += n
	}
	return max(lo, min(hi, i))
}

// sliceInt reads a bound; integers beyond 64 bits are as good as the largest.
func sliceInt(v Value, absent int64) (int64, bool) {
	if v == nil {
		return absent, true
	}
	if b, ok := v.(*big.Int); ok {
		return int64(b.Sign()) * (1 << 62), true
	}
	return smallInt(v)
}
