package chat

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/exp/teatest"

	"github.com/llamakit/llamakit/engine"
	enginechat "github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/engine/sample"
	"github.com/llamakit/llamakit/tui"
	"github.com/llamakit/llamakit/tui/cells"
	"github.com/llamakit/llamakit/tui/internal/goldenfile"
	"github.com/llamakit/llamakit/tui/source"
	"github.com/llamakit/llamakit/tui/theme"
)

// scripted answers with fixed events.
type scripted struct {
	events  []source.Event
	answers [][]source.Event // of the first requests; then events
	err     error
	asked   []source.Request
	hold    bool // never ends, until it is cancelled
}

func (s *scripted) Info() source.Info {
	return source.Info{Name: "Scripted 0.1B", Context: 1000, Sampling: sample.DefaultParams()}
}

func (s *scripted) Prompt(context.Context, source.Request) (string, []engine.Token, error) {
	return "", nil, source.ErrMissing
}

func (s *scripted) Tokenize(context.Context, string, bool) ([]source.Token, error) {
	return nil, source.ErrMissing
}

func (s *scripted) Pieces(context.Context, []engine.Token) ([]source.Token, error) {
	return nil, source.ErrMissing
}

func (s *scripted) Generate(ctx context.Context, r source.Request) iter.Seq2[source.Event, error] {
	s.asked = append(s.asked, r)
	return func(yield func(source.Event, error) bool) {
		events := s.events
		if n := len(s.asked); n <= len(s.answers) {
			events = s.answers[n-1]
		}
		for i, e := range events {
			e.Generated = i + 1
			if !yield(e, nil) {
				return
			}
		}
		if s.hold {
			<-ctx.Done()
			yield(source.Event{}, ctx.Err())
			return
		}
		if s.err != nil {
			yield(source.Event{}, s.err)
			return
		}
		yield(source.Event{Event: engine.Event{Result: &engine.Result{Stop: engine.StopEOS, PromptTokens: 20, GeneratedTokens: 30,
			PromptTime: 100 * time.Millisecond, GenerateTime: time.Second}}, Generated: 30}, nil)
	}
}

func token(text string) source.Event {
	return source.Event{Event: engine.Event{Tokens: []engine.Token{1}, Text: text}}
}

func thought(text string) source.Event {
	return source.Event{Event: engine.Event{Tokens: []engine.Token{1}, Reasoning: text}}
}

// special are the keys that are not text.
var special = map[string]tea.KeyMsg{"enter": {Type: tea.KeyEnter}, "esc": {Type: tea.KeyEsc}, "tab": {Type: tea.KeyTab}, "up": {Type: tea.KeyUp}, "down": {Type: tea.KeyDown},
	"left": {Type: tea.KeyLeft}, "right": {Type: tea.KeyRight}, "ctrl+r": {Type: tea.KeyCtrlR}, "ctrl+l": {Type: tea.KeyCtrlL}, "ctrl+g": {Type: tea.KeyCtrlG},
	"ctrl+y": {Type: tea.KeyCtrlY}, "ctrl+u": {Type: tea.KeyCtrlU}, "ctrl+o": {Type: tea.KeyCtrlO}, "ctrl+d": {Type: tea.KeyCtrlD}, "f2": {Type: tea.KeyF2}, "pgup": {Type: tea.KeyPgUp}, "pgdown": {Type: tea.KeyPgDown},
	"shift+up": {Type: tea.KeyShiftUp}, "shift+down": {Type: tea.KeyShiftDown}, "ctrl+home": {Type: tea.KeyCtrlHome}, "ctrl+end": {Type: tea.KeyCtrlEnd},
	"alt+left": {Type: tea.KeyLeft, Alt: true}, "alt+right": {Type: tea.KeyRight, Alt: true}}

// drive sends keys and runs commands until nothing is left to do. It returns the messages that were not for the view.
func drive(v *View, keys ...string) (others []tea.Msg) {
	for _, k := range keys {
		msg, ok := special[k]
		if !ok {
			msg = tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(k)}
		}
		others = append(others, settle(v, v.Update(msg))...)
	}
	return others
}

// settle runs a command and those that follow from it.
func settle(v *View, cmd tea.Cmd) (others []tea.Msg) {
	if cmd == nil {
		return nil
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			others = append(others, settle(v, c)...)
		}
	case batch, resultMsg, previewMsg, failedMsg:
		others = append(others, settle(v, v.Update(msg))...)
	default:
		others = append(others, msg)
	}
	return others
}

// talkWith makes a view of a model.
func talkWith(m source.Source, notes ...string) *View {
	return New(context.Background(), m, Options{Notes: notes})
}

var hostile = "Plain \x1b[2J\x1b]52;c;aGk=\x07 codes\r\n日本語と🦙と👨‍👩‍👧‍👦 and e\u0301, مرحبا\n\n- a list\n- with **bold**\n\n```go\nfunc main() {}\n```\n"

// TestGoldenViews draws a conversation at three widths, without colours.
func TestGoldenViews(t *testing.T) {
	for _, width := range []int{20, 40, 80, 120} {
		m := &scripted{events: []source.Event{{Event: engine.Event{PromptDone: 20, PromptTotal: 20}}, thought("Let me see. Two words."),
			token(hostile), token("The end, after a sentence that is long enough to be broken at most widths that people use.")}}
		v := New(context.Background(), m, Options{System: "Be brief."})
		v.SetTheme(theme.Default())
		drive(v, "Show me 日本語", "enter")
		s := tui.New(theme.Default(), v)
		s.Update(tea.WindowSizeMsg{Width: width, Height: 30})
		golden(t, fmt.Sprintf("view-%d.txt", width), s.View(), width)
	}
}

// golden compares a screen with a file. No line is too wide, and none has a control code.
func golden(t *testing.T, name, screen string, width int) {
	t.Helper()
	got := screen + "\n"
	for i, line := range strings.Split(got, "\n") {
		if cells.Width(line) > width || strings.ContainsAny(line, "\x1b\a\r") {
			t.Errorf("%s, line %d: %q", name, i, line)
		}
	}
	goldenfile.Check(t, name, got)
}

func TestConversationGrows(t *testing.T) {
	m := &scripted{events: []source.Event{token("One"), token(" answer.")}}
	v := talkWith(m)
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
	v := talkWith(m)
	drive(v, "too long", "enter")
	if out := v.Render(60, 10); !strings.Contains(out, "does not fit") || strings.Contains(out, "\x1b[2J") {
		t.Errorf("shown: %q", out)
	}
	m.err = nil
	drive(v, "shorter", "enter")
	if last := m.asked[1].Messages; len(last) != 1 || last[0].Content != "shorter" {
		t.Errorf("the failed question stays: %+v", last)
	}
}

// panicking breaks in the goroutine of the answer.
type panicking struct{ scripted }

func (*panicking) Generate(context.Context, source.Request) iter.Seq2[source.Event, error] {
	panic("broken")
}

func TestPanicOfAnAnswerIsShown(t *testing.T) {
	v := talkWith(&panicking{}, "a note")
	drive(v, "hi", "enter")
	if out := v.Render(60, 12); !strings.Contains(out, "internal error: broken") || !strings.Contains(out, "a note") {
		t.Errorf("shown: %q", out)
	}
}

func TestInputGrows(t *testing.T) {
	v := talkWith(&scripted{})
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
	v := talkWith(&scripted{events: []source.Event{thought("because of this"), token("42")}})
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
	v := talkWith(&scripted{})
	parent := 0
	for i := range 500 {
		q := v.tree().Add(parent, enginechat.Message{Role: "user", Content: fmt.Sprintf("question %d", i)})
		a := enginechat.Message{Role: "assistant", Content: strings.Repeat("A *paragraph*.\n\n```go\nfunc f() {}\n```\n\n", 4)}
		parent = v.tree().Add(q.ID, a).ID
	}
	v.show()
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
	m := &scripted{events: []source.Event{token("Once upon")}, hold: true}
	s := tui.New(theme.Default(), talkWith(m))
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
	waitFor("Alt-Enter")
	tm.Send(tea.KeyMsg{Type: tea.KeyEsc})
	tm.Send(tea.KeyMsg{Type: tea.KeyCtrlC})
	tm.Send(tea.KeyMsg{Type: tea.KeyCtrlC})
	tm.WaitFinished(t, teatest.WithFinalTimeout(5*time.Second))
	if _, err := io.ReadAll(tm.FinalOutput(t)); err != nil {
		t.Error(err)
	}
}

// BenchmarkStream draws a frame of an answer that grows by seven tokens, as at 400 tokens a second: prose, a long list without
// a blank line, and a block of code that has no end.
func BenchmarkStream(b *testing.B) {
	for name, piece := range map[string]string{"prose": "Some words, then *others*. More.\n\n", "list": "- a line of a list with **bold**\n", "code": "\tx := f(1, \"two\") // three\n"} {
		b.Run("text="+name, func(b *testing.B) {
			v := long()
			turn := v.tree().Add(v.tree().Leaf().ID, enginechat.Message{Role: "assistant", Content: map[string]string{"code": "```go\n"}[name]})
			v.show()
			v.script.running, v.script.follow = turn, true
			for b.Loop() {
				if turn.Message.Content += piece; len(turn.Message.Content) > 32<<10 {
					turn.Message.Content = turn.Message.Content[:6]
				}
				v.Render(80, 40)
			}
		})
	}
}
