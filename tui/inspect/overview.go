package inspect

import (
	"context"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/tui"
	"github.com/llamakit/llamakit/tui/cells"
	"github.com/llamakit/llamakit/tui/editor"
	"github.com/llamakit/llamakit/tui/inspect/probe"
	"github.com/llamakit/llamakit/tui/pane"
	"github.com/llamakit/llamakit/tui/plot"
	"github.com/llamakit/llamakit/tui/scroll"
)

// overview is what the files come to.
type overview struct {
	*files
	job         *job
	found       []*probe.Summary
	differences string // how many, in words
	scroll      scroll.Text
	lines       int // of the whole text, when it was drawn last
	visible     int
}

func newOverview(f *files) *overview { return &overview{files: f, job: f.newJob()} }

func (o *overview) name() string { return "overview" }

func (o *overview) open() tea.Cmd {
	if o.found != nil || o.job.busy {
		return nil
	}
	return o.job.start(0, func(context.Context) (any, error) {
		var all []*probe.Summary
		for _, f := range o.list {
			all = append(all, probe.Summarize(f.File))
		}
		return all, nil
	})
}

func (o *overview) update(msg tea.Msg) tea.Cmd {
	if f, ok := o.job.take(msg); ok {
		o.found = f.value.([]*probe.Summary)
		if o.compared() {
			o.differences = differences(o.a(), o.b())
		}
	}
	return nil
}

func (o *overview) press(k tea.KeyMsg) tea.Cmd {
	o.scroll.Press(editor.KeyName(k), o.lines, o.visible)
	return nil
}

func (o *overview) back()        {}
func (o *overview) typing() bool { return false }
func (o *overview) stop()        { o.job.stop() }

func (o *overview) status() string {
	for _, f := range o.list {
		if f.Damage != nil {
			return "damaged: what could be read is shown"
		}
	}
	return "Tab: next section"
}

func (o *overview) keys() []tui.Key { return []tui.Key{{Name: "↑ ↓ PgUp PgDn", Does: "scroll"}} }

func (o *overview) render(width, height int) []string {
	if o.found == nil {
		return []string{"", "reading ..."}
	}
	var lines []string
	switch {
	case o.compared() && width >= wide:
		left, right := pane.Split(width, 0.5, 40)
		a, b := o.file(0, o.found[0], left), o.file(1, o.found[1], right-1)
		lines = pane.Beside(a, b, left, o.theme.Faint.Render("│")+" ", max(len(a), len(b)))
	default:
		for i, s := range o.found {
			lines = append(lines, o.file(i, s, width)...)
		}
	}
	if o.compared() {
		lines = append([]string{"", cells.Truncate(o.differences, width)}, lines...)
	}
	o.lines, o.visible = len(lines), height
	from, to := o.scroll.Window(len(lines), height)
	return lines[from:to]
}

func (o *overview) file(i int, s *probe.Summary, width int) []string {
	f := o.list[i]
	lines := []string{""}
	if o.compared() {
		lines = append(lines, o.theme.Key.Render(cells.Truncate(string("AB"[i])+"  "+f.Name(), width)))
	}
	if f.Damage != nil {
		lines = append(append(lines, o.failure(f.Damage, width)...), "")
	}
	lines = append(lines, o.fields(width, o.facts(f, s)...)...)
	lines = append(lines, "")
	for _, t := range s.Types {
		text := fmt.Sprintf("%-8s %5d tensors %11s %6.2f bpw ", t.Type, t.Tensors, cells.Bytes(t.Bytes), t.BPW)
		bar := plot.Bar(max(0, min(40, width-cells.Width(text))), plot.Part{Share: float64(t.Bytes) / float64(max(1, s.Bytes)), Fill: '█'})
		lines = append(lines, text+bar)
	}
	return lines
}

// facts are the lines that identify a model.
func (o *overview) facts(f File, s *probe.Summary) (pairs [][2]string) {
	text := func(name, key string) {
		if v, ok := f.Metadata.Get(key); ok {
			pairs = append(pairs, [2]string{name, probe.ValueText(v, 200)})
		}
	}
	text("name", "general.name")
	text("architecture", "general.architecture")
	text("license", "general.license")
	pairs = append(pairs, [2]string{"file", gguf.Printable(s.Files[0].Path)})
	if n := len(s.Files); n > 1 {
		pairs = append(pairs, [2]string{"shards", fmt.Sprint(n)})
	}
	pairs = append(pairs, [2]string{"format", fmt.Sprintf("GGUF version %d, alignment %d", s.Version, s.Alignment)},
		[2]string{"size", cells.Bytes(s.Bytes)}, [2]string{"tensors", fmt.Sprint(s.Tensors)})
	if s.Parameters > 0 {
		pairs = append(pairs, [2]string{"parameters", fmt.Sprintf("%s, %.2f bits per weight", probe.CountText(s.Parameters), s.BPW)})
	}
	if s.KV.PerToken > 0 {
		pairs = append(pairs, [2]string{"kv cache", s.KV.String()})
	}
	if v, ok := f.Metadata.Get("tokenizer.ggml.tokens"); ok {
		pairs = append(pairs, [2]string{"vocabulary", fmt.Sprintf("%d tokens", v.Len())})
	}
	return pairs
}

// differences counts what differs between two files.
func differences(a, b *gguf.File) string {
	keys, tensors := probe.Keys(a.Metadata, b.Metadata), probe.Tensors(a, b)
	n, m := 0, 0
	for _, k := range keys {
		if k.Change != probe.Same {
			n++
		}
	}
	for _, t := range tensors {
		if t.Change != probe.Same {
			m++
		}
	}
	return fmt.Sprintf("%d of %d keys and %d of %d tensors differ (Ctrl-O in their sections shows those alone)", n, len(keys), m, len(tensors))
}
