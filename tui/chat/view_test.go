package chat

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/exp/teatest"

	"github.com/llamakit/llamakit/engine"
	enginechat "github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/tui"
	"github.com/llamakit/llamakit/tui/cells"
	"github.com/llamakit/llamakit/tui/theme"
)

// updating says that the golden views are to be written: the flag is teatest's.
func updating() bool { return flag.Lookup("update").Value.String() == "true" }

// scripted answers with fixed events.
type scripted struct {
	events []engine.Event
	err    error
	asked  []engine.Request
	hold   bool // never ends, until it is cancelled
}

func (s *scripted) Info() engine.Info { return engine.Info{Name: "Scripted 0.1B", Context: 1000} }

func (s *scripted) Generate(ctx context.Context, r engine.Request) iter.Seq2[engine.Event, error] {
	s.asked = append(s.asked, r)
	return func(yield func(engine.Event, error) bool) {
		for _, e := range s.events {
			if !yield(e, nil) {
				return
			}
		}
		if s.hold {
			<-ctx.Done()
			yield(engine.Event{}, ctx.Err())
			return
		}
		if s.err != nil {
			yield(engine.Event{}, s.err)
			return
		}
		yield(engine.Event{Result: &engine.Result{Stop: engine.StopEOS, PromptTokens: 20, GeneratedTokens: 30,
			PromptTime: 100 * time.Millisecond, GenerateTime: time.Second}}, nil)
	}
}

func token(text string) engine.Event { return engine.Event{Tokens: []engine.Token{1}, Text: text} }

// drive sends keys and runs commands until nothing is left to do.
func drive(v *View, keys ...string) {
	for _, k := range keys {
		msg := tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(k)}
		switch k {
		case "enter":
			msg = tea.KeyMsg{Type: tea.KeyEnter}
		case "ctrl+r":
			msg = tea.KeyMsg{Type: tea.KeyCtrlR}
		case "ctrl+l":
			msg = tea.KeyMsg{Type: tea.KeyCtrlL}
		case "pgup":
			msg = tea.KeyMsg{Type: tea.KeyPgUp}
		case "pgdown":
			msg = tea.KeyMsg{Type: tea.KeyPgDown}
		case "shift+up":
			msg = tea.KeyMsg{Type: tea.KeyShiftUp}
		case "shift+down":
			msg = tea.KeyMsg{Type: tea.KeyShiftDown}
		case "ctrl+home":
			msg = tea.KeyMsg{Type: tea.KeyCtrlHome}
		case "ctrl+end":
			msg = tea.KeyMsg{Type: tea.KeyCtrlEnd}
		}
		cmd := v.Update(msg)
		for cmd != nil && v.running != nil {
			cmd = v.Update(cmd())
		}
	}
}

var hostile = "Plain \x1b[2J\x1b]52;c;aGk=\x07 codes\r\n日本語と🦙と👨‍👩‍👧‍👦 and e\u0301, مرحبا\n\n- a list\n- with **bold**\n\n```go\nfunc main() {}\n```\n"

// TestGoldenViews draws a conversation at three widths, without colours.
func TestGoldenViews(t *testing.T) {
	for _, width := range []int{20, 40, 80, 120} {
		m := &scripted{events: []engine.Event{{PromptDone: 20, PromptTotal: 20}, {Tokens: []engine.Token{1}, Reasoning: "Let me see. Two words."},
			token(hostile), token("The end, after a sentence that is long enough to be broken at most widths that people use.")}}
		v := New(context.Background(), m, engine.Request{}, []enginechat.Message{{Role: "system", Content: "Be brief."}})
		v.SetTheme(theme.Default())
		drive(v, "Show me 日本語", "enter")
		s := tui.New(theme.Default(), v)
		s.Update(tea.WindowSizeMsg{Width: width, Height: 30})
		got := s.View() + "\n"
		for i, line := range strings.Split(got, "\n") {
			if cells.Width(line) > width || strings.ContainsAny(line, "\x1b\a\r") {
				t.Errorf("width %d, line %d: %q", width, i, line)
			}
		}
		path := filepath.Join("testdata", fmt.Sprintf("view-%d.txt", width))
		if updating() {
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("width %d: got\n%s\nwant\n%s", width, got, want)
		}
	}
}

func TestConversationGrows(t *testing.T) {
	m := &scripted{events: []engine.Event{token("One"), token(" answer.")}}
	v := New(context.Background(), m, engine.Request{}, nil)
	drive(v, "first", "enter", "second", "enter")
	if n := len(m.asked); n != 2 || len(m.asked[1].Messages) != 3 || m.asked[1].Messages[1].Content != "One answer." {
		t.Fatalf("%d requests, the last with %+v", n, m.asked[n-1].Messages)
	}
	drive(v, "ctrl+l", "third", "enter")
	if last := m.asked[2].Messages; len(last) != 1 || last[0].Content != "third" {
		t.Errorf("after clearing: %+v", last)
	}
}

func TestErrorIsShownAndForgotten(t *testing.T) {
	m := &scripted{err: errors.New("the prompt does not fit\x1b[2J")}
	v := New(context.Background(), m, engine.Request{}, nil)
	drive(v, "too long", "enter")
	if out := v.Render(60, 10); !strings.Contains(out, "does not fit") || strings.Contains(out, "\x1b[2J") {
		t.Errorf("shown: %q", out)
	}
	if len(v.messages) != 0 {
		t.Errorf("the failed question stays: %+v", v.messages)
	}
}

// panicking breaks in the goroutine of the answer.
type panicking struct{ scripted }

func (*panicking) Generate(context.Context, engine.Request) iter.Seq2[engine.Event, error] {
	panic("broken")
}

func TestPanicOfAnAnswerIsShown(t *testing.T) {
	v := New(context.Background(), &panicking{}, engine.Request{}, nil, "a note")
	drive(v, "hi", "enter")
	if out := v.Render(60, 12); !strings.Contains(out, "internal error: broken") || !strings.Contains(out, "a note") {
		t.Errorf("shown: %q", out)
	}
}

func TestInputGrows(t *testing.T) {
	v := New(context.Background(), &scripted{}, engine.Request{}, nil)
	drive(v, strings.Repeat("long words ", 20))
	for _, c := range []struct{ height, want int }{{30, 6}, {9, 3}} { // a third of the screen at most
		lines := 0
		for _, l := range strings.Split(v.Render(40, c.height), "\n") {
			if strings.Contains(l, "words") {
				lines++
			}
		}
		if lines < c.want || lines > c.height/3 {
			t.Errorf("220 characters at 40 columns take %d of %d lines", lines, c.height)
		}
	}
}

func TestReasoningUnfolds(t *testing.T) {
	v := New(context.Background(), &scripted{events: []engine.Event{{Tokens: []engine.Token{1}, Reasoning: "because of this"}, token("42")}}, engine.Request{}, nil)
	drive(v, "why", "enter")
	if out := v.Render(60, 12); strings.Contains(out, "because") || !strings.Contains(out, "3 words") {
		t.Errorf("folded: %q", out)
	}
	drive(v, "ctrl+r")
	if out := v.Render(60, 12); !strings.Contains(out, "because of this") {
		t.Errorf("unfolded: %q", out)
	}
}

// long is a chat of 10,000 lines, Markdown in every second entry.
func long() *View {
	v := New(context.Background(), &scripted{}, engine.Request{}, nil)
	for i := range 500 {
		v.script.add(entry{role: "user", text: fmt.Sprintf("question %d", i)})
		v.script.add(entry{role: "assistant", finished: true, text: strings.Repeat("A *paragraph*.\n\n```go\nfunc f() {}\n```\n\n", 4)})
	}
	return v
}

// TestLongChatScrolls: only what is in view is drawn, and that once.
func TestLongChatScrolls(t *testing.T) {
	v := long()
	drawn := func() (n int) {
		for _, e := range v.script.entries {
			if e.lines != nil {
				n++
			}
		}
		return n
	}
	last := v.Render(80, 24)
	if n := drawn(); n > 6 || !strings.Contains(last, "func f") {
		t.Errorf("%d of %d entries are drawn for 24 lines:\n%s", n, len(v.script.entries), last)
	}
	drive(v, "pgup", "pgup")
	if out := v.Render(80, 24); v.script.follow || strings.Contains(out, "question 499") || !strings.Contains(out, "question 49") {
		t.Errorf("after two pages up:\n%s", out)
	}
	if n := testing.AllocsPerRun(5, func() { v.Render(80, 24) }); n > 50 {
		t.Errorf("%g allocations a frame: lines are drawn again", n)
	}
	drive(v, "pgdown", "pgdown", "pgdown")
	if out := v.Render(80, 24); out != last || !v.script.follow {
		t.Errorf("after as many down:\n%s", out)
	}
	drive(v, "ctrl+home")
	if out := v.Render(80, 24); !strings.Contains(out, "question 0") {
		t.Errorf("at the start:\n%s", out)
	}
	drive(v, "shift+down", "shift+down", "shift+up")
	if out := v.Render(80, 24); !strings.HasPrefix(out, "question 0\n") {
		t.Errorf("a line down is at %v:\n%s", v.script.top, out)
	}
	drive(v, "ctrl+end")
	if out := v.Render(80, 24); out != last {
		t.Errorf("at the end:\n%s", out)
	}
	for _, size := range [][2]int{{20, 5}, {200, 60}, {80, 24}} {
		if n := strings.Count(v.Render(size[0], size[1]), "\n") + 1; n != size[1] {
			t.Errorf("%d lines at %v", n, size)
		}
	}
}

// BenchmarkFrame draws a chat of 10,000 lines: as it is, and at a width that changes with every frame.
func BenchmarkFrame(b *testing.B) {
	for name, widths := range map[string][2]int{"same": {80, 80}, "resized": {80, 100}} {
		b.Run("width="+name, func(b *testing.B) {
			v := long()
			for i := 0; b.Loop(); i++ {
				v.Render(widths[i%2], 40)
			}
		})
	}
}

// TestFlow types, sends, stops with Esc and leaves, through the whole program.
func TestFlow(t *testing.T) {
	m := &scripted{events: []engine.Event{token("Once upon")}, hold: true}
	s := tui.New(theme.Default(), New(context.Background(), m, engine.Request{}, nil))
	tm := teatest.NewTestModel(t, s, teatest.WithInitialTermSize(60, 16))
	waitFor := func(text string) {
		t.Helper()
		teatest.WaitFor(t, tm.Output(), func(out []byte) bool { return bytes.Contains(out, []byte(text)) }, teatest.WithDuration(5*time.Second))
	}
	tm.Type("Tell me")
	tm.Send(tea.KeyMsg{Type: tea.KeyEnter})
	waitFor("Once upon")
	tm.Send(tea.KeyMsg{Type: tea.KeyEsc})
	tm.Send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("?")})
	waitFor("Ctrl-C")
	tm.Send(tea.KeyMsg{Type: tea.KeyEsc})
	tm.Send(tea.KeyMsg{Type: tea.KeyCtrlC})
	tm.Send(tea.KeyMsg{Type: tea.KeyCtrlC})
	tm.WaitFinished(t, teatest.WithFinalTimeout(5*time.Second))
	if _, err := io.ReadAll(tm.FinalOutput(t)); err != nil {
		t.Error(err)
	}
}
