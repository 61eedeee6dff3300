package gguf

import (
	"bufio"
	"context"
	"fmt"
	"math"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/tools/internal/asjson"
	"github.com/llamakit/llamakit/tools/internal/terminal"
	"github.com/llamakit/llamakit/tui/inspect/probe"
	"github.com/llamakit/llamakit/tui/plot"
)

// Cells of the map that --scales draws on a line, and lines.
const (
	mapRows    = 32
	mapColumns = 64
)

// scaleMap is what --scales tells.
type scaleMap struct {
	Tensor string       `json:"tensor"`
	Type   string       `json:"type"`
	Stored bool         `json:"stored"` // false: the type has no scales, and these are the largest magnitudes
	Block  int          `json:"block"`  // values that each is for
	Min    float64      `json:"min"`    // that is not 0
	Max    float64      `json:"max"`
	Mean   [][]*float64 `json:"mean"` // of a part of the tensor: rows down, columns across; null where all are NaN or infinite
	grid   [][]float64
}

// writeScales maps the scales of all rows, whatever --rows says.
func (d *dumper) writeScales(ctx context.Context, w *bufio.Writer) error {
	s, err := probe.Spread(d.f, d.t, 0).Scales(ctx)
	if err != nil {
		return err
	}
	m := &scaleMap{Tensor: d.t.Name, Type: d.t.Type.String(), Stored: s.Stored, Block: s.Block, Min: s.Min, Max: s.Max, grid: s.Grid(mapRows, mapColumns)}
	if d.json {
		m.fill()
		return asjson.Write(w, m)
	}
	m.print(w, terminal.Width(d.out))
	return nil
}

// fill makes the numbers that JSON can have.
func (m *scaleMap) fill() {
	m.Mean = make([][]*float64, len(m.grid))
	for y, row := range m.grid {
		m.Mean[y] = make([]*float64, len(row))
		for x := range row {
			if !math.IsNaN(row[x]) {
				m.Mean[y][x] = &row[x]
			}
		}
	}
}

func (m *scaleMap) print(w *bufio.Writer, width int) {
	what := fmt.Sprintf("%s has no scales; the largest of %d values", m.Type, m.Block)
	if m.Stored {
		what = fmt.Sprintf("scales of blocks of %d values of %s", m.Block, m.Type)
	}
	fmt.Fprintf(w, " %s: %s\n", gguf.Printable(m.Tensor), what)
	low, high := plot.Range(m.grid)
	fmt.Fprintf(w, " from %.5g to %.5g; means, rows down, columns across: ░ %.5g to █ %.5g\n\n", m.Min, m.Max, low, high)
	if width == 0 {
		width = 80
	}
	for _, line := range plot.Heat(m.grid, low, high, width-2, nil) {
		fmt.Fprintf(w, " %s\n", line)
	}
}
