package inspect

import (
	"cmp"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/tui"
	"github.com/llamakit/llamakit/tui/cells"
	"github.com/llamakit/llamakit/tui/editor"
	"github.com/llamakit/llamakit/tui/inspect/probe"
	"github.com/llamakit/llamakit/tui/pane"
)

// wide is the width from which on the chosen tensor is shown beside the list.
const wide = 110

// tensors are the list of tensors, and a look into the chosen one.
type tensors struct {
	*files
	all     []probe.Tensor
	browser browser
	survey  survey
	inside  bool // the chosen tensor has the whole view
	changed bool
}

func newTensors(f *files) *tensors {
	t := &tensors{files: f, all: probe.Tensors(f.a(), f.b()), survey: survey{files: f, job: f.newJob()}}
	names, texts := make([]string, len(t.all)), make([]string, len(t.all))
	for i := range t.all {
		names[i], texts[i] = t.all[i].Name, t.kind(i)+" "+shape(t.entry(i).Shape)
	}
	by := func(key func(t *gguf.Tensor) int64) func(a, b int) int {
		return func(a, b int) int { return cmp.Compare(key(t.entry(b)), key(t.entry(a))) }
	}
	t.browser = browser{theme: &f.theme, columns: t.columns(), table: probe.NewTable(names, texts,
		probe.Order{Name: "name", Compare: func(a, b int) int { return probe.Natural(t.all[a].Name, t.all[b].Name) }},
		probe.Order{Name: "type", Compare: func(a, b int) int { return strings.Compare(t.kind(a), t.kind(b)) }},
		probe.Order{Name: "values", Compare: by(func(x *gguf.Tensor) int64 { return int64(x.Elements()) })},
		probe.Order{Name: "bytes", Compare: by(func(x *gguf.Tensor) int64 { return x.Size })})}
	return t
}

func (t *tensors) entry(i int) *gguf.Tensor { return t.all[i].Entry() }

// kind is the type, or both types where they differ.
func (t *tensors) kind(i int) string {
	if x := &t.all[i]; x.Change == probe.Differs && x.A.Type != x.B.Type {
		return x.A.Type.String() + "→" + x.B.Type.String()
	}
	return t.entry(i).Type.String()
}

func (t *tensors) columns() []column {
	name := func(i int) string { return gguf.Printable(t.all[i].Name) }
	dims := func(i int) string { return shape(t.entry(i).Shape) }
	types := widest(len(t.all), 16, t.kind)
	list := []column{
		{title: "tensor", least: widest(len(t.all), 30, name), most: widest(len(t.all), 64, name), cell: name},
		{title: "type", width: types, cell: t.kind},
		{title: "shape", width: widest(len(t.all), 18, dims), optional: true, cell: dims},
		{title: "bytes", width: 11, right: true, optional: true, cell: func(i int) string { return cells.Bytes(t.entry(i).Size) }},
	}
	if !t.compared() {
		return list
	}
	return append([]column{{title: " ", width: 1, cell: func(i int) string { return mark(t.all[i].Change) }}}, list...)
}

func (t *tensors) name() string { return "tensors" }

func (t *tensors) open() tea.Cmd { return t.look() }

func (t *tensors) update(msg tea.Msg) tea.Cmd {
	if f, ok := t.survey.job.take(msg); ok {
		t.survey.put(f)
	}
	return nil
}

// look begins to read the chosen tensor, where it is shown.
func (t *tensors) look() tea.Cmd {
	row, ok := t.browser.row()
	if !ok || !t.inside && t.width < wide {
		t.survey.job.stop()
		return nil
	}
	return t.survey.of(&t.all[row], false)
}

func (t *tensors) press(k tea.KeyMsg) tea.Cmd {
	switch key := editor.KeyName(k); {
	case key == "enter":
		t.inside = !t.inside
	case key == "ctrl+a":
		if row, ok := t.browser.row(); ok {
			return t.survey.of(&t.all[row], true)
		}
	case key == "ctrl+o" && t.compared():
		t.changed = !t.changed
		t.browser.only(t.changed, func(row int) bool { return t.all[row].Change != probe.Same })
	case t.inside: // the filter is not in sight
		t.browser.list.Press(key, t.browser.table.Len(), t.browser.height)
	default:
		t.browser.press(k)
	}
	return t.look()
}

func (t *tensors) back() {
	if t.inside {
		t.inside = false
		return
	}
	t.browser.clear()
}

func (t *tensors) typing() bool { return !t.inside && t.browser.filter.Text() != "" }
func (t *tensors) stop()        { t.survey.job.stop() }

func (t *tensors) status() string {
	switch {
	case t.survey.job.busy:
		return "reading ..."
	case t.inside:
		return "↑↓ other tensors  Esc back"
	}
	return "Enter: look inside  Ctrl-S sort  Tab: next section"
}

func (t *tensors) keys() []tui.Key {
	return append([]tui.Key{{Name: "Enter", Does: "look into the tensor: values, scales of blocks"},
		{Name: "Ctrl-A", Does: "read all of its rows, where only a part was"}}, browserKeys...)
}

func (t *tensors) render(width, height int) []string {
	row, ok := t.browser.row()
	switch {
	case t.inside && ok:
		return t.survey.render(&t.all[row], width, height)
	case width < wide:
		return t.browser.render(width, height)
	}
	left, right := pane.Split(width, 0.5, 50)
	detail := []string{}
	if ok {
		detail = t.survey.render(&t.all[row], right-1, height)
	}
	list := t.browser.render(left, height)
	return pane.Beside(list, detail, left, t.theme.Faint.Render("│")+" ", height)
}

// size is a line on an entry.
func size(x *gguf.Tensor) string {
	bpw := 0.0
	if n := x.Elements(); n > 0 {
		bpw = float64(x.Size) * 8 / float64(n)
	}
	return fmt.Sprintf("%s  %s  %.2f bpw", x.Type, shape(x.Shape), bpw)
}
