package jinja

import (
	"math/big"
	"strings"
)

// tests are what may follow `is`.
var tests map[string]*builtin

func init() {
	tests = map[string]*builtin{
		"defined":     isTest("defined", func(_ *state, v Value) bool { return !isUndefined(v) }),
		"undefined":   isTest("undefined", func(_ *state, v Value) bool { return isUndefined(v) }),
		"none":        isTest("none", func(_ *state, v Value) bool { return v == nil }),
		"boolean":     isTest("boolean", func(_ *state, v Value) bool { _, ok := v.(bool); return ok }),
		"true":        isTest("true", func(_ *state, v Value) bool { return identical(v, true) }),
		"false":       isTest("false", func(_ *state, v Value) bool { return identical(v, false) }),
		"integer":     isTest("integer", isInt),
		"float":       isTest("float", func(_ *state, v Value) bool { _, ok := v.(float64); return ok }),
		"number":      isTest("number", func(_ *state, v Value) bool { return isNumber(v) }),
		"string":      isTest("string", func(_ *state, v Value) bool { _, ok := text(v); return ok }),
		"mapping":     isTest("mapping", func(_ *state, v Value) bool { _, ok := v.(*Dict); return ok }),
		"sequence":    isTest("sequence", isSequence),
		"iterable":    isTest("iterable", func(s *state, v Value) bool { _, ok := s.tryIter(v); return ok }),
		"callable":    isTest("callable", isCallable),
		"escaped":     isTest("escaped", func(_ *state, v Value) bool { _, ok := v.(Markup); return ok }),
		"lower":       isTest("lower", func(s *state, v Value) bool { return isLower(s.str(v)) }),
		"upper":       isTest("upper", func(s *state, v Value) bool { return isUpper(s.str(v)) }),
		"odd":         isTest("odd", func(s *state, v Value) bool { return s.equal(s.binary("%", v, int64(2)), int64(1)) }),
		"even":        isTest("even", func(s *state, v Value) bool { return s.equal(s.binary("%", v, int64(2)), int64(0)) }),
		"filter":      isTest("filter", func(_ *state, v Value) bool { return named(filters, v) }),
		"test":        isTest("test", func(_ *state, v Value) bool { return named(tests, v) }),
		"divisibleby": isTest2("divisibleby", func(s *state, a, b Value) bool { return s.equal(s.binary("%", a, b), int64(0)) }),
		"sameas":      isTest2("sameas", isSame),
		"in":          isTest2("in", func(s *state, a, b Value) bool { return s.contains(b, a) }),
		"startswith": isTest2("startswith", func(s *state, a, b Value) bool {
			return strings.HasPrefix(s.wantText(a, "startswith"), s.wantText(b, "startswith"))
		}),
		"endswith": isTest2("endswith", func(s *state, a, b Value) bool {
			return strings.HasSuffix(s.wantText(a, "endswith"), s.wantText(b, "endswith"))
		}),
	}
	for op, names := range map[string]string{"==": "== eq equalto", "!=": "!= ne", "<": "< lt lessthan", "<=": "<= le", ">": "> gt greaterthan", ">=": ">= ge"} {
		for _, name := range strings.Fields(names) {
			tests[name] = isTest2(name, func(s *state, a, b Value) bool { return s.compare(op, a, b) })
		}
	}
}

func isTest(name string, f func(s *state, v Value) bool) *builtin {
	return fn("test "+name, "value", func(s *state, a []Value) Value { return f(s, a[0]) })
}

func isTest2(name string, f func(s *state, a, b Value) bool) *builtin {
	return fn("test "+name, "value, other", func(s *state, a []Value) Value { return f(s, a[0], a[1]) })
}

func isUndefined(v Value) bool {
	_, ok := v.(*Undefined)
	return ok
}

func isInt(_ *state, v Value) bool {
	switch v.(type) {
	case int64, *big.Int:
		return true
	}
	return false
}

// isSequence: has a length and can be indexed, which in Python is also true of dicts.
func isSequence(_ *state, v Value) bool {
	switch v.(type) {
	case string, Markup, Bytes, *List, Tuple, *Dict, *rangeValue, *Undefined:
		return true
	}
	return false
}

func isCallable(_ *state, v Value) bool {
	switch v.(type) {
	case *builtin, *method, *macro, *loop, *joiner, *Undefined:
		return true
	}
	return false
}

// isSame is Python's `is`. Equal small numbers and texts are the same object there, as far as a template can tell.
func isSame(_ *state, a, b Value) bool {
	if x, ok := text(a); ok {
		y, ok := text(b)
		return ok && x == y
	}
	return identical(a, b)
}

func named(table map[string]*builtin, v Value) bool {
	name, ok := text(v)
	return ok && table[name] != nil
}
