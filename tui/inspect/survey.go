package inspect

import (
	"context"
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/tui/cells"
	"github.com/llamakit/llamakit/tui/inspect/probe"
	"github.com/llamakit/llamakit/tui/pane"
	"github.com/llamakit/llamakit/tui/plot"
)

// How many elements of a tensor are read unless all are asked for: as many as take no time on a disk, and as many as are
// fetched soon from a server.
const (
	localElements  = 8 << 20
	remoteElements = 1 << 20
	maxKept        = 64 // findings that are kept
)

// finding is what reading a tensor brought.
type finding struct {
	rows       probe.Rows
	values     *probe.Distribution
	scales     *probe.Scales
	difference *probe.Difference // of both files, or nil
	err        error
}

// survey looks into tensors, one at a time, and keeps what it found.
type survey struct {
	*files
	job     *job
	reading string // the name under which the result is kept
	found   map[string]*finding
}

func (s *survey) key(t *probe.Tensor) string { return fmt.Sprint(s.side(t), t.Name) }

// side is the file that is looked into: the shown one, where it has the tensor.
func (s *survey) side(t *probe.Tensor) int {
	if t.A == nil || s.shown == 1 && t.B != nil {
		return 1
	}
	return 0
}

func (s *survey) entry(t *probe.Tensor) (*gguf.File, *gguf.Tensor) {
	if s.side(t) == 1 {
		return s.b(), t.B
	}
	return s.a(), t.A
}

// of begins to read a tensor, unless that is known or under way. all reads every row.
func (s *survey) of(t *probe.Tensor, all bool) tea.Cmd {
	key := s.key(t)
	if s.found[key] != nil && !all || s.job.busy && s.reading == key && !all {
		return nil
	}
	s.reading = key
	f, x := s.entry(t)
	elements := localElements
	switch {
	case all:
		elements = 0
	case f.Remote():
		elements = remoteElements
	}
	compared := t.A != nil && t.B != nil && slices.Equal(t.A.Shape, t.B.Shape)
	rows := probe.Spread(f, x, elements)
	return s.job.start(s.patience, func(ctx context.Context) (any, error) { return s.read(ctx, rows, t, compared) })
}

// read is the work of the job.
func (s *survey) read(ctx context.Context, rows probe.Rows, t *probe.Tensor, compared bool) (any, error) {
	found := &finding{rows: rows}
	if found.values, found.err = rows.Distribution(ctx); found.err == nil {
		found.scales, found.err = rows.Scales(ctx)
	}
	if found.err == nil && compared {
		of := rows
		of.File, of.Tensor = s.a(), t.A
		found.difference, found.err = of.Difference(ctx, s.b(), t.B)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return found, nil
}

// put keeps a result.
func (s *survey) put(f finished) {
	if len(s.found) >= maxKept || s.found == nil {
		s.found = map[string]*finding{}
	}
	s.found[s.reading] = f.value.(*finding)
}

// render draws a tensor: its entry, then what was read of it.
func (s *survey) render(t *probe.Tensor, width, height int) []string {
	f, x := s.entry(t)
	lines := []string{s.theme.Key.Render(cells.Truncate(gguf.Printable(t.Name), width))}
	lines = append(lines, s.facts(t, f, x, width)...)
	found := s.found[s.key(t)]
	switch {
	case found == nil:
		return append(lines, "", s.theme.Faint.Render("reading ..."))
	case found.err != nil:
		return append(append(lines, ""), s.failure(found.err, width)...)
	}
	lines = append(lines, s.values(found, width, max(3, min(8, (height-len(lines)-8)/2)))...)
	return append(lines, s.heat(found, width, height-len(lines)-2)...)
}

func (s *survey) facts(t *probe.Tensor, f *gguf.File, x *gguf.Tensor, width int) []string {
	pairs := [][2]string{{"type", size(x)}}
	if t.A != nil && t.B != nil && t.Change == probe.Differs {
		pairs = [][2]string{{"A", size(t.A)}, {"B", size(t.B)}}
	}
	where := fmt.Sprintf("%s at byte %d", cells.Bytes(x.Size), x.Offset)
	if len(f.Paths()) > 1 {
		where += fmt.Sprintf(" of shard %d", x.Shard+1)
	}
	pairs = append(pairs, [2]string{"values", fmt.Sprint(x.Elements())}, [2]string{"data", where})
	if t.Change == probe.OnlyA || t.Change == probe.OnlyB {
		pairs = append(pairs, [2]string{"in", "only " + map[probe.Change]string{probe.OnlyA: "A", probe.OnlyB: "B"}[t.Change]})
	}
	if found := s.found[s.key(t)]; found != nil && found.difference != nil {
		pairs = append(pairs, [2]string{"A - B", differenceText(found.difference)})
	}
	return s.fields(width, pairs...)
}

func differenceText(d *probe.Difference) string {
	if d.Equal {
		return "the same values"
	}
	return fmt.Sprintf("max abs %.4g, rel RMS %.4g", d.MaxAbs, d.RelRMS())
}

// part says how much was read.
func part(r probe.Rows) string {
	if r.N == r.Of {
		return ""
	}
	return fmt.Sprintf(" of %d in %d rows (Ctrl-A: all)", r.N, r.Of)
}

// values draws the numbers and the histogram.
func (s *survey) values(found *finding, width, height int) []string {
	d := found.values
	lines := []string{s.theme.Faint.Render(pane.Rule("values"+part(found.rows), width))}
	for _, text := range []string{fmt.Sprintf("min %.4g, max %.4g, mean %.4g, std %.4g, rms %.4g", d.Min, d.Max, d.Mean, d.Std, d.RMS),
		fmt.Sprintf("zeros %d, NaN %d, infinite %d", d.Zeros, d.NaN, d.Inf)} {
		lines = append(lines, cells.Wrap(text, width)...)
	}
	if d.Step() == 0 {
		return lines
	}
	columns := plot.Histogram(d.Count[:], width, height)
	lines = append(lines, columns...)
	return append(lines, s.theme.Faint.Render(axis(d, cells.Width(columns[0]))))
}

// axis has the ends of a histogram, and 0 where it is.
func axis(d *probe.Distribution, width int) string {
	line := cells.Ends(fmt.Sprintf("%.3g", d.Min), fmt.Sprintf("%.3g", d.Max), width)
	if at := int(-d.Min / (d.Max - d.Min) * float64(width)); d.Min < 0 && d.Max > 0 && len(line) == width && at < width && line[at] == ' ' {
		line = line[:at] + "0" + line[at+1:]
	}
	return line
}

// heat draws the map of scales in at most height lines, and a legend.
func (s *survey) heat(found *finding, width, height int) []string {
	m := found.scales
	title := fmt.Sprintf("largest of %d values", m.Block)
	if m.Stored {
		title = fmt.Sprintf("scales of blocks of %d", m.Block)
	}
	if height < 1 || m.Rows == 0 {
		return nil
	}
	grid := m.Grid(height, width)
	low, high := plot.Range(grid)
	lines := []string{s.theme.Faint.Render(pane.Rule(title, width))}
	lines = append(lines, plot.Heat(grid, low, high, width, s.theme.Heat)...)
	legend := plot.Heat([][]float64{{low}, {high}}, low, high, 1, s.theme.Heat)
	return append(lines, cells.Truncate(fmt.Sprintf("%s %.3g  %s %.3g  rows down, columns across", legend[0], low, legend[1], high), width))
}
