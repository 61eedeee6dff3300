package gguf

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
)

func TestMetadata(t *testing.T) {
	md := NewMetadata()
	for i, k := range []string{"c", "a", "b", "a"} {
		md.Set(k, Int32(int32(i)))
	}
	clone := md.Clone()
	md.Delete("c")
	md.Delete("absent")
	md.Set("d", Bool(true))
	if got := list(md); got != "a=3 b=2 d=true " || md.Len() != 3 {
		t.Errorf("list is %s", got)
	}
	if got := list(clone); got != "c=0 a=3 b=2 " {
		t.Errorf("the clone is %s", got)
	}
	if _, ok := md.Get("c"); ok {
		t.Error("a deleted key is still there")
	}
	md.Keys()[0] = "changed"
	if got := md.Keys()[0]; got != "a" {
		t.Errorf("Keys is not a copy: %s", got)
	}
}

func list(md *Metadata) (s string) {
	for k, v := range md.All() {
		s += fmt.Sprintf("%s=%v ", k, v.Any())
	}
	return s
}

func readerSample() *Metadata {
	md := NewMetadata()
	md.file = "m.gguf"
	md.Set("arch.layers", Uint32(2))
	md.Set("arch.negative", Int8(-1))
	md.Set("arch.big", Uint64(math.MaxUint64))
	md.Set("arch.eps", Float32(0.5))
	md.Set("arch.eps64", Float64(0.25))
	md.Set("arch.flag", Bool(true))
	md.Set("arch.name", String("x"))
	md.Set("arch.ints", Int32s([]int32{3, -4}))
	md.Set("arch.wide", ArrayOf(TypeUint64, []Value{Uint64(math.MaxUint64)}))
	md.Set("arch.floats", Float32s([]float32{0.5, 1.5}))
	md.Set("arch.bools", Bools([]bool{true, false}))
	md.Set("arch.strs", Strings([]string{"a", "b"}))
	md.Set("arch.empty", Uint32s(nil))
	md.Set("bare", Uint8(9))
	return md
}

func TestReader(t *testing.T) {
	r := readerSample().Reader("arch")
	got := fmt.Sprint(
		r.Int("layers"), r.Int("negative"), r.IntOr("layers", 7), r.IntOr("absent", 7), r.IntIn("layers", 2, 2),
		r.Float("eps"), r.Float("eps64"), r.Float("layers"), r.FloatOr("eps", 3), r.FloatOr("absent", 3),
		r.Bool("flag"), r.BoolOr("flag", false), r.BoolOr("absent", true), r.Str("name"), r.StrOr("name", "y"), r.StrOr("absent", "y"),
		r.Ints("ints"), r.Floats("floats"), r.Floats("ints"), r.Bools("bools"), r.Strs("strs"), r.Ints("empty"),
		r.IntsOrScalar("layers", 3), r.IntsOrScalar("ints", 2), r.IntsOrScalarOr("absent", 2, 5), r.IntsOrScalarOr("ints", 2, 5),
		r.FloatsOrScalar("eps", 2), r.FloatsOrScalar("floats", 2), r.BoolsOrScalar("flag", 2), r.BoolsOrScalar("bools", 2),
		r.IntsOrScalar("empty", 0), r.Has("layers"), r.Has("absent"), r.md.Reader("").Int("bare"))
	want := "2 -1 2 7 2 0.5 0.25 2 0.5 3 true true true xxy" + // Sprint puts no space between strings
		" [3 -4] [0.5 1.5] [3 -4] [true false] [a b] [] [2 2 2] [3 -4] [5 5] [3 -4] [0.5 0.5] [0.5 1.5] [true true] [true false] [] true false 9"
	if strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(want, " ", "") || r.Err() != nil {
		t.Errorf("got  %s\nwant %s\nerror %v", got, want, r.Err())
	}
}

func TestReaderMistakes(t *testing.T) {
	for name, c := range map[string]struct {
		read func(r *Reader) any
		kind error
		want string
	}{
		"missing":             {func(r *Reader) any { return r.Int("absent") }, ErrNotFound, `m.gguf: key "arch.absent" is missing, but must be an integer`},
		"missing array":       {func(r *Reader) any { return r.Strs("absent") }, ErrNotFound, `key "arch.absent" is missing, but must be an array of strings`},
		"float for int":       {func(r *Reader) any { return r.Int("eps") }, ErrCorrupt, `key "arch.eps" is the f32 0.5, but must be an integer`},
		"text for int":        {func(r *Reader) any { return r.IntOr("name", 1) }, ErrCorrupt, `key "arch.name" is a str, but must be an integer`},
		"array for int":       {func(r *Reader) any { return r.Int("ints") }, ErrCorrupt, `is an array of 2 i32, but must be an integer`},
		"too big for int":     {func(r *Reader) any { return r.Int("big") }, ErrCorrupt, `is the u64 18446744073709551615`},
		"too big in array":    {func(r *Reader) any { return r.Ints("wide") }, ErrCorrupt, `an array of 1 u64`},
		"below the range":     {func(r *Reader) any { return r.IntIn("negative", 0, 9) }, ErrCorrupt, `key "arch.negative" is -1, but must be from 0 to 9`},
		"above the range":     {func(r *Reader) any { return r.IntIn("layers", 0, 1) }, ErrCorrupt, `is 2, but must be from 0 to 1`},
		"bool for float":      {func(r *Reader) any { return r.FloatOr("flag", 1) }, ErrCorrupt, `is the bool true, but must be a number`},
		"int for bool":        {func(r *Reader) any { return r.BoolOr("layers", true) }, ErrCorrupt, `is the u32 2, but must be a bool`},
		"int for text":        {func(r *Reader) any { return r.StrOr("layers", "") }, ErrCorrupt, `must be a string`},
		"scalar for array":    {func(r *Reader) any { return r.Ints("layers") }, ErrCorrupt, `must be an array of integers`},
		"floats for ints":     {func(r *Reader) any { return r.IntsOrScalar("floats", 2) }, ErrCorrupt, `an integer or an array of them`},
		"wrong length":        {func(r *Reader) any { return r.IntsOrScalar("ints", 3) }, ErrCorrupt, `key "arch.ints" has 2 elements, but must have 3, one a layer`},
		"empty for layers":    {func(r *Reader) any { return r.IntsOrScalar("empty", 1) }, ErrCorrupt, `has 0 elements, but must have 1`},
		"absurd layers":       {func(r *Reader) any { return r.IntsOrScalar("layers", math.MaxUint32) }, ErrCorrupt, `is wanted for 4294967295 layers`},
		"absurd default":      {func(r *Reader) any { return r.IntsOrScalarOr("absent", 1<<40, 1) }, ErrCorrupt, `is wanted for 1099511627776 layers`},
		"negative layers":     {func(r *Reader) any { return r.BoolsOrScalar("flag", -1) }, ErrCorrupt, `is wanted for -1 layers`},
		"first of two":        {func(r *Reader) any { r.Int("absent"); return r.Int("name") }, ErrNotFound, `arch.absent`},
		"good after bad":      {func(r *Reader) any { r.Int("absent"); return r.Int("layers") }, ErrNotFound, `arch.absent`},
		"default after bad":   {func(r *Reader) any { r.Int("absent"); return r.IntOr("absent", 7) }, ErrNotFound, `arch.absent`},
		"layers after bad":    {func(r *Reader) any { r.Int("absent"); return r.IntsOrScalarOr("absent", 7, 7) }, ErrNotFound, `arch.absent`},
		"controls in the key": {func(r *Reader) any { return r.Int("\x1b[2J") }, ErrNotFound, `"arch.\x1b[2J"`},
	} {
		r := readerSample().Reader("arch")
		got := c.read(r)
		if !errors.Is(r.Err(), c.kind) || !strings.Contains(fmt.Sprint(r.Err()), c.want) {
			t.Errorf("%s: %v, want %s", name, r.Err(), c.want)
		}
		if s := fmt.Sprint(got); s != "0" && s != "[]" && s != "false" && s != "" {
			t.Errorf("%s: reads %s after a mistake", name, s)
		}
	}
}
