package inspect

import (
	"fmt"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/tui/cells"
	"github.com/llamakit/llamakit/tui/inspect/probe"
	"github.com/llamakit/llamakit/tui/printable"
	"github.com/llamakit/llamakit/tui/scroll"
)

// value shows one value in full: the elements of an array, a line each, of which only those in view are drawn; or a text.
type value struct {
	*files
	key    *probe.Key
	scroll scroll.Text

	width   int // that lines were wrapped for
	lines   []string
	visible int
}

func newValue(f *files, key *probe.Key) *value { return &value{files: f, key: key} }

func (v *value) isArray() bool { return v.key.Value().Type() == gguf.TypeArray }

// len is the number of lines.
func (v *value) len() int {
	if v.isArray() {
		return max(arrayLen(v.key.A), arrayLen(v.key.B))
	}
	return len(v.lines)
}

func arrayLen(v gguf.Value) int {
	if v.Type() == gguf.TypeArray {
		return v.Len()
	}
	return 0
}

func (v *value) press(key string) {
	if key == "n" && v.isArray() {
		v.nextDifference()
		return
	}
	v.scroll.Press(key, v.len(), v.visible)
}

// nextDifference scrolls to the next element that differs.
func (v *value) nextDifference() {
	from, _ := v.scroll.Window(v.len(), v.visible)
	for i := from + 1; i < v.len() && v.compared(); i++ {
		if v.element(v.key.A, i) != v.element(v.key.B, i) {
			for range i - from {
				v.scroll.Press("down", v.len(), 1)
			}
			return
		}
	}
}

func (v *value) element(x gguf.Value, i int) string {
	if i >= arrayLen(x) {
		return "-"
	}
	return probe.ValueText(x.Index(i), 0)
}

func (v *value) render(width, height int) []string {
	head := []string{v.theme.Key.Render(cells.Truncate(gguf.Printable(v.key.Name)+"  "+probe.TypeText(v.key.Value()), width)), ""}
	if !v.isArray() && v.width != width {
		v.width, v.lines = width, v.wrapped(width)
	}
	v.visible = max(height-len(head), 1)
	from, to := v.scroll.Window(v.len(), v.visible)
	if !v.isArray() {
		return append(head, v.lines[from:to]...)
	}
	for i := from; i < to; i++ {
		head = append(head, v.row(i, width))
	}
	return head
}

// row is an element, or that of both files.
func (v *value) row(i, width int) string {
	number := v.theme.Faint.Render(fmt.Sprintf("%7d  ", i))
	a := v.element(v.key.A, i)
	if !v.compared() {
		return cells.Truncate(number+a, width)
	}
	b, sign := v.element(v.key.B, i), " "
	if a != b {
		sign = "~"
	}
	half := max((width-13)/2, 4)
	return cells.Truncate(number+sign+" "+cells.Fit(a, half)+"  "+b, width)
}

// wrapped is a text of one file, or the texts of both, one below the other where they differ.
func (v *value) wrapped(width int) (lines []string) {
	if v.key.Change != probe.Differs {
		return cells.Wrap(valueLines(v.key.Value()), width)
	}
	for i, x := range []gguf.Value{v.key.A, v.key.B} {
		lines = append(lines, v.theme.Key.Render(string("AB"[i])+"  "+probe.TypeText(x)))
		lines = append(lines, append(cells.Wrap(valueLines(x), width), "")...)
	}
	return lines
}

// valueLines is a value as text that may have lines.
func valueLines(v gguf.Value) string {
	if text, ok := v.Str(); ok {
		return printable.Text(shortened(text))
	}
	return probe.ValueText(v, 0)
}
