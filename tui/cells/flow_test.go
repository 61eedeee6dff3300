package cells

import (
	"slices"
	"testing"
)

func TestFlow(t *testing.T) {
	plain, mark := func(s string) string { return s }, func(s string) string { return "[" + s + "]" }
	for name, c := range map[string]struct {
		do   func(f *Flow)
		want []string
	}{
		"nothing":         {func(*Flow) {}, []string{""}},
		"styles":          {func(f *Flow) { f.Put("ab", plain); f.Put("cdefg", mark) }, []string{"ab[cd]", "[efg]"}},
		"wide characters": {func(f *Flow) { f.Put("a日本", plain) }, []string{"a日", "本"}},
		"a word":          {func(f *Flow) { f.Put("ab", plain); f.Word("cde", plain); f.Word("f", plain) }, []string{"ab", "cdef"}},
		"a long word":     {func(f *Flow) { f.Put("ab", plain); f.Word("cdefg", plain) }, []string{"abcd", "efg"}},
		"an empty line":   {func(f *Flow) { f.Put("a", plain); f.EndLine(); f.EndLine() }, []string{"a", ""}},
	} {
		f := &Flow{Width: 4}
		if c.do(f); !slices.Equal(f.Lines(), c.want) {
			t.Errorf("%s: %q, want %q", name, f.Lines(), c.want)
		}
	}
}
