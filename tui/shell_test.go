package tui

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/llamakit/llamakit/tui/theme"
)

// fake is a view that shows its name and remembers what it was told.
type fake struct {
	name    string
	typing  bool
	busy    bool
	stopped int
	keys    []string
}

func (f *fake) Title() string  { return f.name }
func (f *fake) Status() string { return "status of " + f.name }
func (f *fake) Init() tea.Cmd  { return nil }
func (f *fake) Render(width, height int) string {
	return strings.TrimSuffix(strings.Repeat("x\n", height), "\n")
}
func (f *fake) Keys() []Key  { return []Key{{"Tab", "does nothing"}} }
func (f *fake) Typing() bool { return f.typing }
func (f *fake) Busy() bool   { return f.busy }
func (f *fake) Stop()        { f.stopped++; f.busy = false }

func (f *fake) Update(msg tea.Msg) tea.Cmd {
	if k, ok := msg.(tea.KeyMsg); ok {
		f.keys = append(f.keys, k.String())
	}
	return nil
}

func press(s *Shell, key tea.KeyMsg) tea.Cmd {
	_, cmd := s.Update(key)
	return cmd
}

var question = tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("?")}

func TestShell(t *testing.T) {
	a, b := &fake{name: "first"}, &fake{name: "second"}
	s := New(theme.Default(), a, b)
	if s.View() != "" {
		t.Error("drew before the size was known")
	}
	s.Update(tea.WindowSizeMsg{Width: 40, Height: 10})
	if lines := strings.Split(s.View(), "\n"); len(lines) != 10 || !strings.Contains(lines[0], "first") || !strings.Contains(lines[9], "status of first") {
		t.Errorf("screen: %q", lines)
	}
	press(s, tea.KeyMsg{Type: tea.KeyCtrlN})
	if !strings.Contains(s.View(), "second") {
		t.Error("Ctrl-N does not go to the next view")
	}
	press(s, question)
	if out := s.View(); !strings.Contains(out, "does nothing") || strings.Count(out, "\n") != 9 {
		t.Errorf("help: %q", out)
	}
	press(s, tea.KeyMsg{Type: tea.KeyEsc})
	if strings.Contains(s.View(), "does nothing") || len(b.keys) != 0 {
		t.Error("a key does not close the help, or goes through")
	}
	b.typing = true
	press(s, question)
	if len(b.keys) != 1 || b.keys[0] != "?" {
		t.Errorf("a typed question mark: %q", b.keys)
	}
	b.busy = true
	if cmd := press(s, tea.KeyMsg{Type: tea.KeyCtrlC}); cmd != nil || b.stopped != 1 {
		t.Error("the first Ctrl-C does not stop what runs")
	}
	if cmd := press(s, tea.KeyMsg{Type: tea.KeyCtrlC}); cmd == nil {
		t.Error("the second Ctrl-C does not leave")
	}
	for _, size := range []tea.WindowSizeMsg{{Width: 1, Height: 1}, {Width: 5, Height: 3}, {Width: 300, Height: 90}} {
		s.Update(size)
		if n := strings.Count(s.View(), "\n") + 1; n != size.Height {
			t.Errorf("%+v: %d lines", size, n)
		}
	}
}

// taker wants Ctrl-D, and has a name.
type taker struct {
	fake
	shown any
}

func (t *taker) Name() string          { return "taker" }
func (t *taker) Takes(key string) bool { return key == "ctrl+d" }

func (t *taker) Update(msg tea.Msg) tea.Cmd {
	if show, ok := msg.(Show); ok {
		t.shown = show.With
	}
	return t.fake.Update(msg)
}

func TestShowAndCopy(t *testing.T) {
	a, b := &fake{name: "first"}, &taker{fake: fake{name: "second"}}
	s := New(theme.Default(), a, b)
	s.Update(tea.WindowSizeMsg{Width: 40, Height: 10})
	s.Update(Open("nobody", 1)())
	if !strings.Contains(s.View(), "first") {
		t.Error("a view that is not there was shown")
	}
	s.Update(Open("taker", 7)())
	if b.shown != 7 || !strings.Contains(s.View(), "second") {
		t.Errorf("shown with %v", b.shown)
	}
	if cmd := press(s, tea.KeyMsg{Type: tea.KeyCtrlD}); cmd != nil || len(b.keys) != 1 {
		t.Error("the view does not get its key")
	}
	press(s, question)
	if out := s.View(); strings.Contains(out, "Ctrl-D") || !strings.Contains(out, "Ctrl-Z") {
		t.Errorf("the help names a key that the view took: %q", out)
	}
	if _, cmd := s.Update(Copy("x")()); cmd != nil {
		t.Error("copied to nowhere")
	}
	var screen bytes.Buffer
	s.out = &screen
	if _, cmd := s.Update(Copy("日本")()); cmd == nil || cmd() != nil || screen.String() != "\x1b]52;c;5pel5pys\a" {
		t.Errorf("written %q", screen.String())
	}
}

// TestLongHelp scrolls a help that is longer than the screen.
func TestLongHelp(t *testing.T) {
	s := New(theme.Default(), &fake{name: "first"})
	s.Update(tea.WindowSizeMsg{Width: 30, Height: 5})
	press(s, question)
	if out := s.View(); !strings.Contains(out, "does nothing") || !strings.Contains(out, "more") {
		t.Errorf("help: %q", out)
	}
	press(s, tea.KeyMsg{Type: tea.KeyEnd})
	if out := s.View(); strings.Contains(out, "does nothing") || strings.Contains(out, "more") || !strings.Contains(out, "leave") {
		t.Errorf("its end: %q", out)
	}
}

// fragile panics when it is told to.
type fragile struct {
	fake
	drawing bool
}

// Init tells the size, which a terminal of bytes has not.
func (f *fragile) Init() tea.Cmd {
	return func() tea.Msg { return tea.WindowSizeMsg{Width: 40, Height: 10} }
}

func (f *fragile) Update(msg tea.Msg) tea.Cmd {
	if k, ok := msg.(tea.KeyMsg); ok {
		if f.drawing = k.String() == "d"; !f.drawing {
			panic("broken view")
		}
	}
	return nil
}

func (f *fragile) Render(width, height int) string {
	if f.drawing {
		panic("broken view")
	}
	return f.fake.Render(width, height)
}

// TestScreenIsRestored runs the whole program on a terminal of bytes: however it ends, what it switched on is off again.
func TestScreenIsRestored(t *testing.T) {
	for _, c := range []struct {
		name string
		keys string // typed once the view is on the screen
		fail bool
		stop bool // the context ends instead
	}{{"left", "\x03", false, false}, {"panic of Update", "x", true, false}, {"panic of Render", "d", true, false}, {"signal", "", true, true}} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			in, keyboard := io.Pipe()
			defer keyboard.Close()
			var screen locked
			v := &fragile{fake: fake{name: "view"}}
			done := make(chan error, 1)
			go func() { done <- Run(ctx, []View{v}, tea.WithInput(in), tea.WithOutput(&screen)) }()
			waitFor(t, func() bool { return strings.Contains(screen.String(), "status of view") })
			if c.stop {
				cancel()
			} else {
				io.WriteString(keyboard, c.keys)
			}
			select {
			case err := <-done:
				if (err != nil) != c.fail || c.stop && !errors.Is(err, context.Canceled) {
					t.Errorf("error %v", err)
				}
			case <-time.After(10 * time.Second):
				t.Fatal("the program does not end")
			}
			if out := screen.String(); strings.LastIndex(out, "?1049l") < strings.LastIndex(out, "?1049h") || !strings.HasSuffix(strings.TrimSpace(out[strings.LastIndex(out, "?25"):])[:4], "h") {
				t.Errorf("the screen is left as %q", out)
			}
			if v.stopped == 0 {
				t.Error("the view is not stopped")
			}
		})
	}
}

func waitFor(t *testing.T, ready func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !ready(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("nothing is shown")
		}
	}
}

// locked is a buffer for several goroutines.
type locked struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
