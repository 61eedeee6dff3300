package debug

import (
	"fmt"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/llamakit/llamakit/engine/debug"
	"github.com/llamakit/llamakit/tui/cells"
	"github.com/llamakit/llamakit/tui/pane"
	"github.com/llamakit/llamakit/tui/plot"
	"github.com/llamakit/llamakit/tui/printable"
	"github.com/llamakit/llamakit/tui/scroll"
)

func (v *View) alternativesKey(name string) tea.Cmd {
	t := v.tokens.chosen()
	if t == nil {
		return nil
	}
	switch name = scroll.Arrow(name); name {
	case "up", "down":
		v.choice.Press(name, len(t.Candidates), 1)
	case "enter":
		return v.branch()
	default:
		v.side(name)
	}
	return v.askGrammar()
}

// candidate is the one under the cursor.
func (v *View) candidate() (c debug.Candidate, ok bool) {
	t := v.tokens.chosen()
	if t == nil || v.choice.Cursor >= len(t.Candidates) {
		return c, false
	}
	return t.Candidates[v.choice.Cursor], true
}

// alternativesBlock shows the candidates of a token, and below them the tree of continuations.
func (v *View) alternativesBlock(width, height int) []string {
	t := v.tokens.chosen()
	if t == nil {
		return v.nothing(width)
	}
	lines := []string{v.before(width)}
	if len(t.Chain) > 0 {
		for _, l := range cells.Wrap(chain(t), width) {
			lines = append(lines, v.theme.Faint.Render(l))
		}
	}
	head := fmt.Sprintf("  %6s %7s %-8s %7s %-12s %s", "id", "p", "", "drawn", "removed by", "text")
	if width < wide {
		head = fmt.Sprintf("  %6s %6s %-6s %s", "p", "drawn", "gone", "text")
	}
	lines = append(lines, v.theme.Faint.Render(cells.Fit(head, width)))
	if len(t.Candidates) == 0 {
		lines = append(lines, v.theme.Faint.Render(cells.Truncate("  no candidates were kept of this token", width)))
	}
	from, to := v.choice.Window(len(t.Candidates), max(2, height-len(lines)-4))
	for i := from; i < to; i++ {
		lines = append(lines, v.candidateLine(i, width))
	}
	return append(lines, v.treeLines(width, height-len(lines))...)
}

// before is the end of the text that leads to the token, and the token itself.
func (v *View) before(width int) string {
	i, own := v.tokens.list.Cursor, v.tokens.chosen()
	text, place := quoted(own), "prompt "+strconv.Itoa(i)
	if at := v.tokens.answer(); at >= 0 {
		place = fmt.Sprintf("answer +%d", at)
	}
	room := width - cells.Width(place) - cells.Width(text) - 4
	var past string
	for j := i - 1; j >= 0 && cells.Width(past) < room; j-- {
		past = printable.Line(visible(v.tokens.at(j))) + past
	}
	return v.theme.Key.Render(place) + "  " + v.theme.Faint.Render(lastCells(past, room)) + "  " + v.scale(own).Bold(true).Render(cells.Truncate(text, max(4, width/2)))
}

// lastCells is the end of a line.
func lastCells(line string, width int) string {
	for cells.Width(line) > max(width, 0) {
		g, _ := cells.First(line)
		line = line[len(g):]
	}
	return line
}

// chain says how many candidates each sampler left.
func chain(t *debug.Token) string {
	list := make([]string, len(t.Chain))
	for i, l := range t.Chain {
		list[i] = fmt.Sprintf("%s %d", l.Sampler, l.Left)
	}
	return "candidates left by " + strings.Join(list, " › ")
}

func (v *View) candidateLine(i, width int) string {
	t := v.tokens.chosen()
	c, mark := t.Candidates[i], "  "
	if i == v.choice.Cursor {
		mark = "› "
	}
	drawn := "-"
	if c.Drawn > 0 {
		drawn = fmt.Sprintf("%.4f", c.Drawn)
	}
	text := printable.Quoted(c.Text)
	if c.ID == t.ID {
		text += "  ← this one"
	}
	removed := printable.Line(c.Removed)
	line := fmt.Sprintf("%s%6d %7.4f %-8s %7s %-12s %s", mark, c.ID, c.P, plot.Fraction(float64(c.P), 8), drawn, removed, text)
	if width < wide {
		line = fmt.Sprintf("%s%6.4f %6s %-6s %s", mark, c.P, drawn, cells.Truncate(removed, 6), text)
	}
	line = cells.Fit(line, width)
	switch {
	case i == v.choice.Cursor:
		return v.theme.Key.Render(line)
	case c.Removed != "":
		return v.theme.Faint.Render(line)
	}
	return line
}

// branchLine is a run of the tree.
type branchLine struct {
	tree  *debug.Tree
	depth int
}

func (v *View) branches() (list []branchLine) {
	if v.tree != nil {
		v.tree.Walk(func(t *debug.Tree, depth int) { list = append(list, branchLine{t, depth}) })
	}
	return list
}

// treeLines draws the tree of continuations, the one that is looked at among them.
func (v *View) treeLines(width, height int) []string {
	list := v.branches()
	if height < 2 || len(list) < 2 {
		return nil
	}
	var at scroll.List
	for i, b := range list {
		if b.tree == v.shown {
			at.Cursor = i
		}
	}
	lines := []string{v.theme.Faint.Render(pane.Rule(fmt.Sprintf("branches: %d of %d", at.Cursor+1, len(list)), width))}
	from, to := at.Window(len(list), height-1)
	for i := from; i < to; i++ {
		lines = append(lines, v.treeLine(list[i], width))
	}
	return lines
}

func (v *View) treeLine(b branchLine, width int) string {
	mark := "  "
	if b.tree == v.shown {
		mark = "› "
	}
	run := b.tree.Run
	text := mark + strings.Repeat("  ", b.depth)
	from := 0
	if b.depth > 0 {
		text += fmt.Sprintf("└ +%d ", b.tree.At)
		from = min(b.tree.At, len(run.Answer))
	}
	var rest strings.Builder
	for i := from; i < len(run.Answer); i++ {
		rest.WriteString(visible(&run.Answer[i]))
	}
	line := cells.Fit(text+printable.Line(rest.String()), width)
	if b.tree == v.shown {
		return v.theme.Key.Render(line)
	}
	return line
}
