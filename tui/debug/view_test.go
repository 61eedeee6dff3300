package debug

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/exp/teatest"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/chat/jinja"
	"github.com/llamakit/llamakit/engine/debug"
	"github.com/llamakit/llamakit/tui"
	"github.com/llamakit/llamakit/tui/cells"
	"github.com/llamakit/llamakit/tui/internal/goldenfile"
	"github.com/llamakit/llamakit/tui/theme"
)

// scripted is a runner whose answers are fixed.
type scripted struct {
	mu     sync.Mutex // of inputs: a sweep runs several at once
	inputs []debug.Input
	hold   bool // runs do not end, until they are cancelled
	fail   error
}

func (s *scripted) Model() debug.Model {
	return debug.Model{Name: "Scripted \x1b[2J 0.1B", Context: 100}
}
func (s *scripted) Defaults() debug.Input {
	return debug.Input{Sampling: debug.Sampling{Temperature: 0.5, Seed: 7, TopK: 40}}
}
func (s *scripted) TemplateSource() string { return "{{ messages }}\nend" }
func (s *scripted) Parallel() int          { return 2 }
func (s *scripted) Seal(r *debug.Run) error {
	r.Model.Digest = "xxh64:1"
	return nil
}

func tok(id engine.Token, text, kind string, p float32, rank int) debug.Token {
	t := debug.NewToken(id, []byte(text), kind)
	if p > 0 {
		lp, margin := p-1, 2*p-1 // any numbers
		t.Logprob, t.Rank, t.Margin = &lp, rank, &margin
	}
	return t
}

// user is what the scripted conversation says: wide characters, a control token and escape sequences.
const user = "日本 👩‍👩‍👧 e\u0301 مرحبا \x1b[2J<|end|>\x07"

func (s *scripted) Render(_ context.Context, in debug.Input) (*debug.Prompt, error) {
	if strings.Contains(in.Template, "{{ x. }}") {
		return nil, &jinja.Error{Kind: jinja.SyntaxError, Template: "chat template", Line: 1, Column: 6, Message: "a name is missing"}
	}
	p := &debug.Prompt{Template: "the model's template", Notes: []string{"a note"}}
	p.Tokens = []debug.Token{tok(1, "<|user|>", "control", 0, 0), tok(2, "\n", "normal", 0.99, 1), tok(3, user[:strings.Index(user, "<|end")], "normal", 0.001, 900),
		tok(4, "<|end|>", "control", 0.02, 4), tok(5, "\xf0\x9f", "normal", 0.2, 2), tok(6, "\xa6\x99", "normal", 0.999, 1), tok(4, "<|end|>", "control", 0.9, 1)}
	p.Tokens[3].User = true
	p.Attempts = []debug.Attempt{{Message: 0, Role: "user", Token: 4, Text: "<|end|>", Taken: true}}
	if in.Template != "" {
		p.Template = "the edited template"
		p.Tokens = p.Tokens[1:]
	}
	return p, nil
}

func (s *scripted) Run(ctx context.Context, in debug.Input, o debug.Options, watch func(debug.Run)) (*debug.Run, error) {
	s.mu.Lock()
	s.inputs = append(s.inputs, in)
	s.mu.Unlock()
	p, err := s.Render(ctx, in)
	if err != nil {
		return &debug.Run{Input: in}, err
	}
	r := &debug.Run{Input: in, Prompt: p.Tokens, Attempts: p.Attempts, Notes: p.Notes, Cached: 2, Engine: "test", Reuse: "the prompt is that of the run before",
		Prefill: 120 * time.Millisecond, Decode: time.Second}
	r.Answer = []debug.Token{tok(10, "Paris", "normal", 0.7, 1), tok(11, " is", "normal", 0.3, 2), tok(12, " 日本\x1b]52;", "normal", 0.005, 60), tok(4, "<|end|>", "control", 0.999, 1)}
	if in.Sampling.Seed%2 == 0 {
		r.Answer = append(r.Answer[:1:1], tok(13, " was", "normal", 0.4, 1), r.Answer[3])
	}
	r.Answer[1].Chain = []debug.Link{{Sampler: "top_k", Left: 40}, {Sampler: "top_p", Left: 2}}
	r.Answer[1].Candidates = []debug.Candidate{{ID: 13, Text: " was", P: 0.4, Drawn: 0.6}, {ID: 11, Text: " is", P: 0.3, Drawn: 0.4}, {ID: 14, Text: "\x1b[31m日本語", P: 0.01, Removed: "top_p"}}
	r.Content = r.Raw()
	if watch != nil {
		watch(*r)
	}
	if s.hold {
		<-ctx.Done()
		r.Stop = debug.Stop{Reason: debug.StopCancelled}
		return r, fmt.Errorf("%w: %w", debug.ErrRun, ctx.Err())
	}
	r.Stop = debug.Stop{Reason: "eos", Token: 4, Text: "<|end|>"}
	return r, s.fail
}

func (s *scripted) Branch(_ context.Context, from *debug.Run, at int, t engine.Token, _ func(debug.Run)) (*debug.Run, error) {
	r := *from
	r.Answer = append(from.Answer[:at:at], tok(t, " was", "normal", 0.4, 1), tok(15, " here", "normal", 0.5, 1))
	r.Past = at + 1
	return &r, nil
}

func (s *scripted) Grammar(run *debug.Run, at int) (*debug.GrammarState, error) {
	if at == 0 {
		return nil, debug.ErrNoGrammar
	}
	return &debug.GrammarState{Text: "x", Allowed: 12, Next: "0-9", Forced: "}\x1b", Path: "/a", Rules: []debug.Active{{Rules: []string{"root", "num"}, Next: "[0-9]"}}}, nil
}

// newView is a view on a conversation of one message.
func newView(s *scripted) *View {
	in := s.Defaults()
	in.Messages = json.RawMessage(`[{"role": "user", "content": ` + string(quote(user)) + `}]`)
	v := New(context.Background(), s, Options{Input: in, Keep: debug.Options{Candidates: 3}})
	run(v, v.Init())
	return v
}

// run runs commands until nothing is left to do.
func run(v *View, cmds ...tea.Cmd) {
	for len(cmds) > 0 {
		cmd := cmds[0]
		cmds = cmds[1:]
		if cmd == nil {
			continue
		}
		switch msg := cmd().(type) {
		case tea.BatchMsg:
			cmds = append(cmds, msg...)
		case nil, tea.QuitMsg:
		default:
			cmds = append(cmds, v.Update(msg))
		}
	}
}

var special = map[string]tea.KeyType{"enter": tea.KeyEnter, "tab": tea.KeyTab, "shift+tab": tea.KeyShiftTab, "esc": tea.KeyEsc, "up": tea.KeyUp,
	"down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight, "ctrl+u": tea.KeyCtrlU, "ctrl+g": tea.KeyCtrlG, "home": tea.KeyHome, "ctrl+d": tea.KeyCtrlD}

func press(v *View, keys ...string) {
	for _, k := range keys {
		msg := tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(k)}
		if t, ok := special[k]; ok {
			msg = tea.KeyMsg{Type: t}
		}
		run(v, v.Update(msg))
	}
}

func screen(v *View, width, height int) string {
	s := tui.New(theme.Default(), v)
	s.Update(tea.WindowSizeMsg{Width: width, Height: height})
	return s.View()
}

// TestGoldenViews draws all panes at four widths, without colours. No line is too wide, and no code of the model's gets through.
func TestGoldenViews(t *testing.T) {
	for _, width := range []int{20, 40, 80, 120} {
		v := newView(&scripted{})
		press(v, "v", "v", "g", "m", "3", "right", "down")
		all := ""
		shot := func(name string) { all += "=== " + name + "\n" + screen(v, width, 20) + "\n" }
		press(v, "1")
		shot("template")
		press(v, "e")
		shot("editing")
		press(v, "esc", "2")
		shot("tokens")
		press(v, "3", "up")
		shot("alternatives")
		press(v, "enter")
		shot("a branch")
		press(v, "4")
		shot("why")
		press(v, "5", "w")
		shot("compare")
		for i, line := range strings.Split(all, "\n") {
			if cells.Width(line) > width || strings.ContainsAny(line, "\x1b\a\r") {
				t.Errorf("width %d, line %d: %q", width, i, line)
			}
		}
		goldenfile.Check(t, fmt.Sprintf("view-%d.txt", width), all)
	}
}

// TestFastLetters: letters that come as one message are text, also where they read like the name of a key.
func TestFastLetters(t *testing.T) {
	v := newView(&scripted{})
	press(v, "e")
	v.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("esc")})
	if !v.parts.editing() || !strings.HasSuffix(v.parts.editor.Text(), "esc") {
		t.Errorf("editing %v, the part is %q", v.parts.editing(), v.parts.chosen().text)
	}
}

// TestEditing: the input changes as it is typed, and what is wrong is told with its place.
func TestEditing(t *testing.T) {
	s := &scripted{}
	v := newView(s)
	press(v, "e", "!", "enter", "x", "esc")
	var messages []struct{ Role, Content string }
	if err := json.Unmarshal(v.input.Messages, &messages); err != nil || !strings.HasSuffix(messages[0].Content, "!\nx") {
		t.Errorf("%v %+v", err, messages)
	}
	press(v, "a", "Sure", "esc", "t")
	if _ = json.Unmarshal(v.input.Messages, &messages); len(messages) != 2 || messages[1].Role != "system" || messages[1].Content != "Sure" {
		t.Errorf("%+v", messages)
	}
	press(v, "x", "down", "down", "e", "ctrl+u", "{{ x. }}") // the template
	if v.preview.err == nil || !strings.Contains(screen(v, 80, 20), "1:6") {
		t.Errorf("%v\n%s", v.preview.err, screen(v, 80, 20))
	}
	if press(v, "ctrl+g"); !strings.Contains(screen(v, 80, 20), "editing template 1:6") {
		t.Errorf("not at the fault:\n%s", screen(v, 80, 20))
	}
	press(v, "esc", "down", "e", "{", "esc") // the settings are no JSON now
	if press(v, "g"); len(s.inputs) != 0 || v.failed == nil || !strings.HasPrefix(v.failed.Error(), "settings") {
		t.Errorf("it runs: %v", v.failed)
	}
	press(v, "a", "esc", "x")
	if err := v.parts.err(); err == nil || !strings.HasSuffix(v.parts.list[len(v.parts.list)-3].text, "}{") {
		t.Errorf("what is wrong in the settings is gone: %v", err)
	}
}

// TestFastKeys: letters that come in one message are keys of their own; a text that is pasted is none.
func TestFastKeys(t *testing.T) {
	v := newView(&scripted{})
	press(v, "g3m")
	if v.diff.a != nil || v.pane != alternativesPane {
		t.Errorf("pane %d, kept %v: the run had not begun to show", v.pane, v.diff.a)
	}
	run(v, v.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("4q"), Paste: true}))
	if v.pane != alternativesPane {
		t.Errorf("pasted keys lead to pane %d", v.pane)
	}
	press(v, "1aHi")
	if !v.parts.editing() || v.parts.chosen().text != "Hi" {
		t.Errorf("%+v", v.parts.chosen())
	}
}

// TestEmpty: without messages nothing runs, and the view stays where one can be added.
func TestEmpty(t *testing.T) {
	s := &scripted{}
	v := New(context.Background(), s, Options{Input: s.Defaults()})
	run(v, v.Init())
	if press(v, "g"); v.pane != templatePane || len(s.inputs) != 0 || !strings.Contains(v.Status(), "nothing to run") {
		t.Errorf("pane %d, %q", v.pane, v.Status())
	}
	if press(v, "a", "Hi", "esc", "g"); len(s.inputs) != 1 || v.pane != tokensPane {
		t.Errorf("%+v", s.inputs)
	}
}

// TestNothingLost: settings that are edited and edited back are what they were, and so are fields that no part shows.
func TestNothingLost(t *testing.T) {
	s := &scripted{}
	in := s.Defaults()
	in.Messages = json.RawMessage(`[{"role":"user","content":"a","weight":0.5},{"role":"user","content":[{"type":"text","text":"b"}]}]`)
	in.Stop, in.Sampling.LogitBias = []string{"END"}, map[engine.Token]float32{3: -2}
	v := New(context.Background(), s, Options{Input: in})
	for i := range v.parts.list {
		x := &v.parts.list[i]
		if x.text == "" {
			continue
		}
		if err := x.set(&v.input, x.text); err != nil {
			t.Errorf("%s: %v", x.name, err)
		}
	}
	got, _ := json.Marshal(v.input)
	want, _ := json.Marshal(in)
	var a, b any
	if json.Unmarshal(got, &a) != nil || json.Unmarshal(want, &b) != nil || fmt.Sprint(a) != fmt.Sprint(b) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestBranches: another candidate makes a branch, and the tree can be walked.
func TestBranches(t *testing.T) {
	v := newView(&scripted{})
	press(v, "g", "3", "right", "home")
	if v.tokens.answer() != -1 {
		t.Error("home is not the first token")
	}
	v.tokens.list.Cursor = len(v.current().Prompt) + 1
	press(v, "enter")
	if len(v.tree.Branches) != 1 || v.shown.At != 1 || v.shown.Run.Past != 2 {
		t.Fatalf("%+v", v.tree)
	}
	if press(v, "["); v.shown != v.tree {
		t.Error("[ does not lead back")
	}
	if press(v, "]"); v.shown == v.tree {
		t.Error("] does not lead to the branch")
	}
	v.pane = tokensPane
	v.tokens.list.Cursor = 0
	if press(v, "n"); v.tokens.chosen().Rank != 900 && v.tokens.chosen().P() >= surprising {
		t.Errorf("%+v", v.tokens.chosen())
	}
}

// TestStopping: what came before a stop or an error can be looked at.
func TestStopping(t *testing.T) {
	s := &scripted{hold: true}
	v := newView(s)
	cmd := v.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("g")})
	if cmd = v.Update(cmd()); !v.Busy() || len(v.current().Answer) == 0 {
		t.Fatal("nothing is shown while it runs")
	}
	press(v, "3")
	v.Update(tea.KeyMsg{Type: tea.KeyEsc})
	run(v, cmd)
	if v.Busy() || v.failed != nil || v.current().Stop.Reason != debug.StopCancelled {
		t.Errorf("busy %t, %v, %+v", v.Busy(), v.failed, v.current().Stop)
	}
	s.hold, s.fail = false, errors.New("out of \x1b[2J luck")
	press(v, "g")
	if v.failed == nil || strings.Contains(v.Status(), "\x1b") || !strings.Contains(v.Status(), "luck") {
		t.Errorf("%q", v.Status())
	}
}

func TestSave(t *testing.T) {
	v := newView(&scripted{})
	saved := map[string]*debug.Run{}
	v.options.Save = func(name string, r *debug.Run) error {
		if name == "bad" {
			return errors.New("the disk is full")
		}
		saved[name] = r
		return nil
	}
	if press(v, "s"); v.asks != nil {
		t.Error("there is nothing to save yet")
	}
	press(v, "g", "s", "enter")
	if r := saved["run-7.json"]; r == nil || r.Model.Digest == "" {
		t.Errorf("%v", saved)
	}
	press(v, "s", "ctrl+u", "bad", "enter")
	if v.failed == nil {
		t.Error("no error")
	}
	press(v, "s", "q", "esc") // a letter is text here
	if v.asks != nil || len(saved) != 1 {
		t.Errorf("%v", saved)
	}
}

// TestShow: another view hands its request over, and Ctrl-D leads back.
func TestShow(t *testing.T) {
	s := &scripted{}
	v := New(context.Background(), s, Options{Back: "chat"})
	in := s.Defaults()
	in.Prompt = "raw"
	run(v, v.Update(tui.Show{Name: Name, With: in}))
	if v.input.Prompt != "raw" || v.parts.list[0].name != "prompt" {
		t.Errorf("%+v", v.input)
	}
	s.hold = true // what runs when another request comes is left behind
	cmd := v.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("g")})
	v.Update(cmd())
	run(v, v.Update(tui.Show{Name: Name, With: in}))
	if run(v, cmd); v.Busy() || v.tree != nil {
		t.Errorf("busy %t, %+v", v.Busy(), v.tree)
	}
	for _, key := range []tea.KeyMsg{{Type: tea.KeyCtrlD}, {Type: tea.KeyRunes, Runes: []rune("q")}} {
		cmd := v.Update(key)
		if show, ok := cmd().(tui.Show); !ok || show.Name != "chat" || !v.Takes("ctrl+d") {
			t.Errorf("%v leads to %+v", key, show)
		}
	}
}

// TestProgram runs the view as a program.
func TestProgram(t *testing.T) {
	tm := teatest.NewTestModel(t, tui.New(theme.Default(), newView(&scripted{})), teatest.WithInitialTermSize(80, 24))
	tm.Send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("g")})
	teatest.WaitFor(t, tm.Output(), func(b []byte) bool { return strings.Contains(string(b), "answer 4 tokens, eos") })
	tm.Send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("q")})
	tm.WaitFinished(t, teatest.WithFinalTimeout(5*time.Second))
}

// TestAnySize: no size of the screen is too small, and no line is wider than it.
func TestAnySize(t *testing.T) {
	v := newView(&scripted{})
	press(v, "v", "g", "m", "3", "enter", "5", "w", "s")
	v.asks = &prompt{title: "name"}
	for pane := range panes {
		v.pane = pane
		for _, width := range []int{1, 2, 3, 7, 13, 60, 300} {
			for _, height := range []int{1, 2, 3, 5, 60} {
				got := strings.Split(v.Render(width, height), "\n")
				if len(got) != height {
					t.Errorf("pane %d at %dx%d: %d lines", pane, width, height, len(got))
				}
				for _, line := range got {
					if cells.Width(line) > width {
						t.Errorf("pane %d at %dx%d: %q", pane, width, height, line)
					}
				}
			}
		}
	}
}
