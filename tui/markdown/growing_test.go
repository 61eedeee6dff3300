package markdown

import (
	"fmt"
	"strings"
	"testing"
)

// grow draws a text that comes in pieces of n bytes.
func grow(r *Renderer, text string, n int) []string {
	var g Growing
	var lines []string
	used := 0
	for end := 0; end < len(text); {
		end = min(end+n, len(text))
		more, taken := g.Take(r, text[used:end])
		lines, used = append(lines, more...), used+taken
		g.Rest(r, text[used:end], false)
	}
	return trimLines(append(lines, g.Rest(r, text[used:], true)...))
}

// TestGrowing: however a text comes, it is drawn alike, and no line of it is lost.
func TestGrowing(t *testing.T) {
	var code strings.Builder
	for i := range 80 {
		fmt.Fprintf(&code, "func f%d() { return %d } // a comment\n%s", i, i, strings.Repeat("\n", i%3))
	}
	texts := []string{"one\n\n```go\n" + code.String() + "```\nafter\n\n- a\n- b\n", "```\n" + code.String(), "a\n\n```go\nx", "~~~ text\na ``` b\n~~~\n\n# end", "- item\n  ```\n  in it\n  ```\n"}
	for _, text := range texts {
		r := New(60, false)
		want := grow(r, text, len(text))
		for _, n := range []int{23, 1000} {
			if got := grow(r, text, n); strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("%.20q in pieces of %d: got\n%s\nwant\n%s", text, n, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
		for i := range strings.Count(text, "func f") {
			if !strings.Contains(strings.Join(want, "\n"), fmt.Sprintf("  func f%d() ", i)) {
				t.Fatalf("%.20q: line %d is lost", text, i)
			}
		}
	}
	whole := New(60, false).Lines("```go\n" + code.String() + "```")
	if n := len(whole); n < 150 || whole[0] != "  func f0() { return 0 } // a comment" {
		t.Errorf("a long block is %d lines, the first %q", n, whole[0])
	}
	if plain := New(60, false).Lines("```\n" + strings.Repeat("x\n", maxCode)); plain[0] != "```" {
		t.Error("code without a bound is highlighted")
	}
}

func FuzzGrowing(f *testing.F) {
	f.Add("a\n```go\nx\n```\nb", 3)
	f.Add("~~~\n```\n~~~~\n- x\n", 1)
	r := New(30, true)
	f.Fuzz(func(t *testing.T, text string, n int) {
		if n < 1 || len(text) > 100*n || len(text) > 4096 {
			return
		}
		for _, line := range grow(r, text, n) {
			if strings.ContainsAny(onlyColours(line), "\a\r") {
				t.Fatalf("%q", line)
			}
		}
	})
}
