package dashboard

import (
	"fmt"
	"strings"

	"github.com/llamakit/llamakit/tui/plot"
	"github.com/llamakit/llamakit/tui/printable"
)

// fills are how pages are drawn, in the map and in the bar.
var fills = map[byte]rune{'s': '█', 'u': '▓', 'c': '▒', '.': '·'}

// cache draws queue, devices, and the pages as a bar; as a map too where there is room.
func (v *View) cache(s *Snapshot, width, height int) []string {
	running := 0
	for _, slot := range s.Slots {
		if slot.Busy {
			running++
		}
	}
	line := fmt.Sprintf("%d running, %d waiting", running, s.Waiting)
	if all := s.Counts.Prompt + s.Counts.Cached; all > 0 {
		line += fmt.Sprintf(" · %.0f prompt tokens, %.0f%% of them from the cache · %.0f generated", all, 100*s.Counts.Cached/all, s.Counts.Generated)
	}
	lines := []string{"", line}
	for _, d := range s.Devices {
		lines = append(lines, fmt.Sprintf("%s  %d layers · weights %s, cache %s, compute %s", printable.Line(d.Name), d.Layers, mebibytes(d.Weights), mebibytes(d.Cache), mebibytes(d.Compute)))
	}
	if s.Pages.Total > 0 {
		lines = append(lines, v.bar(s.Pages, width))
		for _, row := range pageMap(s.Pages.Map, width-3, height/10-1) {
			lines = append(lines, "   "+row)
		}
	}
	return lines
}

func mebibytes(n int64) string { return fmt.Sprintf("%d MiB", (n+1<<19)>>20) }

func (v *View) bar(p Pages, width int) string {
	text := fmt.Sprintf(" %d of %d pages in use, %d shared, %d cached", p.Used, p.Total, p.Shared, p.Cached)
	share := func(n int) float64 { return float64(n) / float64(p.Total) }
	return "KV " + plot.Bar(max(8, width-len(text)-3), plot.Part{Share: share(p.Shared), Fill: fills['s']},
		plot.Part{Share: share(p.Used - p.Shared), Fill: fills['u']}, plot.Part{Share: share(p.Cached), Fill: fills['c']}) + text
}

// pageMap draws a cell for every page, or for as many as must go into one that all have room: what most of them are.
func pageMap(pages string, width, height int) (rows []string) {
	if pages == "" || width < 1 || height < 1 {
		return nil
	}
	each := (len(pages) + width*height - 1) / (width * height)
	var row strings.Builder
	cells := 0
	for from := 0; from < len(pages); from += each {
		row.WriteRune(fills[most(pages[from:min(from+each, len(pages))])])
		if cells++; cells%width == 0 {
			rows = append(rows, row.String())
			row.Reset()
		}
	}
	if row.Len() > 0 {
		rows = append(rows, row.String())
	}
	return rows
}

// most is the letter that stands most often in a text, of those that are known.
func most(text string) (letter byte) {
	best := -1
	for _, c := range "suc." {
		if n := strings.Count(text, string(c)); n > best {
			best, letter = n, byte(c)
		}
	}
	return letter
}
