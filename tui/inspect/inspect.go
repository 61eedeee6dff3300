// Package inspect is the view that looks into GGUF files: one, or two compared.
//
// The findings are package probe's, and have their other forms in the text and JSON of llama-gguf, llama-quantize --dry-run,
// llama fit and llama template. Here each kind of finding is a section. Sections begin their reading of files in jobs (see
// job.go): Update never reads, and a job ends when the selection moves on.
package inspect

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/tui"
	"github.com/llamakit/llamakit/tui/cells"
	"github.com/llamakit/llamakit/tui/editor"
	"github.com/llamakit/llamakit/tui/inspect/probe"
	"github.com/llamakit/llamakit/tui/theme"
)

// File is one that is looked into.
type File struct {
	*gguf.File
	Damage error // why the file is not whole, or nil
}

// Name is the last part of the path.
func (f *File) Name() string { return gguf.Printable(path.Base(filepath.ToSlash(f.Paths()[0]))) }

// files are what all sections share.
type files struct {
	list     []File                          // one or two
	tokens   []func() (*probe.Tokens, error) // of each, read once
	shown    int                             // the one that sections on a single file are about
	theme    theme.Theme
	gate     gate
	ctx      context.Context
	patience time.Duration
	width    int // of the screen

	forecast probe.Forecast
}

func (f *files) a() *gguf.File    { return f.list[0].File }
func (f *files) compared() bool   { return len(f.list) > 1 }
func (f *files) here() *gguf.File { return f.list[f.shown].File }
func (f *files) newJob() *job     { return &job{gate: &f.gate, ctx: f.ctx} }

// b is nil where nothing is compared.
func (f *files) b() *gguf.File {
	if f.compared() {
		return f.list[1].File
	}
	return nil
}

// section is one of the faces of the view.
type section interface {
	name() string
	// open is called whenever the section comes up, and when the other file is to be shown.
	open() tea.Cmd
	update(msg tea.Msg) tea.Cmd
	press(k tea.KeyMsg) tea.Cmd
	// back leaves a detail, or clears a field.
	back()
	render(width, height int) []string
	status() string
	keys() []tui.Key
	typing() bool
	stop()
}

// View is the inspector.
type View struct {
	files    *files
	sections []section
	active   int
}

// Run shows the inspector until it is left. The files may be closed afterwards.
func Run(ctx context.Context, list []File, forecast probe.Forecast) error {
	ctx, cancel := context.WithCancel(ctx)
	v := New(ctx, list, forecast)
	defer v.files.gate.close()
	defer cancel()
	return tui.Run(ctx, []tui.View{v})
}

// New makes an inspector of one file, or of two that are compared. ctx ends all reading.
func New(ctx context.Context, list []File, forecast probe.Forecast) *View {
	f := &files{list: list, theme: theme.Default(), ctx: ctx, patience: patience, forecast: forecast}
	for _, x := range list {
		f.tokens = append(f.tokens, sync.OnceValues(func() (*probe.Tokens, error) { return probe.ReadTokens(x.Metadata) }))
	}
	return &View{files: f, sections: []section{newOverview(f), newKeys(f), newTensors(f), newTemplates(f), newTokens(f), newTypes(f), newMemory(f)}}
}

func (v *View) section() section { return v.sections[v.active] }

// SetTheme sets the colours.
func (v *View) SetTheme(t theme.Theme) { v.files.theme = t }

// Title names the files.
func (v *View) Title() string {
	f := v.files
	if !f.compared() {
		return f.list[0].Name()
	}
	return fmt.Sprintf("A %s  B %s", f.list[0].Name(), f.list[1].Name())
}

// Status is the section's.
func (v *View) Status() string {
	s := v.section().status()
	if v.files.compared() {
		return "[" + v.side() + "] " + s
	}
	return s
}

func (v *View) side() string { return string("AB"[v.files.shown]) }

// Keys lists the keys.
func (v *View) Keys() []tui.Key {
	keys := []tui.Key{{Name: "Tab, Shift-Tab", Does: "next and previous section (Alt-1 to Alt-7: that one)"}}
	if v.files.compared() {
		keys = append(keys, tui.Key{Name: "Ctrl-T", Does: "the other file, in sections on one"}, tui.Key{Name: "Ctrl-O", Does: "only what differs"})
	}
	return append(keys, v.section().keys()...)
}

// Typing says that the section has a field with text in it.
func (v *View) Typing() bool { return v.section().typing() }

// Busy is false: Ctrl-C leaves, also while something is read.
func (v *View) Busy() bool { return false }

// Stop cancels all reading.
func (v *View) Stop() {
	for _, s := range v.sections {
		s.stop()
	}
}

// Init opens the first section.
func (v *View) Init() tea.Cmd { return v.section().open() }

// Update handles keys, and hands what jobs found to the sections.
func (v *View) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		return v.press(msg)
	case tea.WindowSizeMsg:
		v.files.width = msg.Width
		return v.section().open()
	}
	var cmds []tea.Cmd
	for _, s := range v.sections {
		cmds = append(cmds, s.update(msg))
	}
	return tea.Batch(cmds...)
}

func (v *View) press(k tea.KeyMsg) tea.Cmd {
	n := len(v.sections)
	switch key := editor.KeyName(k); {
	case key == "tab":
		return v.show((v.active + 1) % n)
	case key == "shift+tab":
		return v.show((v.active + n - 1) % n)
	case len(key) == 5 && key[:4] == "alt+" && key[4] >= '1' && int(key[4]-'1') < n:
		return v.show(int(key[4] - '1'))
	case key == "esc":
		v.section().back()
		return v.section().open()
	case key == "ctrl+t" && v.files.compared():
		v.files.shown = 1 - v.files.shown
		return v.section().open()
	}
	return v.section().press(k)
}

func (v *View) show(i int) tea.Cmd {
	v.section().stop()
	v.active = i
	return v.section().open()
}

// Render draws the names of the sections, and the active one.
func (v *View) Render(width, height int) string {
	lines := []string{v.tabs(width)}
	if height < 6 {
		lines = nil
	}
	body := v.section().render(width, height-len(lines))
	for i := range body {
		body[i] = cells.Fit(body[i], width)
	}
	return joined(append(lines, body...), height)
}
