package jinja

import (
	"math/big"
	"strings"
)

// equal is Python's a == b.
func (s *state) equal(a, b Value) bool {
	s.spend(1)
	if x, ok := text(a); ok {
		y, ok := text(b)
		if ok && len(x) == len(y) {
			s.spend(len(x) / bytesPerStep)
			return x == y
		}
		return false
	}
	if isNumber(a) && isNumber(b) {
		c, ordered := compareNumbers(a, b)
		return ordered && c == 0
	}
	s.enter()
	defer s.leave()
	switch a := a.(type) {
	case *List:
		b, ok := b.(*List)
		return ok && (a == b || s.equalItems(a.Items, b.Items))
	case Tuple:
		b, ok := b.(Tuple)
		return ok && s.equalItems(a, b)
	case *Dict:
		b, ok := b.(*Dict)
		return ok && (a == b || s.equalDicts(a, b))
	case *Undefined:
		_, ok := b.(*Undefined)
		return ok
	case *rangeValue:
		b, ok := b.(*rangeValue)
		return ok && a.equal(b)
	}
	return identical(a, b)
}

// identical compares values that are not sequences the way Python's `is` does.
func identical(a, b Value) bool {
	switch a.(type) {
	case Tuple:
		return false
	}
	switch b.(type) {
	case Tuple:
		return false
	}
	return a == b
}

func (s *state) equalItems(a, b []Value) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !s.equal(a[i], b[i]) {
			return false
		}
	}
	return true
}

func (s *state) equalDicts(a, b *Dict) bool {
	if a.Len() != b.Len() {
		return false
	}
	for i := range a.entries {
		j := b.find(a.entries[i].hash)
		if j < 0 || !s.equal(a.entries[i].value, b.entries[j].value) {
			return false
		}
	}
	return true
}

// less is Python's a < b; op is the operator that the template wrote, for the message.
func (s *state) less(a, b Value, op string) bool {
	c, ordered := s.order(a, b, op)
	return ordered && c < 0
}

// order compares two values that Python can order. ordered is false for NaN.
func (s *state) order(a, b Value, op string) (c int, ordered bool) {
	s.spend(1)
	for _, v := range [2]Value{a, b} {
		if u, ok := v.(*Undefined); ok {
			s.failUndefined(u)
		}
	}
	if x, ok := text(a); ok {
		if y, ok := text(b); ok {
			s.spend(min(len(x), len(y)) / bytesPerStep)
			return strings.Compare(x, y), true // UTF-8 orders as code points do
		}
	}
	if isNumber(a) && isNumber(b) {
		return compareNumbers(a, b)
	}
	if x, ok := a.(*List); ok {
		if y, ok := b.(*List); ok {
			return s.orderItems(x.Items, y.Items, op)
		}
	}
	if x, ok := a.(Tuple); ok {
		if y, ok := b.(Tuple); ok {
			return s.orderItems(x, y, op)
		}
	}
	s.failf(RuntimeError, "'%s' not supported between instances of '%s' and '%s'", op, typeName(a), typeName(b))
	return 0, false
}

func (s *state) orderItems(a, b []Value, op string) (int, bool) {
	s.enter()
	defer s.leave()
	for i := range min(len(a), len(b)) {
		if !s.equal(a[i], b[i]) {
			return s.order(a[i], b[i], op)
		}
	}
	return len(a) - len(b), true
}

func isNumber(v Value) bool {
	switch v.(type) {
	case bool, int64, float64, *big.Int:
		return true
	}
	return false
}

// compareNumbers compares exactly, also an int with a float.
func compareNumbers(a, b Value) (c int, ordered bool) {
	x, xInt := smallInt(a)
	y, yInt := smallInt(b)
	if xInt && yInt {
		return compareInt(x, y), true
	}
	f, fOK := toExact(a)
	g, gOK := toExact(b)
	if !fOK || !gOK {
		return 0, false
	}
	return f.Cmp(g), true
}

func compareInt(x, y int64) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}
