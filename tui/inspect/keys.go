package inspect

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/tui"
	"github.com/llamakit/llamakit/tui/editor"
	"github.com/llamakit/llamakit/tui/inspect/probe"
)

// valueFiltered is how much of a value the filter looks at.
const valueFiltered = 200

// keys are the metadata.
type keys struct {
	*files
	all     []probe.Key
	browser browser
	detail  *value // that is looked at, or nil
	changed bool   // only what differs is shown
}

func newKeys(f *files) *keys {
	k := &keys{files: f}
	var md *gguf.Metadata
	if f.compared() {
		md = f.b().Metadata
	}
	k.all = probe.Keys(f.a().Metadata, md)
	names, texts := make([]string, len(k.all)), make([]string, len(k.all))
	for i := range k.all {
		names[i], texts[i] = k.all[i].Name, k.kind(i)+" "+k.text(i, valueFiltered)
	}
	k.browser = browser{theme: &f.theme, table: probe.NewTable(names, texts,
		probe.Order{Name: "key", Compare: func(a, b int) int { return probe.Natural(k.all[a].Name, k.all[b].Name) }},
		probe.Order{Name: "type", Compare: func(a, b int) int { return strings.Compare(k.kind(a), k.kind(b)) }}), columns: k.columns()}
	return k
}

func (k *keys) columns() []column {
	name := widest(len(k.all), 42, func(i int) string { return gguf.Printable(k.all[i].Name) })
	list := []column{
		{title: "key", width: name, cell: func(i int) string { return gguf.Printable(k.all[i].Name) }},
		{title: "type", width: widest(len(k.all), 16, k.kind), optional: true, cell: k.kind},
		{title: "value", cell: func(i int) string { return k.text(i, 400) }},
	}
	if !k.compared() {
		return list
	}
	list[2].cell = func(i int) string {
		if k.all[i].Change == probe.Differs {
			return probe.ValueText(k.all[i].A, 120) + " → " + probe.ValueText(k.all[i].B, 200)
		}
		return k.text(i, 400)
	}
	return append([]column{{title: " ", width: 1, cell: func(i int) string { return mark(k.all[i].Change) }}}, list...)
}

func (k *keys) kind(i int) string            { return probe.TypeText(k.all[i].Value()) }
func (k *keys) text(i int, limit int) string { return probe.ValueText(k.all[i].Value(), limit) }
func (k *keys) name() string                 { return "keys" }
func (k *keys) open() tea.Cmd                { return nil }
func (k *keys) update(tea.Msg) tea.Cmd       { return nil }
func (k *keys) stop()                        {}
func (k *keys) typing() bool                 { return k.detail == nil && k.browser.filter.Text() != "" }

func (k *keys) press(msg tea.KeyMsg) tea.Cmd {
	switch key := editor.KeyName(msg); {
	case k.detail != nil:
		k.detail.press(key)
	case key == "enter":
		if row, ok := k.browser.row(); ok {
			k.detail = newValue(k.files, &k.all[row])
		}
	case key == "ctrl+o" && k.compared():
		k.changed = !k.changed
		k.browser.only(k.changed, func(row int) bool { return k.all[row].Change != probe.Same })
	default:
		k.browser.press(msg)
	}
	return nil
}

func (k *keys) back() {
	if k.detail != nil {
		k.detail = nil
		return
	}
	k.browser.clear()
}

func (k *keys) status() string {
	if k.detail != nil {
		return "↑↓ scroll  Esc back"
	}
	return "Enter: the whole value  Ctrl-S sort  Tab: next section"
}

func (k *keys) keys() []tui.Key {
	return append([]tui.Key{{Name: "Enter", Does: "the whole value"}}, browserKeys...)
}

func (k *keys) render(width, height int) []string {
	if k.detail != nil {
		return k.detail.render(width, height)
	}
	return k.browser.render(width, height)
}
