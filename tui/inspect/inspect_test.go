package inspect

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/mixture"
	"github.com/llamakit/llamakit/formats/quant"
	"github.com/llamakit/llamakit/tui"
	"github.com/llamakit/llamakit/tui/cells"
	"github.com/llamakit/llamakit/tui/inspect/probe"
	"github.com/llamakit/llamakit/tui/internal/goldenfile"
	"github.com/llamakit/llamakit/tui/theme"
)

const demo = "../../engine/demo/demo.gguf"

// user is one at the keyboard: after every key all commands run to their end.
type user struct {
	t     testing.TB
	view  *View
	shell *tui.Shell
	size  tea.WindowSizeMsg
}

func sit(t testing.TB, width, height int, files ...File) *user {
	t.Helper()
	v := New(t.Context(), files, forecast)
	v.sections[6].(*memory).base = engine.Options{Free: 8 << 30}
	v.files.patience = 0
	u := &user{t: t, view: v, shell: tui.New(theme.Default(), v), size: tea.WindowSizeMsg{Width: width, Height: height}}
	u.run(u.shell.Init())
	_, cmd := u.shell.Update(u.size)
	u.run(cmd)
	return u
}

func (u *user) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	msg := cmd()
	if batch, ok := msg.(tea.BatchMsg); ok {
		for _, c := range batch {
			u.run(c)
		}
		return
	}
	if msg != nil {
		_, next := u.shell.Update(msg)
		u.run(next)
	}
}

var named = map[string]tea.KeyMsg{"tab": {Type: tea.KeyTab}, "back": {Type: tea.KeyShiftTab}, "enter": {Type: tea.KeyEnter}, "esc": {Type: tea.KeyEsc},
	"up": {Type: tea.KeyUp}, "down": {Type: tea.KeyDown}, "left": {Type: tea.KeyLeft}, "right": {Type: tea.KeyRight}, "end": {Type: tea.KeyEnd}, "^s": {Type: tea.KeyCtrlS},
	"^r": {Type: tea.KeyCtrlR}, "^o": {Type: tea.KeyCtrlO}, "^t": {Type: tea.KeyCtrlT}, "^a": {Type: tea.KeyCtrlA}, "bs": {Type: tea.KeyBackspace}}

// press types keys, which are named as above, and texts, and returns the screen.
func (u *user) press(keys ...string) string {
	for _, key := range keys {
		msg, ok := named[key]
		if !ok && len(key) == 2 && key[0] == '@' { // a section
			msg = tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{rune(key[1])}, Alt: true}
		} else if !ok {
			msg = tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(strings.ReplaceAll(key, "␣", " "))}
		}
		_, cmd := u.shell.Update(msg)
		u.run(cmd)
	}
	return u.screen()
}

// screen draws, and checks that nothing is too wide or could be obeyed by a terminal.
func (u *user) screen() string {
	u.t.Helper()
	screen := u.shell.View()
	lines := strings.Split(screen, "\n")
	if len(lines) != u.size.Height {
		u.t.Errorf("%d lines, want %d:\n%s", len(lines), u.size.Height, screen)
	}
	for _, line := range lines {
		if cells.Width(line) > u.size.Width || strings.ContainsAny(line, "\x1b\a\x7f\u009b\u202e\t") {
			u.t.Errorf("%d columns: line %q", u.size.Width, line)
		}
	}
	return screen
}

func open(t testing.TB, path string) File {
	t.Helper()
	f, err := gguf.Salvage(path)
	if f == nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return File{f, err}
}

// forecast stands in for llama-quantize's plan.
func forecast(f *gguf.File, to mixture.FileType) (*probe.Retyped, error) {
	if to.Base == quant.MXFP4 {
		return nil, errors.New("no \x1b[2Jexperts")
	}
	r := &probe.Retyped{Type: to.Name, Imatrix: strings.HasPrefix(to.Name, "IQ1")}
	for i := range f.Tensors {
		t := &f.Tensors[i]
		x := probe.RetypedTensor{Name: t.Name, From: t.Type.String(), To: to.Base.String(), Before: t.Size, After: int64(t.Elements() * to.Base.BlockBytes() / to.Base.BlockSize())}
		r.Before, r.After = r.Before+x.Before, r.After+x.After
		r.Tensors = append(r.Tensors, x)
	}
	r.BPW = 8 * float64(r.After) / 5771264
	return r, nil
}

// changed writes a copy of the demo model with some things changed, and returns its path.
func changed(t testing.TB) string {
	t.Helper()
	f := open(t, demo)
	md := f.Metadata.Clone()
	md.Set("general.name", gguf.String("Changed"))
	md.Set("new.key", gguf.Uint32(7))
	md.Delete("general.type")
	infos := make([]gguf.TensorInfo, len(f.Tensors))
	for i := range f.Tensors {
		infos[i] = f.Tensors[i].Info()
	}
	infos[1].Type = quant.F16
	infos[3].Name = "renamed.weight"
	path := filepath.Join(t.TempDir(), "changed.gguf")
	w, err := gguf.Create(path, md, infos)
	if err != nil {
		t.Fatal(err)
	}
	for i := range f.Tensors {
		data := f.Bytes(&f.Tensors[i])
		if i == 1 {
			values := make([]float32, f.Tensors[i].Elements())
			quant.Decode(quant.F32, values, data)
			data = make([]byte, 2*len(values))
			if err := quant.Encode(quant.F16, data, values); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.WriteTensor(data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestScreens(t *testing.T) {
	for _, size := range [][2]int{{40, 20}, {80, 24}, {120, 32}} {
		u := sit(t, size[0], size[1], open(t, demo))
		var b strings.Builder
		add := func(what, screen string) { fmt.Fprintf(&b, "==== %s\n%s\n", what, trimmed(screen)) }
		add("overview", u.press())
		add("keys", u.press("tab"))
		add("keys: a value", u.press("rope", "enter"))
		add("tensors", u.press("tab", "down", "down"))
		add("tensors: inside", u.press("enter"))
		add("template", u.press("tab", "right"))
		add("tokens", u.press("tab", ":control"))
		add("tokens: a text", u.press("enter", "Hello 日本<|im_end|>"))
		add("types", u.press("tab"))
		add("types: tensors", u.press("q4_0", "enter"))
		u.press("tab", "down", "down", "down", "down", "right")
		m := u.view.sections[6].(*memory)
		m.plan.Memory.Compute, m.plan.largest = 6<<20, 1<<20 // which depend on the machine
		add("memory", u.screen())
		add("help", u.press("?"))
		two := sit(t, size[0], size[1], open(t, demo), File{open(t, changed(t)).File, nil})
		add("two: keys", two.press("tab", "^o"))
		add("two: tensors", two.press("tab", "^o", "enter"))
		goldenfile.Check(t, fmt.Sprintf("screens-%d.txt", size[0]), b.String())
	}
}

// trimmed leaves out blanks at the ends of lines.
func trimmed(screen string) string {
	lines := strings.Split(screen, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// TestEnds pins that reading ends with the program, and that its files are then free.
func TestEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	v := New(ctx, []File{open(t, demo)}, forecast)
	cmd := v.Init()
	cancel()
	if msg := cmd(); msg != nil {
		t.Errorf("a cancelled job tells %v", msg)
	}
	v.files.gate.close()
	late := v.files.newJob()
	late.ctx = t.Context()
	if msg := late.start(0, func(context.Context) (any, error) { t.Error("files are read after their end"); return nil, nil })(); msg != nil {
		t.Errorf("%v", msg)
	}
}
