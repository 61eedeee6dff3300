package gguf

import (
	"fmt"
	"math"
	"testing"
)

func TestScalars(t *testing.T) {
	type answer struct {
		i  int64
		iu uint64
		f  float64
		ok string // which of Int, Uint, Float, Bool, Str succeed: "iufbs"
	}
	for _, c := range []struct {
		v    Value
		want answer
		any  any
	}{
		{Value{}, answer{0, 0, 0, "iuf"}, uint8(0)},
		{Uint8(200), answer{200, 200, 200, "iuf"}, uint8(200)},
		{Int8(-100), answer{-100, 0, -100, "if"}, int8(-100)},
		{Int8(100), answer{100, 100, 100, "iuf"}, int8(100)},
		{Uint16(60000), answer{60000, 60000, 60000, "iuf"}, uint16(60000)},
		{Int16(-30000), answer{-30000, 0, -30000, "if"}, int16(-30000)},
		{Uint32(4e9), answer{4e9, 4e9, 4e9, "iuf"}, uint32(4e9)},
		{Int32(-2e9), answer{-2e9, 0, -2e9, "if"}, int32(-2e9)},
		{Uint64(math.MaxUint64), answer{0, math.MaxUint64, math.MaxUint64, "uf"}, uint64(math.MaxUint64)},
		{Uint64(math.MaxInt64), answer{math.MaxInt64, math.MaxInt64, math.MaxInt64, "iuf"}, uint64(math.MaxInt64)},
		{Int64(math.MinInt64), answer{math.MinInt64, 0, math.MinInt64, "if"}, int64(math.MinInt64)},
		{Float32(1.5), answer{0, 0, 1.5, "f"}, float32(1.5)},
		{Float64(-math.Pi), answer{0, 0, -math.Pi, "f"}, -math.Pi},
		{Bool(true), answer{0, 0, 0, "b"}, true},
		{Bool(false), answer{0, 0, 0, "b"}, false},
		{String("x"), answer{0, 0, 0, "s"}, "x"},
		{Strings([]string{"x"}), answer{}, []any{"x"}},
	} {
		var got answer
		var ok [5]bool
		got.i, ok[0] = c.v.Int()
		got.iu, ok[1] = c.v.Uint()
		got.f, ok[2] = c.v.Float()
		_, ok[3] = c.v.Bool()
		_, ok[4] = c.v.Str()
		for i := range ok {
			if ok[i] {
				got.ok += "iufbs"[i : i+1]
			}
		}
		if got != c.want || fmt.Sprintf("%#v", c.v.Any()) != fmt.Sprintf("%#v", c.any) {
			t.Errorf("%v %v: got %v, want %v", c.v.Type(), c.v.Any(), got, c.want)
		}
		if decoded, rest := cutValue(c.v.Type(), view(c.v.appendTo(nil))+"rest"); decoded != c.v || rest != "rest" {
			t.Errorf("%v %v: encoded and decoded it is %v", c.v.Type(), c.v.Any(), decoded.Any())
		}
	}
}

func TestArrays(t *testing.T) {
	strs := Strings([]string{"a", "", "ccc"})
	if s, ok := strs.StrSlice(); !ok || fmt.Sprintf("%q", s) != `["a" "" "ccc"]` || strs.Len() != 3 || strs.Type() != TypeArray || strs.Elem() != TypeString {
		t.Errorf("strings: %q %t", s, ok)
	}
	if v := strs.Index(2); v != String("ccc") {
		t.Errorf("Index(2) = %v", v.Any())
	}
	for v, want := range map[Value]string{
		Int32s([]int32{-1, 2}):                                         "[-1 2]",
		Uint32s([]uint32{1, 4e9}):                                      "[1 4000000000]",
		ArrayOf(TypeInt8, []Value{Int8(-128), Int8(127)}):              "[-128 127]",
		ArrayOf(TypeUint16, []Value{Uint16(65535)}):                    "[65535]",
		ArrayOf(TypeInt64, []Value{Int64(math.MinInt64), Int64(1)}):    "[-9223372036854775808 1]",
		ArrayOf(TypeUint64, []Value{Uint64(math.MaxInt64), Uint64(0)}): "[9223372036854775807 0]",
	} {
		ints, ok := v.IntSlice()
		floats, okFloat := v.FloatSlice()
		last := len(ints) - 1
		if i, _ := v.Index(last).Int(); i != ints[last] {
			t.Errorf("%v: Index(%d) = %d", v.Elem(), last, i)
		}
		if got := fmt.Sprint(ints); !ok || got != want || !okFloat || float32(ints[0]) != floats[0] {
			t.Errorf("%v: %s %t, floats %v %t; want %s", v.Elem(), got, ok, floats, okFloat, want)
		}
	}
	if _, ok := ArrayOf(TypeUint64, []Value{Uint64(1), Uint64(math.MaxUint64)}).IntSlice(); ok {
		t.Error("2^64-1 is no int64")
	}
	if f, ok := Float32s([]float32{1.5, -2}).FloatSlice(); !ok || fmt.Sprint(f) != "[1.5 -2]" {
		t.Errorf("floats: %v %t", f, ok)
	}
	if b, ok := Bools([]bool{true, false}).BoolSlice(); !ok || fmt.Sprint(b) != "[true false]" {
		t.Errorf("bools: %v %t", b, ok)
	}
}

// TestWrongSlices asks every array for every other type.
func TestWrongSlices(t *testing.T) {
	for _, v := range allScalars() {
		a := ArrayOf(v.typ, []Value{v})
		_, s := a.StrSlice()
		_, i := a.IntSlice()
		_, f := a.FloatSlice()
		_, b := a.BoolSlice()
		wantInt := v.typ.integer() && v != Uint64(math.MaxUint64)
		if s != (v.typ == TypeString) || i != wantInt || f != v.typ.number() || b != (v.typ == TypeBool) {
			t.Errorf("array of %v: strings %t, ints %t, floats %t, bools %t", v.typ, s, i, f, b)
		}
		_, s = v.StrSlice()
		_, i = v.IntSlice()
		if s || i || v.Len() != 0 {
			t.Errorf("%v reads as an array", v.typ)
		}
	}
}

func TestNested(t *testing.T) {
	v := ArrayOf(TypeArray, []Value{
		Uint32s([]uint32{1, 2}),
		Strings(nil),
		ArrayOf(TypeArray, []Value{Strings([]string{"x"}), ArrayOf(TypeArray, []Value{Bools([]bool{true})})}),
	})
	if got := fmt.Sprint(v.Any()); got != "[[1 2] [] [[x] [[true]]]]" {
		t.Errorf("nested: %s", got)
	}
	if got := v.Index(2).Index(1).Index(0); got != Bools([]bool{true}) {
		t.Errorf("innermost: %v", got.Any())
	}
	for range v.All() { // stopping early must not go on
		break
	}
}

func TestMisuse(t *testing.T) {
	deep := Uint32s(nil)
	for range maxDepth - 1 {
		deep = ArrayOf(TypeArray, []Value{deep})
	}
	for name, f := range map[string]func(){
		"mixed":     func() { ArrayOf(TypeUint8, []Value{Uint8(1), Int8(1)}) },
		"too deep":  func() { ArrayOf(TypeArray, []Value{deep}) },
		"index -1":  func() { Uint32s([]uint32{1}).Index(-1) },
		"index len": func() { Strings([]string{"a"}).Index(1) },
		"scalar":    func() { Uint32(1).Index(0) },
	} {
		if !panics(f) {
			t.Errorf("%s: no panic", name)
		}
	}
}

func panics(f func()) (yes bool) {
	defer func() { yes = recover() != nil }()
	f()
	return false
}

func TestValueTypeNames(t *testing.T) {
	if got := fmt.Sprint(TypeUint8, TypeArray, TypeFloat64, ValueType(13)); got != "u8 arr f64 unknown" {
		t.Error(got)
	}
}
