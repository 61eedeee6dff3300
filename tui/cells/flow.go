package cells

import "strings"

// Flow breaks text that comes in pieces, each in a style, into lines of at most Width cells, wherever a line is full.
type Flow struct {
	Width int

	lines []string
	line  strings.Builder
	used  int // cells of line
}

// Put adds text without line breaks.
func (f *Flow) Put(text string, style func(string) string) {
	begin := 0
	put := func(end int) {
		if end > begin {
			f.line.WriteString(style(text[begin:end]))
		}
		begin = end
	}
	for at := 0; at < len(text); {
		g, n := First(text[at:])
		if f.used+n > f.Width {
			put(at)
			f.EndLine()
		}
		at += len(g)
		f.used += n
	}
	put(len(text))
}

// Word is Put of text that is not broken, if it fits into a line.
func (f *Flow) Word(text string, style func(string) string) {
	if n := Width(text); f.used > 0 && n <= f.Width && f.used+n > f.Width {
		f.EndLine()
	}
	f.Put(text, style)
}

// EndLine begins the next line.
func (f *Flow) EndLine() {
	f.lines = append(f.lines, f.line.String())
	f.line.Reset()
	f.used = 0
}

// Lines ends the line, if anything is in it, and returns all: one at least.
func (f *Flow) Lines() []string {
	if f.line.Len() > 0 || len(f.lines) == 0 {
		f.EndLine()
	}
	return f.lines
}
