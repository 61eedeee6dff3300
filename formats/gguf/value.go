package gguf

import (
	"math"
	"strings"
)

// ValueType is the type of a value, numbered as in the file.
type ValueType uint32

// The types of values.
const (
	TypeUint8 ValueType = iota
	TypeInt8
	TypeUint16
	TypeInt16
	TypeUint32
	TypeInt32
	TypeFloat32
	TypeBool
	TypeString
	TypeArray
	TypeUint64
	TypeInt64
	TypeFloat64
	numTypes
)

var typeNames = [numTypes]string{"u8", "i8", "u16", "i16", "u32", "i32", "f32", "bool", "str", "arr", "u64", "i64", "f64"}

// typeSizes are the bytes of a value of each type; 0 where they vary.
var typeSizes = [numTypes]int{1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8}

// String returns the name that gguf-dump and llama.cpp's logs print, for example "u32".
func (t ValueType) String() string {
	if !t.valid() {
		return "unknown"
	}
	return typeNames[t]
}

func (t ValueType) valid() bool   { return t < numTypes }
func (t ValueType) integer() bool { return t.signed() || t.unsigned() }
func (t ValueType) signed() bool {
	return t == TypeInt8 || t == TypeInt16 || t == TypeInt32 || t == TypeInt64
}
func (t ValueType) unsigned() bool {
	return t == TypeUint8 || t == TypeUint16 || t == TypeUint32 || t == TypeUint64
}
func (t ValueType) number() bool { return t.integer() || t == TypeFloat32 || t == TypeFloat64 }

// Value is a value of a key: a number, a bool, a string, or an array of values of one type. Values are immutable and can
// be compared with ==, which compares type and bits. The zero Value is the u8 0.
type Value struct {
	typ  ValueType
	elem ValueType // of an array
	n    int       // elements of an array
	bits uint64    // a number: integers extended to 64 bits, f32 as its 32 bits, bool as 0 or 1
	raw  string    // the text of a string, or the elements of an array as in the file
}

// Uint8 returns a u8.
func Uint8(v uint8) Value { return Value{typ: TypeUint8, bits: uint64(v)} }

// Uint16 returns a u16.
func Uint16(v uint16) Value { return Value{typ: TypeUint16, bits: uint64(v)} }

// Uint32 returns a u32, the type of most hyper-parameters.
func Uint32(v uint32) Value { return Value{typ: TypeUint32, bits: uint64(v)} }

// Uint64 returns a u64.
func Uint64(v uint64) Value { return Value{typ: TypeUint64, bits: v} }

// Int8 returns an i8.
func Int8(v int8) Value { return Value{typ: TypeInt8, bits: uint64(v)} }

// Int16 returns an i16.
func Int16(v int16) Value { return Value{typ: TypeInt16, bits: uint64(v)} }

// Int32 returns an i32.
func Int32(v int32) Value { return Value{typ: TypeInt32, bits: uint64(v)} }

// Int64 returns an i64.
func Int64(v int64) Value { return Value{typ: TypeInt64, bits: uint64(v)} }

// Float32 returns an f32.
func Float32(v float32) Value {
	return Value{typ: TypeFloat32, bits: uint64(math.Float32bits(v))}
}

// Float64 returns an f64.
func Float64(v float64) Value { return Value{typ: TypeFloat64, bits: math.Float64bits(v)} }

// Bool returns a bool.
func Bool(v bool) Value {
	if v {
		return Value{typ: TypeBool, bits: 1}
	}
	return Value{typ: TypeBool}
}

// String returns a str.
func String(v string) Value { return Value{typ: TypeString, raw: v} }

// Type returns the type.
func (v Value) Type() ValueType { return v.typ }

// Int returns the value of an integer of any width. It fails for other types and above 2^63-1.
func (v Value) Int() (int64, bool) {
	fits := v.typ.signed() || v.typ.unsigned() && v.bits <= math.MaxInt64
	if !fits {
		return 0, false
	}
	return int64(v.bits), true
}

// Uint returns the value of an integer of any width. It fails for other types and below 0.
func (v Value) Uint() (uint64, bool) {
	fits := v.typ.unsigned() || v.typ.signed() && int64(v.bits) >= 0
	if !fits {
		return 0, false
	}
	return v.bits, true
}

// Float returns the value of a number of any type. Integers beyond 2^53 are rounded.
func (v Value) Float() (float64, bool) {
	switch {
	case v.typ == TypeFloat32:
		return float64(math.Float32frombits(uint32(v.bits))), true
	case v.typ == TypeFloat64:
		return math.Float64frombits(v.bits), true
	case v.typ.signed():
		return float64(int64(v.bits)), true
	case v.typ.unsigned():
		return float64(v.bits), true
	}
	return 0, false
}

// Bool returns the value of a bool.
func (v Value) Bool() (value, ok bool) { return v.typ == TypeBool && v.bits != 0, v.typ == TypeBool }

// Str returns the text of a str.
func (v Value) Str() (string, bool) {
	if v.typ != TypeString {
		return "", false
	}
	return v.raw, true
}

// Any returns the value as Go's type of the same name (uint8 ... float64, bool, string), and an array as []any.
func (v Value) Any() any {
	switch v.typ {
	case TypeUint8:
		return uint8(v.bits)
	case TypeInt8:
		return int8(v.bits)
	case TypeUint16:
		return uint16(v.bits)
	case TypeInt16:
		return int16(v.bits)
	case TypeUint32:
		return uint32(v.bits)
	case TypeInt32:
		return int32(v.bits)
	case TypeFloat32:
		return math.Float32frombits(uint32(v.bits))
	case TypeBool:
		return v.bits != 0
	case TypeString:
		return v.raw
	case TypeUint64:
		return v.bits
	case TypeInt64:
		return int64(v.bits)
	case TypeFloat64:
		return math.Float64frombits(v.bits)
	}
	return v.anySlice()
}

func (v Value) anySlice() []any {
	all := make([]any, 0, v.n)
	for _, e := range v.All() {
		all = append(all, e.Any())
	}
	return all
}

// detach returns v with its own copy of the bytes it refers to.
func (v Value) detach() Value {
	v.raw = strings.Clone(v.raw)
	return v
}
