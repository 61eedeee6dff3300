package dashboard

import (
	"fmt"
	"strings"
	"time"

	"github.com/llamakit/llamakit/tui/cells"
	"github.com/llamakit/llamakit/tui/plot"
	"github.com/llamakit/llamakit/tui/printable"
)

// Render draws the dashboard: slots, cache, speed, and in what is left the answers that ended last.
func (v *View) Render(width, height int) string {
	s := v.history.latest
	if s == nil {
		return strings.Join(cells.Block([]string{cells.Fit("waiting for "+printable.Line(v.source.Name())+" ...", width)}, height), "\n")
	}
	if slot := v.selected(); v.look && slot != nil {
		return strings.Join(cells.Block(v.inside(slot.ID, width, height), height), "\n")
	}
	cache := v.cache(s, width, height)
	lines := append(v.slots(width, max(1, height-len(cache)-10)), cache...)
	if left := height - len(lines); left >= 4 {
		lines = append(lines, v.plots(width, min(6, left/2))...)
	}
	lines = append(lines, v.endings(width, height-len(lines))...)
	for i := range lines {
		lines[i] = cells.Fit(lines[i], width)
	}
	return strings.Join(cells.Block(lines, height), "\n")
}

// inside shows the prompt of a slot and the end of its answer.
func (v *View) inside(slot, width, height int) []string {
	prompt, answer := v.inspector().Look(slot)
	lines := []string{v.theme.User.Render(cells.Fit(fmt.Sprintf("slot %d: prompt", slot), width))}
	lines = append(lines, tail(prompt, width, (height-2)/2)...)
	lines = append(lines, v.theme.Model.Render(cells.Fit("answer", width)))
	return append(lines, tail(answer, width, height-len(lines))...)
}

// tail wraps text and returns its last lines.
func tail(text string, width, height int) []string {
	var lines []string
	for line := range strings.Lines(printable.Text(text)) {
		lines = append(lines, cells.Wrap(cells.ExpandTabs(strings.TrimRight(line, "\n")), width)...)
	}
	return lines[max(0, len(lines)-max(height, 0)):]
}

// slots draws a table of as many slots as there is room for, the one under the cursor among them.
func (v *View) slots(width, room int) []string {
	shown, selected := v.shown(), v.selected()
	from, to := v.list.Window(len(shown), room)
	lines := []string{v.theme.Faint.Render(cells.Fit(fmt.Sprintf(" %4s  %-8s  %-*s  %13s  %7s  %7s  %s", "slot", "state", promptWidth(width), "prompt", "answer", "tok/s", "time", "task  who"), width))}
	for i := from; i < to; i++ {
		slot, mark := &shown[i], " "
		if slot.ID == selected.ID { // shown makes a new list each time
			mark = "›"
		}
		lines = append(lines, mark+v.slot(slot, width-1))
	}
	if hidden := len(shown) - room; hidden > 0 {
		lines = append(lines, v.theme.Faint.Render(fmt.Sprintf("       %d of %d slots, from %d", room, len(shown), from)))
	}
	return lines
}

// promptWidth is the room for a prompt's bar and numbers.
func promptWidth(width int) int { return min(48, max(12, width-72)) }

func (v *View) slot(s *Slot, width int) string {
	if !s.Busy {
		return v.theme.Faint.Render(cells.Fit(fmt.Sprintf("%4d  %-8s", s.ID, "idle"), width))
	}
	state := "prompt"
	if s.Answer > 0 {
		state = "answer"
	}
	speed, took := v.history.speed(s.ID)
	answer := fmt.Sprint(s.Answer)
	if s.Left >= 0 {
		answer += fmt.Sprintf(" of %d", s.Answer+s.Left)
	}
	return fmt.Sprintf("%4d  %s  %s  %13s  %7.1f  %7s  %4d  %s", s.ID, v.theme.Model.Render(fmt.Sprintf("%-8s", state)), v.prompt(s, promptWidth(width)),
		answer, speed, seconds(took), s.Task, printable.Line(s.Who))
}

// prompt is a bar of what is done of a prompt, the cached part apart, and the number of its tokens.
func (v *View) prompt(s *Slot, width int) string {
	number := fmt.Sprintf(" %d", s.Prompt)
	total := float64(max(s.Prompt, 1))
	bar := plot.Bar(width-len(number), plot.Part{Share: float64(s.Cached) / total, Fill: '▒'}, plot.Part{Share: float64(max(0, s.Done-s.Cached)) / total, Fill: '█'})
	return bar + number
}

// seconds is a short form of a duration.
func seconds(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
}

// plots draws prompt and answer speed side by side.
func (v *View) plots(width, height int) []string {
	prompt, answer, topPrompt, topAnswer := v.history.series()
	half := (width - 2) / 2
	left, right := plot.Columns(prompt, topPrompt, half, height-1), plot.Columns(answer, topAnswer, half, height-1)
	lines := []string{v.theme.Faint.Render(cells.Fit(fmt.Sprintf("prompt tok/s, at most %.0f", topPrompt), half) + "  " +
		cells.Fit(fmt.Sprintf("answer tok/s, at most %.1f", topAnswer), half))}
	for i := range left {
		lines = append(lines, left[i]+"  "+right[i])
	}
	return lines
}

// endings lists the answers that ended last.
func (v *View) endings(width, height int) []string {
	if height < 2 || len(v.history.ended) == 0 {
		return nil
	}
	lines := []string{v.theme.Faint.Render(cells.Fit(fmt.Sprintf("%6s  %8s  %8s  %8s  %8s  %8s  %s", "task", "prompt", "cached", "answer", "tok/s", "time", "stopped by"), width))}
	for _, e := range v.history.ended[:min(len(v.history.ended), height-1)] {
		lines = append(lines, fmt.Sprintf("%6d  %8d  %8d  %8d  %8.1f  %8s  %s", e.Task, e.Prompt, e.Cached, e.Answer, e.Speed, seconds(e.Took), printable.Line(e.Stopped)))
	}
	return lines
}
