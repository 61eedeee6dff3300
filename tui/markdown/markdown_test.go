package markdown

import (
	"os"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/tui/cells"
	"github.com/llamakit/llamakit/tui/internal/goldenfile"
)

// TestGolden draws testdata/sample.md at three widths, without and with colours.
func TestGolden(t *testing.T) {
	source, err := os.ReadFile("testdata/sample.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		file    string
		width   int
		colours bool
	}{{"plain-20", 20, false}, {"plain-40", 40, false}, {"plain-80", 80, false}, {"colour-80", 80, true}} {
		r := New(c.width, c.colours)
		blocks, rest := Split(string(source))
		var b strings.Builder
		for _, block := range append(blocks, rest) {
			b.WriteString(strings.Join(r.Lines(block), "\n") + "\n\n")
		}
		goldenfile.Check(t, c.file+".txt", strings.ReplaceAll(b.String(), "\x1b", "ESC"))
	}
}

func TestForeignText(t *testing.T) {
	for _, c := range []struct{ name, block, want string }{
		{"escape sequence", "a\x1b[2Jb", "a␛[2Jb"},
		{"reference", "&#27;[2J &#x1b;]0;x&#7; &#155;", "&#27;[2J &#x1b;]0;x&#7; ›"},
		{"reference in code", "`&#27;[2J`", "&#27;[2J"},
		{"reference without end", "&#27[31m", "&#27[31m"},
		{"reference to direction", "&#x202e;abc", "&#x202e;abc"},
		{"reference in a title", "[a](http://x/&#27;[2J \"&#27;\")", "a http://x/&amp;#27;[2J"},
		{"named reference", "&lt;b&gt; &amp; &eacute;", "<b> & é"},
		{"HTML", "std::vector<int> and <b>bold</b>", "std::vector<int> and <b>bold</b>"},
		{"HTML block", "<div>\nx\n</div>", "<div>\nx\n</div>"},
		{"comment", "<!-- hidden -->", "<!-- hidden -->"},
		{"paragraphs of an item", "1. a\n\n   b\n\n   ```\n   c\n\n   d\n   ```", "1. a\nb\n  c\n\n  d"},
		{"lines of a poem", "one\ntwo", "one\ntwo"},
	} {
		for _, colours := range []bool{false, true} {
			got := colour.ReplaceAllString(strings.Join(New(60, colours).Lines(c.block), "\n"), "")
			if got != c.want {
				t.Errorf("%s, colours %t: %q is drawn as %q, want %q", c.name, colours, c.block, got, c.want)
			}
		}
	}
}

func TestLongBlockIsPlain(t *testing.T) {
	block := strings.Repeat("**a** ", maxBlock)
	lines := New(40, true).Lines(block)
	if !strings.Contains(lines[0], "**a**") || strings.Contains(lines[0], "\x1b") {
		t.Errorf("first line %q", lines[0])
	}
}

func FuzzLines(f *testing.F) {
	f.Add(sample, 20)
	f.Add("&#27;[2J `&#155;` <a href=\"&#7;\"> ![x](&#27;) | a |\n|---|\n| &#27; |", 9)
	f.Fuzz(func(t *testing.T, block string, width int) {
		if width < 4 || width > 120 || len(block) > 2000 {
			t.Skip()
		}
		for _, colours := range []bool{false, true} {
			for _, line := range New(width, colours).Lines(block) {
				if cells.Width(line) > width {
					t.Fatalf("%q at %d: %q is %d cells wide", block, width, line, cells.Width(line))
				}
				if strings.ContainsAny(colour.ReplaceAllString(line, ""), "\x1b\r\a\b\u009b\u202e") {
					t.Fatalf("%q: %q holds control codes", block, line)
				}
			}
		}
	})
}

func BenchmarkLines(b *testing.B) {
	for name, block := range map[string]string{
		"paragraph": strings.Repeat("Some *words* here with `code` and more. ", 10),
		"code":      "```go\n" + strings.Repeat("func main() { fmt.Println(\"hello\") } // x\n", 10) + "```",
	} {
		b.Run("block="+name, func(b *testing.B) {
			r := New(76, true)
			b.SetBytes(int64(len(block)))
			for b.Loop() {
				r.Lines(block)
			}
		})
	}
}
