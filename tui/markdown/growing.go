package markdown

import (
	"strings"

	"github.com/llamakit/llamakit/tui/cells"
	"github.com/llamakit/llamakit/tui/printable"
)

// Growing draws a text that still grows, from its beginning on. A block is drawn once, when it is finished; a long block of code
// in pieces, so that it is highlighted while it comes. The zero value is at the beginning.
type Growing struct {
	fence string // the line that opened the block of code that the text is in, or ""
}

// Take draws what is finished at the beginning of text. used is how much of it that is; the next text begins there.
func (g *Growing) Take(r *Renderer, text string) (lines []string, used int) {
	for {
		var more []string
		n, again := 0, false
		if g.fence == "" {
			more, n, again = g.blocks(r, text[used:])
		} else {
			more, n, again = g.code(r, text[used:])
		}
		lines, used = append(lines, more...), used+n
		if !again {
			return lines, used
		}
	}
}

// blocks draws the finished blocks before a block of code that is open.
func (g *Growing) blocks(r *Renderer, text string) (lines []string, used int, again bool) {
	finished, rest := Split(text)
	for _, b := range finished {
		lines = append(append(lines, r.Lines(b)...), "")
	}
	first, whole := nextLine(rest)
	if opensFence(first) == "" || !whole || indented(first) {
		return lines, len(text) - len(rest), false
	}
	g.fence = strings.TrimRight(first, "\r\n")
	return lines, len(text) - len(rest) + len(first), true
}

// code draws a block of code up to its end, or as much of it as is worth drawing.
func (g *Growing) code(r *Renderer, text string) (lines []string, used int, again bool) {
	for at := 0; at < len(text); {
		line, whole := nextLine(text[at:])
		if whole && closes(line, opensFence(g.fence)) {
			lines = append(r.code(g.fence, text[:at]), "")
			g.fence = ""
			return lines, at + len(line), true
		}
		at += len(line)
	}
	if n := piece(text); n > 0 {
		return r.code(g.fence, text[:n]), n, true
	}
	return nil, 0, false
}

// Rest draws what is not finished: as it is while more comes, else as the last block.
func (g *Growing) Rest(r *Renderer, text string, ended bool) []string {
	switch {
	case strings.TrimSpace(text) == "":
		return nil
	case g.fence == "" && ended:
		return r.Lines(text)
	case g.fence == "":
		return cells.Wrap(printable.Text(text), r.width)
	case ended:
		return r.code(g.fence, text)
	}
	lines := cells.Wrap(printable.Text(strings.TrimSuffix(text, "\n")), r.width-codeMargin)
	for i := range lines {
		lines[i] = strings.Repeat(" ", codeMargin) + lines[i]
	}
	return lines
}

const (
	codeMargin = 2       // cells before a line of code
	pieceSize  = 1 << 10 // bytes of code that are highlighted at once: about five milliseconds
	maxCode    = 1 << 17 // of a block of code that comes whole; more is shown as it was written
)

// piece is the length of a piece of code that is drawn by itself: whole lines, cut between two that are not blank, since blank
// ones would be lost at an end. 0: there is not enough yet.
func piece(code string) int {
	for at := pieceSize; at < len(code); at++ {
		i := strings.IndexByte(code[at:], '\n')
		if i < 0 {
			return 0
		}
		at += i
		before, after := code[strings.LastIndexByte(code[:at], '\n')+1:at], code[at+1:]
		if next, whole := nextLine(after); whole && strings.TrimSpace(before) != "" && strings.TrimSpace(next) != "" {
			return at + 1
		}
	}
	return 0
}

// code draws the inside of a block of code, piece by piece.
func (r *Renderer) code(fence, text string) (lines []string) {
	mark := opensFence(fence)
	for text != "" {
		n := piece(text)
		if n == 0 {
			n = len(text)
		}
		part := strings.TrimSuffix(text[:n], "\n")
		if strings.TrimSpace(part) != "" {
			lines = append(lines, r.draw(fence+"\n"+part+"\n"+mark)...)
		}
		text = text[n:]
	}
	return lines
}

// longCode draws a block that is too long to be drawn at once, if it is one of code.
func (r *Renderer) longCode(block string) ([]string, bool) {
	first, _ := nextLine(block)
	if opensFence(first) == "" || indented(first) || len(block) > maxCode {
		return nil, false
	}
	g, inside := &Growing{fence: strings.TrimRight(first, "\r\n")}, block[len(first):]+"\n"
	lines, used := g.Take(r, inside)
	return trimLines(append(lines, g.Rest(r, inside[used:], true)...)), true
}
