package chat

import (
	"fmt"
	"strings"

	"github.com/llamakit/llamakit/tui/cells"
	"github.com/llamakit/llamakit/tui/pane"
	"github.com/llamakit/llamakit/tui/plot"
	"github.com/llamakit/llamakit/tui/printable"
)

// leastPanel is how many columns the panel and the transcript need to stand beside each other.
const leastPanel = 36

// upper draws what stands above the input: the transcript, and the panel beside it or in its place.
func (v *View) upper(width, height int) string {
	if !v.panel.open {
		return v.script.render(width, height)
	}
	left, right := pane.Split(width, 0.55, leastPanel)
	if right == 0 {
		v.script.width, v.script.height = width, height // where it will be
		return strings.Join(cells.Block(v.drawPanel(width, height), height), "\n")
	}
	bar := v.script.theme.Faint.Render("│")
	talk := strings.Split(v.script.render(left, height), "\n")
	return strings.Join(pane.Beside(talk, v.drawPanel(right, height), left, bar, height), "\n")
}

// drawPanel draws the knobs above the candidates.
func (v *View) drawPanel(width, height int) []string {
	t, p := v.script.theme, &v.panel
	rows := min(len(knobs), max(3, height*2/5))
	lines := []string{t.Key.Render(cells.Truncate(pane.Rule("Sampling", width), width))}
	from, to := p.list.Window(len(knobs), rows)
	for i := from; i < to; i++ {
		lines = append(lines, v.drawKnob(i, width))
	}
	lines = append(lines, t.Faint.Render(cells.Truncate("←→ turn  Enter type  Bksp default  Tab input", width)))
	lines = append(lines, v.drawPlace(width))
	if p.seen.err != nil {
		for _, l := range cells.Wrap(printable.Text(p.seen.err.Error()), width) {
			lines = append(lines, t.Error.Render(l))
		}
		return lines
	}
	lines = append(lines, v.drawChain(width)...)
	for _, c := range p.seen.candidates {
		lines = append(lines, v.drawCandidate(c, width))
	}
	return lines
}

func (v *View) drawKnob(i, width int) string {
	k, t := &knobs[i], v.script.theme
	base := v.options.Request
	mark := "  "
	if i == v.panel.list.Cursor && v.focus == onPanel {
		mark = "▸ "
	}
	line := cells.Truncate(mark+cells.Fit(k.name, 19)+k.text(&v.request), width)
	switch {
	case k.value(&v.request) != k.value(&base):
		return t.User.Render(line)
	case mark != "  ":
		return t.Key.Render(line)
	}
	return line
}

// drawPlace tells which token the candidates are for.
func (v *View) drawPlace(width int) string {
	title := fmt.Sprintf("token %d  [ ] others", v.panel.place+1)
	if before := v.panel.seen.before; before != "" {
		title = fmt.Sprintf("token %d after %q", v.panel.place+1, ending(before, 16))
	}
	return v.script.theme.Key.Render(cells.Truncate(pane.Rule(printable.Line(title), width), width))
}

// ending is the last characters of a text.
func ending(text string, n int) string {
	runes := []rune(text)
	if len(runes) <= n {
		return text
	}
	return "…" + string(runes[len(runes)-n:])
}

// drawChain tells how many candidates each sampler leaves; those that leave all are not named.
func (v *View) drawChain(width int) []string {
	steps := v.panel.seen.steps
	if len(steps) == 0 {
		return nil
	}
	text := fmt.Sprintf("%d", steps[0].Left)
	for i, s := range steps[1:] {
		if s.Left != steps[i].Left {
			text += fmt.Sprintf(" → %s %d", s.Sampler, s.Left)
		}
	}
	if len(v.panel.seen.candidates) > 0 && steps[len(steps)-1].Left == steps[0].Left {
		text += ", none removed"
	}
	return cells.Wrap(text, width)
}

// drawCandidate is a row: the token, its probability before and after, and a bar or the name of what removed it.
func (v *View) drawCandidate(c candidate, width int) string {
	t := v.script.theme
	text := fmt.Sprintf("%q", c.text)
	name := cells.Fit(printable.Line(text), min(14, max(width-24, 4)))
	mark := " "
	if c.chosen {
		mark = "▸"
	}
	head := fmt.Sprintf("%s%s %5.1f%% ", mark, name, 100*c.model)
	switch {
	case c.removed != "":
		return t.Faint.Render(cells.Truncate(head+"✕ "+c.removed, width))
	case !c.known:
		return t.Faint.Render(cells.Truncate(head+"  <", width))
	}
	head += fmt.Sprintf("%5.1f%% ", 100*c.drawn)
	line := cells.Truncate(head+strings.TrimRight(plot.Fraction(c.drawn, max(width-cells.Width(head), 0)), " "), width)
	if c.chosen {
		return t.Model.Render(line)
	}
	return line
}
