package inspect

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/tui"
	"github.com/llamakit/llamakit/tui/cells"
	"github.com/llamakit/llamakit/tui/editor"
	"github.com/llamakit/llamakit/tui/inspect/probe"
	"github.com/llamakit/llamakit/tui/plot"
)

// memory is what the shown file takes when it is loaded, with settings that are changed here.
type memory struct {
	*files
	job    *job
	base   engine.Options // of all plans
	of     demand         // that the plan is of
	plan   *planned
	err    error
	now    demand
	cursor int // the setting that keys change
	typed  bool
}

// demand is what a plan depends on.
type demand struct {
	file, context, sequences int
	keys, values             int // in engine.CacheTypes
	layers                   int // of -ngl
}

// planned is what the job makes.
type planned struct {
	*engine.Plan
	largest int
	offload probe.Offload
}

// most is the largest number that a setting takes.
const most = 1 << 24

func newMemory(f *files) *memory {
	f16 := slices.Index(engine.CacheTypes(), engine.CacheF16)
	return &memory{files: f, job: f.newJob(), of: demand{file: -1}, now: demand{sequences: 1, keys: f16, values: f16}}
}

func (m *memory) name() string { return "memory" }

func (m *memory) open() tea.Cmd {
	m.now.file = m.shown
	if m.of == m.now {
		return nil
	}
	m.of = m.now
	f, want, base := m.here(), m.now, m.base
	return m.job.start(0, func(context.Context) (any, error) { return planFor(f, want, base) })
}

// planFor is the work of the job.
func planFor(f *gguf.File, d demand, o engine.Options) (*planned, error) {
	types := engine.CacheTypes()
	o.Context, o.Sequences, o.CacheK, o.CacheV = d.context, d.sequences, types[d.keys], types[d.values]
	p, err := engine.NewPlan(f, o)
	if err != nil {
		return nil, err
	}
	out := &planned{Plan: p, offload: probe.PlanOffload(f, p, d.layers)}
	out.largest, err = p.LargestContext(p.Free)
	return out, err
}

func (m *memory) update(msg tea.Msg) tea.Cmd {
	if f, ok := m.job.take(msg); ok {
		if m.err = f.err; f.err == nil {
			m.plan = f.value.(*planned)
			m.now.layers = min(m.now.layers, m.plan.offload.Of)
			if m.now.context == 0 {
				m.now.context = m.plan.Context
			}
			m.of = m.now
		}
	}
	return nil
}

// setting is a number that can be changed.
type setting struct {
	name   string
	flag   string
	value  *int
	least  int
	limit  int
	number bool // it can be typed
	step   func(n, by int) int
	text   func(n int) string
}

func (m *memory) settings() []setting {
	types := engine.CacheTypes()
	typeText := func(n int) string { return string(types[n]) }
	add := func(n, by int) int { return n + by }
	layers := most
	if m.plan != nil {
		layers = m.plan.offload.Of
	}
	return []setting{
		{"context", "-c", &m.now.context, 1, most, true, doubled, strconv.Itoa},
		{"sequences", "-np", &m.now.sequences, 1, 1024, true, add, strconv.Itoa},
		{"keys", "-ctk", &m.now.keys, 0, len(types) - 1, false, add, typeText},
		{"values", "-ctv", &m.now.values, 0, len(types) - 1, false, add, typeText},
		{"GPU layers", "-ngl", &m.now.layers, 0, layers, true, add, strconv.Itoa},
	}
}

// doubled is the next power of two, or the one before.
func doubled(n, by int) int {
	p := 1
	for p < n {
		p *= 2
	}
	switch {
	case by < 0:
		return p / 2
	case p > n:
		return p
	}
	return 2 * p
}

func (m *memory) press(k tea.KeyMsg) tea.Cmd {
	all := m.settings()
	s := &all[m.cursor]
	key := editor.KeyName(k)
	if *s.value < s.least && key != "up" && key != "down" {
		return nil // the plan that says what it is has not come yet
	}
	switch {
	case key == "up" || key == "down":
		m.cursor = max(0, min(m.cursor+map[string]int{"up": -1, "down": 1}[key], len(all)-1))
		m.typed = false
	case key == "left" || key == "-":
		m.set(s, s.step(*s.value, -1), false)
	case key == "right" || key == "+":
		m.set(s, s.step(*s.value, 1), false)
	case key == "backspace" && s.number:
		m.set(s, *s.value/10, true)
	case len(key) == 1 && key[0] >= '0' && key[0] <= '9' && s.number:
		digit := int(key[0] - '0')
		if m.typed {
			digit += 10 * *s.value
		}
		m.set(s, digit, true)
	}
	return m.open()
}

func (m *memory) set(s *setting, n int, typed bool) {
	*s.value, m.typed = max(s.least, min(n, s.limit)), typed
}

func (m *memory) back()        {}
func (m *memory) typing() bool { return false }

// stop forgets what was under way, so that open begins it again.
func (m *memory) stop() {
	if m.job.busy {
		m.of.file = -1
	}
	m.job.stop()
}

func (m *memory) status() string { return "↑↓ choose  ← → or digits change  Tab: next section" }

func (m *memory) keys() []tui.Key {
	return []tui.Key{{Name: "↑ ↓", Does: "choose a setting"}, {Name: "← →", Does: "less, more"}, {Name: "digits", Does: "type a number"}}
}

func (m *memory) render(width, height int) []string {
	lines := []string{""}
	for i, s := range m.settings() {
		sign, text := "  ", fmt.Sprintf("%-11s %-5s %s", s.name, s.flag, s.text(*s.value))
		if i == m.cursor {
			sign, text = "▸ ", m.theme.Key.Render(text)
		}
		lines = append(lines, sign+text)
	}
	lines = append(lines, "")
	switch {
	case m.err != nil:
		return append(lines, m.failure(m.err, width)...)
	case m.plan == nil:
		return append(lines, "planning ...")
	}
	return append(lines, m.result(width)...)
}

// result is the table of the plan, a bar of it, and what -ngl would move.
func (m *memory) result(width int) []string {
	p := m.plan
	rows := []struct {
		name  string
		bytes int64
		fill  rune
	}{{"weights", p.Weights, '█'}, {"keys and values", p.Memory.Cache, '▓'}, {"states", p.Memory.State, '▒'}, {"compute", p.Memory.Compute, '░'}}
	var lines []string
	var parts []plot.Part
	whole := float64(max(p.Free, p.Total(), 1))
	for _, r := range rows {
		if r.bytes > 0 {
			lines = append(lines, fmt.Sprintf("%c %-16s %11s", r.fill, r.name, cells.Bytes(r.bytes)))
			parts = append(parts, plot.Part{Share: float64(r.bytes) / whole, Fill: r.fill})
		}
	}
	lines = append(lines, m.theme.Key.Render(fmt.Sprintf("= %-16s %11s", "all", cells.Bytes(p.Total()))), "", plot.Bar(width, parts...))
	lines = append(lines, m.verdict(width)...)
	return append(lines, "", m.theme.Faint.Render(cells.Truncate("llama fit FILE "+m.settingsText(), width)))
}

func (m *memory) verdict(width int) []string {
	p := m.plan
	var lines []string
	add := func(format string, args ...any) {
		lines = append(lines, cells.Wrap(fmt.Sprintf(format, args...), width)...)
	}
	switch {
	case p.Free == 0:
		add("How much memory is free is not known on this system.")
	case p.Total() <= p.Free:
		add("fits into the %s that are free; the largest context that does: %d tokens", cells.Bytes(p.Free), m.plan.largest)
	default:
		add("does not fit into the %s that are free; the largest context that does: %d tokens", cells.Bytes(p.Free), m.plan.largest)
	}
	if p.TrainContext > 0 {
		add("trained for a context of %d", p.TrainContext)
	}
	lines = append(lines, "")
	if o := m.plan.offload; o.Layers > 0 {
		add("-ngl %d: %s would be on a GPU: %d of %d layers with %s of weights, %s of cache", o.Layers, cells.Bytes(o.Weights+o.Cache), o.Layers, o.Of, cells.Bytes(o.Weights), cells.Bytes(o.Cache))
	} else {
		add("-ngl 0: all in main memory")
	}
	return lines
}

// settingsText is the command line that says the same.
func (m *memory) settingsText() string {
	var parts []string
	for _, s := range m.settings() {
		parts = append(parts, s.flag+" "+s.text(*s.value))
	}
	return strings.Join(parts, " ")
}
