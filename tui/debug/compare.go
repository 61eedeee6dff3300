package debug

import (
	"context"
	"errors"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/llamakit/llamakit/engine/debug"
	"github.com/llamakit/llamakit/tui/cells"
	"github.com/llamakit/llamakit/tui/pane"
	"github.com/llamakit/llamakit/tui/printable"
)

// compareState is what the run that is looked at is compared with.
type compareState struct {
	a          *debug.Run
	groups     []debug.Group // of a sweep
	divergence *debug.Divergence
	other      *debug.Run // of the other model, whose divergence it is
}

// sweepSeeds are the seeds of a sweep.
var sweepSeeds = []int64{1, 2, 3, 4, 5, 6, 7, 8}

type sweepMsg struct {
	work   *work
	groups []debug.Group
	err    error
}

type divergedMsg struct {
	work       *work
	run        *debug.Run
	divergence *debug.Divergence
	err        error
}

func (v *View) compareKey(name string) tea.Cmd {
	switch name {
	case "w":
		return v.sweep()
	case "o":
		return v.otherModel()
	}
	v.side(name)
	return nil
}

// background runs f; Esc stops it.
func (v *View) background(what string, f func(ctx context.Context, w *work) tea.Msg) tea.Cmd {
	if v.work != nil {
		return nil
	}
	ctx, cancel := context.WithCancel(v.ctx)
	w := &work{what: what, cancel: cancel}
	v.work, v.failed = w, nil
	return func() tea.Msg {
		defer cancel()
		return f(ctx, w)
	}
}

// finished takes the end of what ran in the background.
func (v *View) finished(msg tea.Msg) {
	var err error
	var w *work
	switch msg := msg.(type) {
	case savedMsg:
		if v.failed = msg.err; msg.err == nil {
			v.said = "saved as " + printable.Line(msg.name)
		}
		return
	case sweepMsg:
		if w, err = msg.work, msg.err; err == nil {
			v.diff.groups = msg.groups
		}
	case divergedMsg:
		if w, err = msg.work, msg.err; msg.run != nil {
			v.diff.a, v.diff.other, v.diff.divergence = msg.run, msg.run, msg.divergence
		}
	}
	if w != v.work { // it was left behind
		return
	}
	v.work = nil
	if err != nil && !errors.Is(err, context.Canceled) {
		v.failed = err
	}
}

func (v *View) sweep() tea.Cmd {
	in := v.input
	return v.background("seeds 1 to 8", func(ctx context.Context, w *work) tea.Msg {
		runs, err := debug.Sweep(ctx, v.runner, in, sweepSeeds, debug.Options{}, nil)
		if err != nil {
			return sweepMsg{work: w, err: err}
		}
		return sweepMsg{work: w, groups: debug.Groups(runs)}
	})
}

// otherModel runs the input of this run on the other model, which becomes A, and measures how far the two are apart.
func (v *View) otherModel() tea.Cmd {
	run := v.current()
	if v.options.Other == nil || run == nil {
		v.said = "there is no other model: start with --against FILE"
		return nil
	}
	return v.background("the other model", func(ctx context.Context, w *work) tea.Msg {
		other, err := v.options.Other.Run(ctx, run.Input, v.options.Keep, nil)
		if err != nil {
			return divergedMsg{work: w, err: err}
		}
		m := divergedMsg{work: w, run: other}
		a, isHere := v.options.Other.(*debug.Session)
		b, both := v.runner.(*debug.Session)
		if isHere && both {
			text := append(run.Prompt[:len(run.Prompt):len(run.Prompt)], run.Answer...)
			m.divergence, m.err = debug.Diverge(ctx, a, b, text)
		}
		return m
	})
}

// compareBlock shows A and the run that is looked at side by side.
func (v *View) compareBlock(width, height int) []string {
	b := v.current()
	if b == nil {
		return v.nothing(width)
	}
	var lines []string
	if v.diff.a == nil {
		lines = append(lines, v.theme.Faint.Render(cells.Truncate("m keeps this run as A; then change something and run again, or go to a branch", width)))
	} else {
		lines = v.sideBySide(v.diff.a, b, width, height)
	}
	if len(v.diff.groups) > 0 {
		lines = append(lines, v.groupLines(width)...)
	}
	return lines
}

func (v *View) sideBySide(a, b *debug.Run, width, height int) []string {
	p := debug.Compare(a, b)
	block := &block{v: v, width: width}
	for _, l := range v.partingText(&p) {
		block.text(plain, l)
	}
	room := max(4, height-len(block.lines)-min(2*len(v.diff.groups), height/2))
	left, right := pane.Split(width, 0.5, 24)
	if right == 0 {
		lines := append(block.lines, v.half("A", a, p.Answer, width, room/2)...)
		return append(lines, v.half("B", b, p.Answer, width, room-room/2)...)
	}
	x, y := v.half("A", a, p.Answer, left, room), v.half("B", b, p.Answer, right-2, room)
	return append(block.lines, pane.Beside(x, y, left, " │ ", max(len(x), len(y)))...)
}

// half is one of two runs: its answer up to where the two part faint, the rest not.
func (v *View) half(name string, r *debug.Run, at, width, height int) []string {
	title := fmt.Sprintf("%s: seed %d, temp %g, %s", name, r.Input.Sampling.Seed, r.Input.Sampling.Temperature, r.Stop.Reason)
	f := &cells.Flow{Width: max(width, 2)}
	for i := range r.Answer {
		style := v.look(&r.Answer[i])
		switch {
		case at >= 0 && i < at:
			style = v.theme.Faint
		case i == at:
			style = v.theme.Error.Bold(true).Reverse(v.theme.Colours)
		}
		put(f, visible(&r.Answer[i]), style)
	}
	lines := append([]string{v.theme.Faint.Render(pane.Rule(title, width))}, f.Lines()...)
	return lines[:min(len(lines), max(height, 2))]
}

// partingText says where two runs part, and how likely each found the other's token.
func (v *View) partingText(p *debug.Parting) (list []string) {
	if len(p.Inputs) > 0 {
		list = append(list, "different: "+strings.Join(p.Inputs, ", "))
	}
	if p.Prompt >= 0 {
		list = append(list, fmt.Sprintf("the prompts part at token %d", p.Prompt))
	}
	if p.Answer < 0 {
		list = append(list, fmt.Sprintf("the answers have the same %d tokens", p.Common))
	} else {
		list = append(list, fmt.Sprintf("the answers part at token +%d: A %s, B %s", p.Answer, partText(p.A), partText(p.B)))
	}
	if d := v.diff.divergence; d != nil && v.diff.a == v.diff.other {
		list = append(list, fmt.Sprintf("along B: KL divergence %.5f nats on average, %.4f at most, after %s; the same likeliest token at %.1f%%",
			d.Mean, d.Max, printable.Quoted(d.Tokens[d.At].Text), 100*d.SameTop))
	}
	return list
}

func partText(t *debug.PartToken) string {
	switch {
	case t == nil:
		return "ends"
	case t.P < 0:
		return printable.Quoted(t.Text)
	case t.Other < 0:
		return fmt.Sprintf("%q (p %.3f)", t.Text, t.P)
	}
	return fmt.Sprintf("%q (p %.3f, the other's %.3f)", t.Text, t.P, t.Other)
}

// groupLines shows the answers of a sweep.
func (v *View) groupLines(width int) []string {
	lines := []string{v.theme.Faint.Render(pane.Rule(fmt.Sprintf("seeds 1 to 8: %d answers", len(v.diff.groups)), width))}
	for _, g := range v.diff.groups {
		head := fmt.Sprintf("%d of 8", len(g.Seeds))
		if g.Parts >= 0 {
			head += fmt.Sprintf(", parts at +%d", g.Parts)
		}
		lines = append(lines, cells.Fit(v.theme.Key.Render(cells.Fit(head, 20))+printable.Line(g.Answer), width))
	}
	return lines
}
