package markdown

import "strings"

// Split cuts the finished blocks off the beginning of a text that is still growing: paragraphs, headings, whole code
// blocks, lists and tables that what follows can not change any more. The rest is what may still grow.
//
// A block ends at a blank line when the next line begins at the margin (an indented one continues a list item), round a
// heading, and round a fenced code block. Every block can be drawn by itself, with a blank line between two.
func Split(text string) (blocks []string, rest string) {
	start, blank := 0, false // the open block; whether the line before was empty
	fence := ""
	cut := func(at int) {
		if block := strings.Trim(text[start:at], "\n"); strings.TrimSpace(block) != "" {
			blocks = append(blocks, block)
		}
		start = at
	}
	for at := 0; at < len(text); {
		line, whole := nextLine(text[at:])
		end := at + len(line)
		switch {
		case fence != "":
			if whole && closes(line, fence) {
				fence = ""
				if !indented(text[start:]) {
					cut(end)
				}
			}
		case opensFence(line) != "":
			if !indented(line) {
				cut(at)
			}
			fence = opensFence(line)
		case whole && isHeading(line):
			cut(at)
			cut(end)
		case blank && strings.TrimSpace(line) != "" && !indented(line):
			cut(at)
		}
		blank = strings.TrimSpace(line) == ""
		at = end
	}
	return blocks, text[start:]
}

// nextLine is the first line of text with its line break; whole says that it has one.
func nextLine(text string) (line string, whole bool) {
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		return text[:i+1], true
	}
	return text, false
}

func indented(line string) bool {
	return strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "\t")
}

// isHeading reports whether a line is one to six number signs and a blank.
func isHeading(line string) bool {
	n := len(line) - len(strings.TrimLeft(line, "#"))
	return n >= 1 && n <= 6 && strings.HasPrefix(line[n:], " ")
}

// opensFence returns the run of back quotes or tildes that begins a code block, or "".
func opensFence(line string) string {
	s := strings.TrimLeft(line, " \t")
	for _, mark := range []string{"`", "~"} {
		n := len(s) - len(strings.TrimLeft(s, mark))
		if n >= 3 && !(mark == "`" && strings.Contains(s[n:], "`")) {
			return s[:n]
		}
	}
	return ""
}

// closes reports whether a line ends the code block that a fence began.
func closes(line, fence string) bool {
	s := strings.TrimSpace(line)
	return len(s) >= len(fence) && strings.Trim(s, fence[:1]) == ""
}

// tighten removes the blank lines inside a list: the renderer would join the paragraphs of an item.
func tighten(block string) string {
	if !isItem(block) || !strings.Contains(block, "\n\n") {
		return block
	}
	var out []string
	fence := ""
	for line := range strings.SplitSeq(block, "\n") {
		switch {
		case fence != "" && closes(line, fence):
			fence = ""
		case fence == "":
			fence = opensFence(line)
		}
		if fence != "" || strings.TrimSpace(line) != "" {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

// isItem reports whether a block begins with the mark of a list item.
func isItem(block string) bool {
	s := strings.TrimLeft(block, " ")
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	if digits > 0 && len(s) > digits+1 && strings.IndexByte(".)", s[digits]) >= 0 {
		return s[digits+1] == ' '
	}
	return len(s) > 1 && strings.IndexByte("-*+", s[0]) >= 0 && s[1] == ' '
}
