package bench

import (
	"fmt"
	"io"
	"strings"

	"github.com/llamakit/llamakit/bench"
	"github.com/llamakit/llamakit/tools/internal/terminal"
)

// plot draws a bar a row below the table, where a terminal shows it.
type plot struct {
	w    io.Writer // nil: nobody sees it
	rows []*bench.Result
}

func newPlot(stdout io.Writer, format string) *plot {
	if format == "md" && terminal.Draws(stdout) {
		return &plot{w: stdout}
	}
	return &plot{}
}

func (p *plot) add(r *bench.Result) { p.rows = append(p.rows, r) }

// print draws the rows; prompts and answers have a scale each.
func (p *plot) print() error {
	if p.w == nil || len(p.rows) < 2 {
		return nil
	}
	_, err := fmt.Fprint(p.w, "\n", bars(p.rows, terminal.Width(p.w)))
	return err
}

func bars(rows []*bench.Result, width int) string {
	top, label := map[bool]float64{}, 0
	for _, r := range rows {
		speed, _ := r.Speed()
		top[r.Prompt > 0] = max(top[r.Prompt > 0], speed)
		label = max(label, len(r.Test()))
	}
	room := max(width-label-12, 10)
	var b strings.Builder
	for _, r := range rows {
		speed, _ := r.Speed()
		n := int(speed / max(top[r.Prompt > 0], 1e-9) * float64(room))
		fmt.Fprintf(&b, "%*s %s %.1f\n", label, r.Test(), strings.Repeat("█", n), speed)
	}
	return b.String()
}
