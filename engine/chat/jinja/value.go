package jinja

import (
	"math/big"
	"unicode/utf8"
)

// Value is what a template computes with:
//
//	nil                None
//	bool               True, False
//	int64, *big.Int    int (a *big.Int only where int64 does not suffice)
//	float64            float
//	string             str
//	Markup             str that is HTML already
//	*List, Tuple       list, tuple
//	*Dict              dict
//	*Undefined         what a missing name or attribute gives
//
// and the internal ones that a template can hold: ranges, iterators, namespaces, macros, methods, loops.
type Value = any

// Markup is text that HTML escaping leaves alone. Chat templates meet it through the filters safe and escape; joined to
// ordinary text with +, the ordinary text is escaped, as in Jinja2.
type Markup string

// Bytes is what str.encode gives.
type Bytes string

// List is a mutable sequence, compared by content and passed by reference.
type List struct{ Items []Value }

// NewList returns a list of the items; it keeps the slice.
func NewList(items ...Value) *List { return &List{Items: items} }

// Tuple is an immutable sequence.
type Tuple []Value

// Undefined is the value of a name, attribute or item that is not there. It prints as nothing, is false and empty;
// anything else is an error.
type Undefined struct {
	name   string // the variable, attribute or item
	owner  string // type of the object that lacks it; empty for a variable
	hint   string // replaces the message made of the two
	unsafe bool   // the attribute exists, but templates may not have it
}

func (u *Undefined) message() string {
	switch {
	case u.hint != "":
		return u.hint
	case u.owner != "":
		return "'" + u.owner + "' has no attribute '" + u.name + "'"
	}
	return "'" + u.name + "' is undefined"
}

// namespace is the object whose attributes {% set ns.x = ... %} changes from any scope.
type namespace struct{ attrs *Dict }

// typeName is Python's name for the type of v.
func typeName(v Value) string {
	switch v := v.(type) {
	case nil:
		return "NoneType"
	case bool:
		return "bool"
	case int64, *big.Int:
		return "int"
	case float64:
		return "float"
	case string:
		return "str"
	case Markup:
		return "Markup"
	case Bytes:
		return "bytes"
	case *List:
		return "list"
	case Tuple:
		return "tuple"
	case *Dict:
		return "dict"
	case *Undefined:
		return "Undefined"
	case *view:
		return v.typeName()
	case *rangeValue:
		return "range"
	case *iterator:
		return v.kind
	}
	return objectTypeName(v)
}

func objectTypeName(v Value) string {
	switch v.(type) {
	case *namespace:
		return "Namespace"
	case *macro:
		return "Macro"
	case *loop:
		return "LoopContext"
	case *builtin:
		return "function"
	case *method:
		return "builtin_function_or_method"
	case *cycler:
		return "Cycler"
	case *joiner:
		return "Joiner"
	}
	return "object"
}

// truth is Python's bool(v).
func (s *state) truth(v Value) bool {
	switch v := v.(type) {
	case nil, *Undefined:
		return false
	case bool:
		return v
	case int64:
		return v != 0
	case float64:
		return v != 0
	case string:
		return v != ""
	case Markup:
		return v != ""
	case Bytes:
		return v != ""
	case *loop:
		return v.size(s) > 0
	}
	n, ok := s.size(v)
	return !ok || n > 0
}

// size is len(v) for the values that have one.
func (s *state) size(v Value) (int, bool) {
	switch v := v.(type) {
	case string:
		return s.runes(v), true
	case Markup:
		return s.runes(string(v)), true
	case Bytes:
		return len(v), true
	case *List:
		return len(v.Items), true
	case Tuple:
		return len(v), true
	case *Dict:
		return v.Len(), true
	case *view:
		return v.dict.Len(), true
	case *rangeValue:
		return v.len(), true
	case *loop:
		return v.size(s), true
	case *Undefined:
		return 0, true
	}
	return 0, false
}

// runes counts characters; the count of a long text costs steps.
func (s *state) runes(text string) int {
	s.spend(len(text) / bytesPerStep)
	return utf8.RuneCountInString(text)
}

// text returns v as a Go string if it is a str.
func text(v Value) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case Markup:
		return string(v), true
	}
	return "", false
}

// like returns text as the kind of str that model is.
func like(model Value, text string) Value {
	if _, ok := model.(Markup); ok {
		return Markup(text)
	}
	return text
}
