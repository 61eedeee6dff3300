package gguf

import (
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"unsafe"
)

// An array keeps its elements as they stand in the file, so that reading a file does not build what nobody asks for:
// a vocabulary of 256,000 strings is one block of bytes until StrSlice cuts it up, and even then the strings are parts
// of that block. The bytes were measured when the file was read; decoding them here cannot run past their end.

// maxDepth bounds arrays inside arrays. No known file has any; llama.cpp refuses them.
const maxDepth = 4

// Strings returns an array of str.
func Strings(v []string) Value {
	return arrayOf(TypeString, len(v), func(b []byte, i int) []byte { return appendString(b, v[i]) })
}

// Uint8s returns an array of u8.
func Uint8s(v []byte) Value {
	return arrayOf(TypeUint8, len(v), func(b []byte, i int) []byte { return append(b, v[i]) })
}

// Int32s returns an array of i32.
func Int32s(v []int32) Value {
	return arrayOf(TypeInt32, len(v), func(b []byte, i int) []byte {
		return binary.LittleEndian.AppendUint32(b, uint32(v[i]))
	})
}

// Uint32s returns an array of u32.
func Uint32s(v []uint32) Value {
	return arrayOf(TypeUint32, len(v), func(b []byte, i int) []byte {
		return binary.LittleEndian.AppendUint32(b, v[i])
	})
}

// Float32s returns an array of f32.
func Float32s(v []float32) Value {
	return arrayOf(TypeFloat32, len(v), func(b []byte, i int) []byte {
		return binary.LittleEndian.AppendUint32(b, math.Float32bits(v[i]))
	})
}

// Bools returns an array of bool.
func Bools(v []bool) Value {
	return arrayOf(TypeBool, len(v), func(b []byte, i int) []byte { return append(b, byte(Bool(v[i]).bits)) })
}

// ArrayOf returns an array of elem, for the element types that have no function of their own. It panics if a value is
// of another type, or if arrays are nested more than 4 deep.
func ArrayOf(elem ValueType, v []Value) Value {
	for i := range v {
		if v[i].typ != elem {
			panic(fmt.Sprintf("gguf: element %d of an array of %v is %v", i, elem, v[i].typ))
		}
	}
	a := arrayOf(elem, len(v), func(b []byte, i int) []byte { return v[i].appendTo(b) })
	if !a.measured() {
		panic(fmt.Sprintf("gguf: array of %v nested more than %d deep", elem, maxDepth))
	}
	return a
}

func arrayOf(elem ValueType, n int, app func(b []byte, i int) []byte) Value {
	b := make([]byte, 0, n*max(typeSizes[elem], 1))
	for i := range n {
		b = app(b, i)
	}
	return Value{typ: TypeArray, elem: elem, n: n, raw: view(b)}
}

// measured reports whether the elements of the array are whole and fill its bytes exactly.
func (v Value) measured() bool {
	c := newCursor("", bytesOf(v.raw))
	c.elements(v.elem, uint64(v.n), 1)
	return c.err == nil && c.pos == len(v.raw)
}

// Elem returns the type of the elements of an array.
func (v Value) Elem() ValueType { return v.elem }

// Len returns the number of elements of an array; 0 for other types.
func (v Value) Len() int { return v.n }

// Index returns element i of an array. It panics when i is out of range. Strings and arrays are searched from the
// beginning; use All to walk them.
func (v Value) Index(i int) Value {
	if i < 0 || i >= v.n {
		panic(fmt.Sprintf("gguf: index %d of an array of %d", i, v.n))
	}
	if size := typeSizes[v.elem]; size > 0 {
		e, _ := cutValue(v.elem, v.raw[i*size:])
		return e
	}
	for j, e := range v.All() {
		if j == i {
			return e
		}
	}
	panic("gguf: array shorter than its length")
}

// All walks the elements of an array; it yields nothing for other types.
func (v Value) All() iter.Seq2[int, Value] {
	return func(yield func(int, Value) bool) {
		rest := v.raw
		for i := range v.n {
			var e Value
			if e, rest = cutValue(v.elem, rest); !yield(i, e) {
				return
			}
		}
	}
}

// StrSlice returns the elements of an array of str.
func (v Value) StrSlice() ([]string, bool) {
	return slice(v, v.elem == TypeString, func(e Value) (string, bool) { return e.raw, true })
}

// IntSlice returns the elements of an array of integers of any width. It fails if one is above 2^63-1.
func (v Value) IntSlice() ([]int64, bool) { return slice(v, v.elem.integer(), Value.Int) }

// FloatSlice returns the elements of an array of numbers of any type, rounded to float32.
func (v Value) FloatSlice() ([]float32, bool) {
	return slice(v, v.elem.number(), func(e Value) (float32, bool) {
		f, ok := e.Float()
		return float32(f), ok
	})
}

// BoolSlice returns the elements of an array of bool.
func (v Value) BoolSlice() ([]bool, bool) { return slice(v, v.elem == TypeBool, Value.Bool) }

func slice[T any](v Value, fits bool, get func(Value) (T, bool)) ([]T, bool) {
	if v.typ != TypeArray || !fits {
		return nil, false
	}
	out := make([]T, 0, v.n)
	for _, e := range v.All() {
		t, ok := get(e)
		if !ok {
			return nil, false
		}
		out = append(out, t)
	}
	return out, true
}

// view returns b as a string without a copy; b must not change any more.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// bytesOf returns the bytes of s without a copy; they must not be written to.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }
