package markdown

import (
	"slices"
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		name, text string
		blocks     []string
		rest       string
	}{
		{"nothing", "", nil, ""},
		{"open paragraph", "One\ntwo", nil, "One\ntwo"},
		{"blank line alone", "One\n\n", nil, "One\n\n"},
		{"two paragraphs", "One\n\nTwo", []string{"One"}, "Two"},
		{"heading ends at once", "# Head\nText", []string{"# Head"}, "Text"},
		{"heading after text", "Text\n# Head\n", []string{"Text", "# Head"}, ""},
		{"number sign", "#5 is no heading\n", nil, "#5 is no heading\n"},
		{"open code", "Text:\n```go\na\n\nb\n", []string{"Text:"}, "```go\na\n\nb\n"},
		{"closed code", "```go\na\n\nb\n```\nText", []string{"```go\na\n\nb\n```"}, "Text"},
		{"tildes round back quotes", "~~~\n```\n~~~\n", []string{"~~~\n```\n~~~"}, ""},
		{"shorter fence inside", "````\n```\n````\n", []string{"````\n```\n````"}, ""},
		{"code in a line", "```x``` is code\n", nil, "```x``` is code\n"},
		{"list with code", "- a\n\n  ```\n  x\n  ```\n\n- b\n\nText", []string{"- a\n\n  ```\n  x\n  ```", "- b"}, "Text"},
		{"item goes on", "1. a\n\n   more\n\n2. b\n", []string{"1. a\n\n   more"}, "2. b\n"},
		{"blank lines in front", "\n\n\nText\n\nmore", []string{"Text"}, "more"},
		{"indent unknown yet", "1. a\n\n ", nil, "1. a\n\n "},
	} {
		blocks, rest := Split(c.text)
		if !slices.Equal(blocks, c.blocks) || rest != c.rest {
			t.Errorf("%s: Split(%q) = %q, %q", c.name, c.text, blocks, rest)
		}
	}
}

const sample = "# Title\n\nA *paragraph* of text.\nSecond line.\n\n- a\n- b\n\n  goes on\n\n1. x\n\n2. y\n```go\nfunc f() {\n\n}\n```\nAfter.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nEnd"

// TestSplitStream: it does not matter in which pieces a text comes.
func TestSplitStream(t *testing.T) {
	whole, last := Split(sample)
	for size := 1; size < 40; size++ {
		var blocks []string
		rest := ""
		for from := 0; from < len(sample); from += size {
			done, left := Split(rest + sample[from:min(from+size, len(sample))])
			blocks, rest = append(blocks, done...), left
		}
		if !slices.Equal(blocks, whole) || rest != last {
			t.Fatalf("in pieces of %d: %q, %q; at once: %q, %q", size, blocks, rest, whole, last)
		}
	}
}

func FuzzSplit(f *testing.F) {
	f.Add(sample)
	f.Add("```\n\n")
	f.Fuzz(func(t *testing.T, text string) {
		blocks, rest := Split(text)
		strip := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if got := strip(strings.Join(blocks, "") + rest); got != strip(text) {
			t.Fatalf("Split(%q) keeps %q", text, got)
		}
	})
}
