package gguf

import (
	"math"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/tui/inspect/probe"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		typ, text string
		want      gguf.Value
		err       string
	}{
		{"u8", "255", gguf.Uint8(255), ""},
		{"u8", "256", gguf.Value{}, "256 does not fit into u8"},
		{"u8", "-1", gguf.Value{}, `"-1" is no u8`},
		{"i8", "-128", gguf.Int8(-128), ""},
		{"u16", "65535", gguf.Uint16(65535), ""},
		{"i16", "-32769", gguf.Value{}, "does not fit into i16"},
		{"u32", "010", gguf.Uint32(10), ""},
		{"u32", "0x10", gguf.Value{}, "is no u32"},
		{"i32", "+5", gguf.Int32(5), ""},
		{"u64", "18446744073709551615", gguf.Uint64(math.MaxUint64), ""},
		{"i64", "-9223372036854775808", gguf.Int64(math.MinInt64), ""},
		{"f32", "1e-5", gguf.Float32(1e-5), ""},
		{"f32", "1e39", gguf.Value{}, "1e39 does not fit into f32"},
		{"f32", "-inf", gguf.Float32(float32(math.Inf(-1))), ""},
		{"f32", "NaN", gguf.Value{}, `"NaN" is no f32`},
		{"f64", "1e39", gguf.Float64(1e39), ""},
		{"bool", "true", gguf.Bool(true), ""},
		{"bool", "1", gguf.Value{}, `"1" is neither true nor false`},
		{"str", "", gguf.String(""), ""},
		{"str", "[1]", gguf.String("[1]"), ""},
		{"arr[u8]", "[1, 2]", gguf.ArrayOf(gguf.TypeUint8, []gguf.Value{gguf.Uint8(1), gguf.Uint8(2)}), ""},
		{"arr[str]", `["a\"", ""]`, gguf.Strings([]string{`a"`, ""}), ""},
		{"arr[bool]", "[true]", gguf.Bools([]bool{true}), ""},
		{"arr[f32]", "[1, 2.5]", gguf.Float32s([]float32{1, 2.5}), ""},
		{"arr[i32]", "[]", gguf.Int32s(nil), ""},
		{"arr[i32]", "null", gguf.Value{}, "JSON array"},
		{"arr[i32]", "1", gguf.Value{}, "JSON array"},
		{"arr[i32]", "[1] 2", gguf.Value{}, "something follows"},
		{"arr[i32]", "[1.5]", gguf.Value{}, `element 0: "1.5" is no i32`},
		{"arr[i32]", `[1, "2"]`, gguf.Value{}, "element 1: 2 is no i32"},
		{"arr[str]", "[1]", gguf.Value{}, "element 0: 1 is no str"},
		{"arr[str]", "[null]", gguf.Value{}, "is no str"},
		{"arr[bool]", `["true"]`, gguf.Value{}, "is no bool"},
	} {
		typ, err := parseType(c.typ)
		if err != nil || typ.String() != c.typ {
			t.Fatalf("%s: %v, %v", c.typ, typ, err)
		}
		got, err := typ.parse(c.text)
		if c.err == "" && (err != nil || got != c.want) || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%s %q: %v, %v, want %v, %q", c.typ, c.text, got.Any(), err, c.want.Any(), c.err)
		}
	}
	for _, name := range []string{"", "u33", "arr", "arr[", "arr[]", "arr[arr]", "arr[u8", "u8]", "arr[arr[u8]]", "unknown"} {
		if typ, err := parseType(name); err == nil {
			t.Errorf("%q is %v", name, typ)
		}
	}
}

func TestGuessType(t *testing.T) {
	for text, want := range map[string]string{
		"0": "u32", "4294967296": "u64", "-1": "i32", "-3000000000": "i64", "1.5": "f32", "1e3": "f32", "true": "bool", "True": "str", "[1]": "str", "": "str", "nan": "str",
	} {
		if got := guessType(text).String(); got != want {
			t.Errorf("%q is taken for %s, want %s", text, got, want)
		}
	}
}

// FuzzParse wants no panic, and that what is accepted reads back: a value printed in full is the text of an equal one.
func FuzzParse(f *testing.F) {
	for _, seed := range [][2]string{{"u8", "1"}, {"f32", "1e-5"}, {"arr[str]", `["a"]`}, {"arr[f64]", "[1,2]"}, {"bool", "true"}, {"i64", "-9"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		guessType(text)
		typ, err := parseType(name)
		if err != nil {
			return
		}
		v, err := typ.parse(text)
		if err != nil {
			if len(err.Error()) > 200+8*len(text) {
				t.Fatalf("an error of %d bytes for %d", len(err.Error()), len(text))
			}
			return
		}
		if v.Type() != typ.typ || v.Elem() != typ.elem {
			t.Fatalf("asked for %v, got %v", typ, probe.TypeText(v))
		}
		if typ.typ == gguf.TypeString || typ.elem == gguf.TypeString {
			return // printed with escapes
		}
		if again, err := typ.parse(probe.ValueText(v, 0)); err != nil && !strings.Contains(probe.ValueText(v, 0), "Inf") || err == nil && again != v {
			t.Fatalf("%q became %q (%v)", text, probe.ValueText(v, 0), err)
		}
	})
}
