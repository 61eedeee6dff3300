package gguf

import (
	"fmt"
	"math"
	"slices"

	"github.com/llamakit/llamakit/formats/internal/fault"
)

// Reader reads hyper-parameters and keeps the first mistake: a key that is missing, has the wrong type, or is out of
// range. After a mistake its methods return zero values; Err tells.
//
//	r := md.Reader("qwen3")
//	h := hparams{NLayer: r.IntIn("block_count", 1, 1024), NHead: r.Int("attention.head_count")}
//	h.NHeadKV = r.IntOr("attention.head_count_kv", h.NHead)
//	return h, r.Err()
//
// A number is accepted in any type that holds it: integers of any width, and integers where a float is wanted. A method
// with a default returns it only when the key is missing; a key of the wrong type is a mistake there too.
type Reader struct {
	md     *Metadata
	prefix string
	err    error
}

// maxLayers bounds the lists that are made from one number.
const maxLayers = 1 << 16

// Reader returns a reader of the keys "prefix.name"; with an empty prefix, of the keys as they are.
func (m *Metadata) Reader(prefix string) *Reader {
	if prefix != "" {
		prefix += "."
	}
	return &Reader{md: m, prefix: prefix}
}

// Err returns the first mistake. It is ErrNotFound for a missing key, else ErrCorrupt.
func (r *Reader) Err() error { return r.err }

// Has reports whether the key is there, of whatever type.
func (r *Reader) Has(name string) bool {
	_, ok := r.md.Get(r.prefix + name)
	return ok
}

// Int returns an integer.
func (r *Reader) Int(name string) int { return need(r, name, "an integer", asInt) }

// IntOr returns an integer, or def when the key is missing.
func (r *Reader) IntOr(name string, def int) int { return orElse(r, name, "an integer", asInt, def) }

// IntIn returns an integer from lo to hi. It is for counts that memory is allocated by.
func (r *Reader) IntIn(name string, lo, hi int) int {
	n := r.Int(name)
	if r.err == nil && (n < lo || n > hi) {
		r.fail(ErrCorrupt, name, "is %d, but must be from %d to %d", n, lo, hi)
		return 0
	}
	return n
}

// Float returns a number.
func (r *Reader) Float(name string) float64 { return need(r, name, "a number", Value.Float) }

// FloatOr returns a number, or def when the key is missing.
func (r *Reader) FloatOr(name string, def float64) float64 {
	return orElse(r, name, "a number", Value.Float, def)
}

// Bool returns a bool.
func (r *Reader) Bool(name string) bool { return need(r, name, "a bool", Value.Bool) }

// BoolOr returns a bool, or def when the key is missing.
func (r *Reader) BoolOr(name string, def bool) bool {
	return orElse(r, name, "a bool", Value.Bool, def)
}

// Str returns a text.
func (r *Reader) Str(name string) string { return need(r, name, "a string", Value.Str) }

// StrOr returns a text, or def when the key is missing.
func (r *Reader) StrOr(name, def string) string {
	return orElse(r, name, "a string", Value.Str, def)
}

// Ints returns an array of integers.
func (r *Reader) Ints(name string) []int { return need(r, name, "an array of integers", asInts) }

// Floats returns an array of numbers.
func (r *Reader) Floats(name string) []float32 {
	return need(r, name, "an array of numbers", Value.FloatSlice)
}

// Bools returns an array of bools.
func (r *Reader) Bools(name string) []bool {
	return need(r, name, "an array of bools", Value.BoolSlice)
}

// Strs returns an array of texts.
func (r *Reader) Strs(name string) []string {
	return need(r, name, "an array of strings", Value.StrSlice)
}

// IntsOrScalar returns n integers: one a layer, where the file has an array of n or one number for all layers.
func (r *Reader) IntsOrScalar(name string, n int) []int {
	return perLayer(r, name, n, "an integer or an array of them", asInt, asInts)
}

// FloatsOrScalar returns n numbers: one a layer, where the file has an array of n or one number for all layers.
func (r *Reader) FloatsOrScalar(name string, n int) []float32 {
	return perLayer(r, name, n, "a number or an array of them", asFloat32, Value.FloatSlice)
}

// BoolsOrScalar returns n bools: one a layer, where the file has an array of n or one bool for all layers.
func (r *Reader) BoolsOrScalar(name string, n int) []bool {
	return perLayer(r, name, n, "a bool or an array of them", Value.Bool, Value.BoolSlice)
}

// IntsOrScalarOr is IntsOrScalar with n times def when the key is missing.
func (r *Reader) IntsOrScalarOr(name string, n, def int) []int {
	if r.err == nil && !r.Has(name) && r.layers(name, n) {
		return slices.Repeat([]int{def}, n)
	}
	return r.IntsOrScalar(name, n)
}

// need returns the value of a key that must be there; get says whether it has the right type, want names that type.
func need[T any](r *Reader, name, want string, get func(Value) (T, bool)) T {
	var zero T
	if r.err != nil {
		return zero
	}
	if v, ok := r.md.Get(r.prefix + name); ok {
		if t, ok := get(v); ok {
			return t
		}
		r.fail(ErrCorrupt, name, "is %s, but must be %s", describe(v), want)
		return zero
	}
	r.fail(ErrNotFound, name, "is missing, but must be %s", want)
	return zero
}

func orElse[T any](r *Reader, name, want string, get func(Value) (T, bool), def T) T {
	if r.err == nil && !r.Has(name) {
		return def
	}
	return need(r, name, want, get)
}

// perLayer returns the n values of a key that holds one value or n.
func perLayer[T any](r *Reader, name string, n int, want string, one func(Value) (T, bool), many func(Value) ([]T, bool)) []T {
	if !r.layers(name, n) {
		return nil
	}
	all := need(r, name, want, func(v Value) ([]T, bool) {
		if t, ok := one(v); ok {
			return slices.Repeat([]T{t}, n), true
		}
		return many(v)
	})
	if r.err == nil && len(all) != n {
		r.fail(ErrCorrupt, name, "has %d elements, but must have %d, one a layer", len(all), n)
		return nil
	}
	return all
}

// layers refuses to make a list for an absurd number of layers.
func (r *Reader) layers(name string, n int) bool {
	if r.err == nil && (n < 0 || n > maxLayers) {
		r.fail(ErrCorrupt, name, "is wanted for %d layers, but there can be %d at most", n, maxLayers)
	}
	return r.err == nil
}

func (r *Reader) fail(kind error, name, format string, args ...any) {
	r.err = fault.In(kind, r.md.file, "key %s %s", quote(r.prefix+name), fmt.Sprintf(format, args...))
}

func asInt(v Value) (int, bool) {
	i, ok := v.Int()
	return int(i), ok && int64(int(i)) == i
}

func asInts(v Value) ([]int, bool) {
	if v.typ != TypeArray || !v.elem.integer() {
		return nil, false
	}
	return slice(v, true, asInt)
}

func asFloat32(v Value) (float32, bool) {
	f, ok := v.Float()
	return float32(f), ok && (math.Abs(f) <= math.MaxFloat32 || math.IsInf(f, 0) || math.IsNaN(f))
}
