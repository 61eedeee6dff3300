package inspect

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/mixture"
	"github.com/llamakit/llamakit/tui"
	"github.com/llamakit/llamakit/tui/cells"
	"github.com/llamakit/llamakit/tui/editor"
	"github.com/llamakit/llamakit/tui/inspect/probe"
)

// types are what the shown file would be in each type that llama-quantize makes.
type types struct {
	*files
	job    *job
	of     int // the file that all is of
	all    []*probe.Retyped
	list   browser
	detail *browser // the tensors of the chosen type, or nil
	chosen int
}

func newTypes(f *files) *types { return &types{files: f, job: f.newJob(), of: -1} }

func (t *types) name() string { return "types" }

func (t *types) open() tea.Cmd {
	if t.of == t.shown && (t.all != nil || t.job.busy) {
		return nil
	}
	f, forecast := t.here(), t.forecast
	t.of, t.all, t.detail = t.shown, nil, nil
	return t.job.start(0, func(ctx context.Context) (any, error) { return probe.InAllTypes(ctx, f, forecast) })
}

func (t *types) update(msg tea.Msg) tea.Cmd {
	if f, ok := t.job.take(msg); ok {
		t.all = f.value.([]*probe.Retyped)
		t.makeList()
	}
	return nil
}

// makeList makes the browser of all types.
func (t *types) makeList() {
	names, texts := make([]string, len(t.all)), make([]string, len(t.all))
	for i := range t.all {
		names[i], texts[i] = t.all[i].Type, t.note(i)
	}
	number := func(text func(r *probe.Retyped) string) func(int) string {
		return func(i int) string {
			if t.all[i].Error != "" {
				return "-"
			}
			return text(t.all[i])
		}
	}
	t.list = browser{theme: &t.theme,
		table: probe.NewTable(names, texts, probe.Order{Name: "size", Compare: func(a, b int) int { return cmp.Compare(t.bytes(a), t.bytes(b)) }}),
		columns: []column{
			{title: "type", width: 9, cell: func(i int) string { return t.all[i].Type }},
			{title: "size", width: 10, right: true, cell: number(func(r *probe.Retyped) string { return cells.Bytes(r.After) })},
			{title: "bpw", width: 5, right: true, cell: number(func(r *probe.Retyped) string { return fmt.Sprintf("%.2f", r.BPW) })},
			{title: "of now", width: 6, right: true, optional: true, cell: number(func(r *probe.Retyped) string { return percent(r.After, r.Before) })},
			{title: "note", optional: true, cell: t.note},
		}}
	t.list.table.NextOrder()
}

func (t *types) bytes(i int) int64 {
	if t.all[i].Error != "" {
		return 1 << 62
	}
	return t.all[i].After
}

// note says what stands against a type, and what it is.
func (t *types) note(i int) string {
	r := t.all[i]
	about, _ := mixture.NamedFileType(r.Type)
	return strings.Join(append(r.Notes(), about.About), "; ")
}

func (t *types) press(k tea.KeyMsg) tea.Cmd {
	switch {
	case t.all == nil:
	case t.detail != nil:
		t.detail.press(k)
	case editor.KeyName(k) == "enter":
		if row, ok := t.list.row(); ok && t.all[row].Error == "" {
			t.chosen, t.detail = row, t.tensorList(t.all[row])
		}
	default:
		t.list.press(k)
	}
	return nil
}

// tensorList makes the browser of the tensors of a type.
func (t *types) tensorList(r *probe.Retyped) *browser {
	names, texts := make([]string, len(r.Tensors)), make([]string, len(r.Tensors))
	for i, x := range r.Tensors {
		names[i], texts[i] = x.Name, strings.Join([]string{x.From, x.To, x.Role, x.Note}, " ")
	}
	tensor := func(i int) *probe.RetypedTensor { return &r.Tensors[i] }
	name := func(i int) string { return gguf.Printable(tensor(i).Name) }
	return &browser{theme: &t.theme, table: probe.NewTable(names, texts,
		probe.Order{Name: "name", Compare: func(a, b int) int { return probe.Natural(tensor(a).Name, tensor(b).Name) }},
		probe.Order{Name: "type", Compare: func(a, b int) int { return strings.Compare(tensor(a).To, tensor(b).To) }},
		probe.Order{Name: "size", Compare: func(a, b int) int { return cmp.Compare(tensor(b).After, tensor(a).After) }}),
		columns: []column{
			{title: "tensor", least: widest(len(r.Tensors), 30, name), most: widest(len(r.Tensors), 64, name), cell: name},
			{title: "from", width: 7, optional: true, cell: func(i int) string { return tensor(i).From }},
			{title: "to", width: 7, cell: func(i int) string { return tensor(i).To }},
			{title: "size", width: 11, right: true, optional: true, cell: func(i int) string { return cells.Bytes(tensor(i).After) }},
			{title: "note", width: 28, optional: true, cell: func(i int) string { return tensor(i).Note }},
		}}
}

func (t *types) back() {
	switch {
	case t.all == nil:
	case t.detail == nil:
		t.list.clear()
	case !t.detail.clear():
		t.detail = nil
	}
}

func (t *types) typing() bool {
	if t.detail != nil {
		return t.detail.filter.Text() != ""
	}
	return t.list.filter.Text() != ""
}

func (t *types) stop() { t.job.stop() }

func (t *types) status() string {
	if t.detail != nil {
		return "the plan of llama-quantize --dry-run  Esc back"
	}
	if slices.ContainsFunc(t.all, func(r *probe.Retyped) bool { return r.Again }) {
		return "quantized already: another type loses twice  Enter: its tensors"
	}
	return "what llama-quantize would make  Enter: its tensors  Tab: next section"
}

func (t *types) keys() []tui.Key {
	return append([]tui.Key{{Name: "Enter", Does: "the tensors in this type"}}, browserKeys...)
}

func (t *types) render(width, height int) []string {
	switch {
	case t.all == nil:
		return []string{"", "planning ..."}
	case t.detail == nil:
		return t.list.render(width, height)
	}
	r := t.all[t.chosen]
	line := fmt.Sprintf("%s: %s → %s, %.2f bpw; %s", r.Type, cells.Bytes(r.Before), cells.Bytes(r.After), r.BPW, t.note(t.chosen))
	return append([]string{t.theme.Key.Render(cells.Truncate(line, width))}, t.detail.render(width, height-1)...)
}
