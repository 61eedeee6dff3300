package jinja

import (
	"strconv"
	"strings"
)

// callArgs are the evaluated arguments of a call: positional ones, and named ones in the order written.
type callArgs struct {
	pos   []Value
	names []string
	named []Value
}

// take removes a named argument.
func (a *callArgs) take(s *state, name string) (Value, bool) {
	s.spend(len(a.names) / 4)
	for i, n := range a.names {
		if n == name {
			v := a.named[i]
			a.names = append(a.names[:i:i], a.names[i+1:]...)
			a.named = append(a.named[:i:i], a.named[i+1:]...)
			return v, true
		}
	}
	return nil, false
}

// dict returns the named arguments as a dict.
func (a *callArgs) dict() *Dict {
	d := NewDict()
	for i, n := range a.names {
		d.Set(n, a.named[i])
	}
	return d
}

// builtin is a filter, test, method or global function. With a signature, bound gets one value per parameter; without
// one, raw gets the arguments as they came.
type builtin struct {
	name    string
	params  []param
	bound   func(s *state, a []Value) Value
	raw     func(s *state, a *callArgs) Value
	mutates bool // changes the object it is a method of
}

type param struct {
	name     string
	optional bool
	value    Value // default
}

// method is a builtin with the object it was taken from.
type method struct {
	self Value
	*builtin
}

// fn makes a builtin with a signature in Python's notation, for example "value, width=4, first=false".
func fn(name, signature string, f func(s *state, a []Value) Value) *builtin {
	b := &builtin{name: name, bound: f}
	for _, p := range strings.Split(signature, ", ") {
		pname, value, optional := strings.Cut(p, "=")
		b.params = append(b.params, param{pname, optional, literal(value)})
	}
	return b
}

func rawFn(name string, f func(s *state, a *callArgs) Value) *builtin {
	return &builtin{name: name, raw: f}
}

// literal reads a default value of a signature.
func literal(text string) Value {
	switch text {
	case "", "none":
		return nil
	case "true", "false":
		return text == "true"
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil {
		return f
	}
	return strings.Trim(text, "'")
}

// invoke calls the builtin with its arguments bound to its parameters.
func (b *builtin) invoke(s *state, a *callArgs) Value {
	if b.raw != nil {
		return b.raw(s, a)
	}
	if len(a.names) == 0 && len(a.pos) == len(b.params) {
		return b.bound(s, a.pos)
	}
	return b.bound(s, b.bind(s, a))
}

func (b *builtin) bind(s *state, a *callArgs) []Value {
	if len(a.pos) > len(b.params) {
		s.failf(RuntimeError, "%s takes at most %d arguments, got %d", b.name, len(b.params), len(a.pos))
	}
	out := make([]Value, len(b.params))
	given := make([]bool, len(b.params))
	for i, v := range a.pos {
		out[i], given[i] = v, true
	}
	for i, name := range a.names {
		j := b.paramIndex(name)
		if j < 0 {
			s.failf(RuntimeError, "%s got an unexpected keyword argument '%s'", b.name, name)
		}
		if given[j] {
			s.failf(RuntimeError, "%s got multiple values for argument '%s'", b.name, name)
		}
		out[j], given[j] = a.named[i], true
	}
	for i, p := range b.params {
		if !given[i] && !p.optional {
			s.failf(RuntimeError, "%s misses the argument '%s'", b.name, p.name)
		}
		if !given[i] {
			out[i] = p.value
		}
	}
	return out
}

func (b *builtin) paramIndex(name string) int {
	for i, p := range b.params {
		if p.name == name {
			return i
		}
	}
	return -1
}

// call calls a value. a.pos must have room for one more element before its first, as callExpr leaves it.
func (s *state) call(f Value, a *callArgs) Value {
	switch f := f.(type) {
	case *method:
		return f.invoke(s, &callArgs{append([]Value{f.self}, a.pos...), a.names, a.named})
	case *builtin:
		return f.invoke(s, a)
	case *macro:
		return f.call(s, a)
	case *loop:
		return f.call(s, a)
	case *joiner:
		return f.call()
	case *Undefined:
		s.failUndefined(f)
	}
	s.failf(RuntimeError, "'%s' object is not callable", typeName(f))
	return nil
}

// wantText returns v if it is a str; what names the place for the message.
func (s *state) wantText(v Value, what string) string {
	t, ok := text(v)
	if !ok {
		s.wrongType(v, what, "a text")
	}
	return t
}

// wantInt returns v if it is an int or a bool that fits 64 bits.
func (s *state) wantInt(v Value, what string) int {
	n, ok := smallInt(v)
	if !ok {
		s.wrongType(v, what, "an integer")
	}
	return int(n)
}

func (s *state) wrongType(v Value, what, want string) {
	if u, ok := v.(*Undefined); ok {
		s.failUndefined(u)
	}
	s.failf(RuntimeError, "%s: expected %s, got '%s'", what, want, typeName(v))
}
