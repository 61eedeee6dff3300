package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/llamakit/llamakit/engine"
	enginechat "github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/engine/demo"
	"github.com/llamakit/llamakit/tui"
	"github.com/llamakit/llamakit/tui/cells"
	"github.com/llamakit/llamakit/tui/session"
	"github.com/llamakit/llamakit/tui/source"
	"github.com/llamakit/llamakit/tui/toolcall"
)

// answers are those of the first requests.
func answers(texts ...string) *scripted {
	m := &scripted{}
	for _, text := range texts {
		m.answers = append(m.answers, []source.Event{token(text)})
	}
	return m
}

// call is an answer that calls a tool.
func call(name, arguments string) []source.Event {
	e := token("")
	e.Calls = []enginechat.CallDelta{{Name: name}, {Arguments: arguments}}
	return []source.Event{e}
}

// messages runs a command, and those that it is made of, once.
func messages(cmd tea.Cmd) (list []tea.Msg) {
	if cmd == nil {
		return nil
	}
	msg := cmd()
	if cmds, ok := msg.(tea.BatchMsg); ok {
		for _, c := range cmds {
			list = append(list, messages(c)...)
		}
		return list
	}
	return []tea.Msg{msg}
}

// said is the conversation that is looked at.
func said(v *View) string {
	var texts []string
	for _, turn := range v.tree().Path() {
		texts = append(texts, turn.Message.Content)
	}
	return strings.Join(texts, "|")
}

func expect(t *testing.T, v *View, want string) {
	t.Helper()
	if got := said(v); got != want {
		t.Errorf("the conversation is %q, want %q", got, want)
	}
}

// TestBranches asks again, says a turn otherwise, and walks.
func TestBranches(t *testing.T) {
	m := answers("one", "two", "three", "four", "five")
	v := talkWith(m)
	v.Render(60, 20)
	drive(v, "q", "enter", "ctrl+g")
	expect(t, v, "q|two")
	if a, b := m.asked[0].Sampling.Seed, m.asked[1].Sampling.Seed; a == b || a < 0 {
		t.Errorf("seeds %d and %d", a, b)
	}
	drive(v, "r", "enter")
	expect(t, v, "q|two|r|three")
	drive(v, "alt+left")
	expect(t, v, "q|one")
	drive(v, "alt+left", "alt+right")
	expect(t, v, "q|two|r|three")
	if out := v.Render(60, 20); !strings.Contains(out, "Model ‹2/2›") {
		t.Errorf("no branches in\n%s", out)
	}
	drive(v, "tab", "up", "e", "ctrl+u", "s", "enter") // the second question
	expect(t, v, "q|two|s|four")
	drive(v, "/edit 1", "enter", "!", "enter")
	expect(t, v, "q!|five")
	if last := m.asked[4].Messages; len(last) != 1 || last[0].Content != "q!" {
		t.Errorf("asked %+v", last)
	}
	drive(v, "tab", "up", "left", "esc")
	expect(t, v, "q|two|s|four")
	drive(v, "tab", "e", "ctrl+u", "4", "enter") // the answer itself: nothing is asked
	expect(t, v, "q|two|s|4")
	drive(v, "/branch 1", "enter")
	expect(t, v, "q|two|s|four")
	drive(v, "/branch", "enter", "one", "enter")
	expect(t, v, "q|one")
	if len(m.asked) != 5 {
		t.Errorf("%d requests", len(m.asked))
	}
}

// TestRegenerateFurtherUp asks for an answer again that others follow.
func TestRegenerateFurtherUp(t *testing.T) {
	v := talkWith(answers("one", "two", "other"))
	v.Render(60, 20)
	drive(v, "q", "enter", "r", "enter", "tab", "up", "up", "r")
	expect(t, v, "q|other")
	drive(v, "alt+left")
	expect(t, v, "q|one|r|two")
}

func tools(t *testing.T, commands ...string) toolcall.Tools {
	t.Helper()
	tools, err := toolcall.Parse([]byte(`[{"name": "add"}, {"name": "ask"}]`))
	for _, c := range commands {
		if err == nil {
			err = tools.Answer(c)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return tools
}

func TestToolsByHand(t *testing.T) {
	m := &scripted{answers: [][]source.Event{call("ask", `{"a": "b"}`), {token("done")}, {token("again")}}}
	v := New(context.Background(), m, Options{Tools: tools(t)})
	drive(v, "go", "enter")
	if out := v.Render(60, 14); !strings.Contains(out, "╭─ ask") || !strings.Contains(out, `│ {"a": "b"}`) || !strings.Contains(out, "result of ask> ") {
		t.Errorf("the call is shown as\n%s", out)
	}
	drive(v, "42", "enter")
	expect(t, v, "go||42|done")
	m.err = errors.New("gone")
	m.answers = append(m.answers[:2:2], nil, m.answers[2])
	drive(v, "ctrl+g") // it fails, and is not asked again by itself
	if expect(t, v, "go||42"); len(m.asked) != 3 || !strings.Contains(v.Render(60, 20), "gone") {
		t.Errorf("%d requests", len(m.asked))
	}
	m.err = nil
	last := m.asked[1].Messages
	if last[1].ToolCalls[0].ID != "call_1" || last[2].ToolCallID != "call_1" || last[2].Role != "tool" || len(m.asked[1].Template.Tools) == 0 {
		t.Errorf("asked %+v", last)
	}
	drive(v, "tab", "e", "ctrl+u", "43", "enter") // another result
	expect(t, v, "go||43|again")
}

func TestToolsByCommand(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("commands are written for sh")
	}
	m := &scripted{answers: [][]source.Event{call("add", `{"a": 1}`), {token("done")}}}
	v := New(context.Background(), m, Options{Tools: tools(t, "add=cat")})
	drive(v, "go", "enter")
	expect(t, v, `go||{"a": 1}|done`)

	endless := &scripted{events: call("add", "{}")}
	v = New(context.Background(), endless, Options{Tools: tools(t, "add=echo x")})
	drive(v, "go", "enter")
	if len(endless.asked) != toolcall.MaxRounds {
		t.Errorf("%d answers without a word of the user", len(endless.asked))
	}
}

// TestCallIsCutOff: half a call is none.
func TestCallIsCutOff(t *testing.T) {
	half := call("ask", `{"a": `)
	v := New(context.Background(), &scripted{answers: [][]source.Event{append(half, token("well")), {token("yes")}}}, Options{Tools: tools(t, "ask=cat")})
	drive(v, "go", "enter")
	if out := v.Render(60, 14); !strings.Contains(out, "a call of ask was cut off") {
		t.Errorf("shown as\n%s", out)
	}
	drive(v, "and?", "enter")
	expect(t, v, "go|well|and?|yes")
}

// TestToolIsStopped: Esc ends the command, and the call can be answered by hand.
func TestToolIsStopped(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("commands are written for sh")
	}
	m := &scripted{answers: [][]source.Event{call("add", "{}"), {token("done")}}}
	v := New(context.Background(), m, Options{Tools: tools(t, "add=sleep 60")})
	v.input.Set("go")
	work := v.enter()
	for v.calling == nil {
		for _, msg := range messages(work) {
			if b, ok := msg.(batch); ok {
				work = v.Update(b)
			}
		}
	}
	drive(v, "esc")
	settle(v, work)
	if v.Busy() {
		t.Fatal("still at work")
	}
	drive(v, "7", "enter")
	expect(t, v, "go||7|done")
}

func TestCommands(t *testing.T) {
	m := answers("```go\nx := 1\n```\nand\n```\nlast\n```")
	v := New(context.Background(), m, Options{Debugger: true})
	drive(v, "q", "enter")
	for _, c := range []struct{ line, shown string }{
		{"/help", "/export"}, {"/bogus", "no command /bogus"}, {"/e", "2 commands begin"}, {"/export", "wants a format"}, {"/export yaml", "no format"},
		{"/export curl", "curl -sS"}, {"/edit 9", "no turn 9"}, {"/edit x", "no turn x"}, {"/branch 2", "no branches yet"}, {"/sampler top_k", "and its value"},
		{"/sampler top_k x", "a number from"}, {"/sampler nothing 1", `no parameter "nothing"`}, {"/think", "wants on"}, {"/tools", "no tools"},
		{"/tools /nowhere", "/nowhere"}, {"/load x", "not kept"}, {"/save", "wants a file"}, {"/save /nowhere/x", "does not exist"}, {"/copy 7", "no turn 7"}, {"/title", "wants a title"},
	} {
		drive(v, c.line, "enter")
		if out := strings.Join(strings.Fields(v.Render(100, 40)), " "); !strings.Contains(out, c.shown) || len(m.asked) > 1 {
			t.Errorf("%s: no %q in\n%s", c.line, c.shown, out)
		}
	}
	for line, want := range map[string]tea.Msg{"/copy": tui.Clipboard(m.answers[0][0].Text), "/copy 1": tui.Clipboard("q"), "/copy code": tui.Clipboard("last\n"), "/quit": tea.QuitMsg{}} {
		if got := drive(v, line, "enter"); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %#v", line, got)
		}
	}
	drive(v, "/sampler temp 0.25", "enter", "/sampler samplers top_k;temp", "enter", "/think off", "enter", "/sys Be kind.", "enter", "/title T", "enter", "//slash", "enter")
	r := m.asked[1]
	if r.Sampling.Temperature != 0.25 || len(r.Sampling.Samplers) != 2 || r.Template.Thinking != engine.ThinkingOff || r.Messages[0].Content != "Be kind." || r.Messages[3].Content != "/slash" {
		t.Errorf("asked %+v", r)
	}
	if !strings.Contains(v.Title(), "· T") {
		t.Errorf("title %q", v.Title())
	}
	drive(v, "draft")
	show, ok := drive(v, "ctrl+d")[0].(tui.Show)
	if !ok || show.Name != "debug" || !v.Takes("ctrl+d") {
		t.Fatalf("Ctrl-D: %#v", show)
	}
	if seen := show.With.(source.Request).Messages; seen[len(seen)-1].Content != "draft" {
		t.Errorf("the debugger gets %+v", seen)
	}
}

func TestHints(t *testing.T) {
	v := talkWith(&scripted{})
	drive(v, "/ex")
	if out := v.Render(80, 20); !strings.Contains(out, "▸ /export") {
		t.Errorf("no completion in\n%s", out)
	}
	drive(v, "tab", "down", "down")
	if out := v.Render(80, 20); !strings.Contains(out, "▸ curl") || v.input.Text() != "/export " {
		t.Errorf("no formats after %q:\n%s", v.input.Text(), out)
	}
	drive(v, "tab")
	if v.input.Text() != "/export curl " {
		t.Errorf("completed to %q", v.input.Text())
	}
}

// TestSessionsAreKept: after every step the file is the whole conversation; another chat goes on with it.
func TestSessionsAreKept(t *testing.T) {
	dir := t.TempDir()
	o := Options{Store: &session.Store{Dir: filepath.Join(dir, "sessions")}, History: &session.History{Path: filepath.Join(dir, "history")}}
	v := New(context.Background(), answers("one", "two"), o)
	drive(v, "first\x1b", "enter")
	kept, err := o.Store.Load("last")
	if err != nil || len(kept.Tree.Turns()) != 2 || kept.Tree.Leaf().Message.Content != "one" {
		t.Fatal(kept, err)
	}
	drive(v, "ctrl+l", "second", "enter", "/save "+filepath.Join(dir, "copy.jsonl"), "enter", "/export markdown "+filepath.Join(dir, "talk.md"), "enter")
	if list, err := o.Store.List(); err != nil || len(list) != 2 {
		t.Fatal(list, err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "talk.md")); err != nil || !strings.Contains(string(text), "## You\n\nsecond") {
		t.Errorf("%s, %v", text, err)
	}
	o.Session = kept
	again := New(context.Background(), answers("three"), o)
	expect(t, again, "first␛|one")
	drive(again, "more", "enter")
	expect(t, again, "first␛|one|more|three")
	drive(again, "ctrl+o", "second", "enter")
	expect(t, again, "second|two")
	drive(again, "/load "+filepath.Join(dir, "copy.jsonl"), "enter", "up", "up")
	expect(t, again, "second|two")
	if got := again.input.Text(); got != "more" {
		t.Errorf("two back in the history is %q", got)
	}
}

// TestKilledWhileAnswering: the question is in the file before the answer comes.
func TestKilledWhileAnswering(t *testing.T) {
	store := &session.Store{Dir: t.TempDir()}
	m := &scripted{events: []source.Event{token("half an ")}, hold: true}
	v := New(t.Context(), m, Options{Store: store})
	v.input.Set("q")
	var next tea.Cmd
	for _, msg := range messages(v.enter()) { // of what saves, and of what waits
		if b, ok := msg.(batch); ok {
			next = v.Update(b)
		}
	}
	if s, err := store.Load("last"); err != nil || len(s.Tree.Turns()) != 1 {
		t.Fatal(s, err)
	}
	if err := v.keep(); err != nil { // left in the middle
		t.Fatal(err)
	}
	if s, err := store.Load("last"); err != nil || s.Tree.Leaf().Message.Content != "half an " {
		t.Fatal(s, err)
	}
	drive(v, "esc")
	settle(v, next)
	expect(t, v, "q|half an ")
}

// TestPanel looks at the candidates of a real model.
func TestPanel(t *testing.T) {
	m, err := engine.OpenBytes(context.Background(), demo.Name, demo.Model(), engine.Options{Context: 256, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	from := source.Local{Model: m}
	o := Options{Request: source.Request{Request: engine.Request{Sampling: from.Info().Sampling, Template: engine.TemplateOptions{Thinking: engine.ThinkingOff}}}}
	o.Request.Sampling.Temperature = 0
	v := New(context.Background(), from, o)
	drive(v, "Where does a bear live?", "enter", "f2", "]", "]")
	out := v.Render(100, 40)
	for _, want := range []string{"▸ temperature", `token 3 after "A bear"`, `▸" lives"`, "→ top_k 20", "✕ top_p"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	drive(v, "down", "enter", "ctrl+u", "2", "enter")
	if v.request.Sampling.TopK != 2 || !strings.Contains(v.Render(100, 40), "→ top_k 2") {
		t.Errorf("top_k is %d in\n%s", v.request.Sampling.TopK, v.Render(100, 40))
	}
	drive(v, "right", "right")
	if v.request.Sampling.TopK != 4 {
		t.Errorf("turned to %d", v.request.Sampling.TopK)
	}
	drive(v, "d")
	if v.request.Sampling.TopK != o.Request.Sampling.TopK {
		t.Error("not as it was")
	}
	if drive(v, "esc"); v.panel.open || strings.Contains(v.Render(100, 40), "Sampling") {
		t.Error("the panel stays")
	}
}

// TestGoldenParts draws what is not in every conversation.
func TestGoldenParts(t *testing.T) {
	for _, width := range []int{40, 80, 120} {
		m := &scripted{answers: [][]source.Event{call("ask", `{"question": "日本", "choices": ["`+strings.Repeat("long ", 20)+`"]}`), {token("done"), token("\n\n| a | b |\n|---|---|\n| 1 | 2 |\n")}, {token("again")}}}
		v := New(context.Background(), m, Options{Tools: tools(t)})
		s := tui.New(v.script.theme, v)
		s.Update(tea.WindowSizeMsg{Width: width, Height: 36})
		drive(v, "go", "enter", strings.Repeat("line\n", 12), "enter", "ctrl+g", "/think sh", "f2")
		v.panel.seen = preview{before: "once", candidates: []candidate{{text: "a\x1b", model: 0.5, drawn: 0.75, known: true, chosen: true}, {text: "日本", model: 0.25, removed: "top_k"}, {text: "c", model: 0.1}}}
		golden(t, fmt.Sprintf("parts-%d.txt", width), s.View(), width)
		drive(v, "esc", "ctrl+u", "tab", "up")
		golden(t, fmt.Sprintf("turns-%d.txt", width), s.View(), width)
	}
}

// TestTextIsNoKey: what was pasted or typed fast is text, also if it reads like the name of a key.
func TestTextIsNoKey(t *testing.T) {
	m := answers("one")
	v := talkWith(m)
	for _, text := range []string{"enter", "tab", "pgup", "ctrl+l"} {
		settle(v, v.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(text)}))
	}
	settle(v, v.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("two\nlines"), Paste: true}))
	if got := v.input.Text(); got != "entertabpgupctrl+ltwo\nlines" || len(m.asked) != 0 {
		t.Fatalf("typed %q", got)
	}
	drive(v, "enter", "tab")
	settle(v, v.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("kke!")}))
	if got := v.input.Text(); got != "entertabpgupctrl+ltwo\nlines!" {
		t.Errorf("two turns up, then edit, and more: %q", got)
	}
}

// TestSizes draws every part at every small size: as many lines as there are, none too wide.
func TestSizes(t *testing.T) {
	for state, keys := range map[string][]string{"input": {"日本語 " + strings.Repeat("text ", 30)}, "hints": {"/"}, "turns": {"tab"}, "panel": {"f2"}, "list": {"/branch", "enter"},
		"edit": {"/edit", "enter"}, "help": {"/help", "enter"}} {
		m := &scripted{events: []source.Event{thought("hm"), token(hostile)}}
		v := New(context.Background(), m, Options{System: "日本語"})
		drive(v, "q", "enter", "ctrl+g")
		drive(v, keys...)
		for width := 2; width < 45; width += 3 {
			for height := 1; height < 14; height += 2 {
				lines := strings.Split(v.Render(width, height), "\n")
				if len(lines) != height {
					t.Fatalf("%s at %dx%d: %d lines", state, width, height, len(lines))
				}
				for _, line := range lines {
					if cells.Width(line) > max(width, 6) {
						t.Fatalf("%s at %dx%d: %q is %d wide", state, width, height, line, cells.Width(line))
					}
				}
			}
		}
	}
}

// TestRequestIsWhole: what is exported is what was asked.
func TestRequestIsWhole(t *testing.T) {
	m := answers("one")
	v := New(context.Background(), m, Options{Request: source.Request{Request: engine.Request{MaxTokens: 5, Stop: []string{"x"}}}, Tools: tools(t)})
	drive(v, "q", "enter")
	exported, err := v.talk().Write("json")
	if err != nil {
		t.Fatal(err)
	}
	asked := m.asked[0]
	body, err := asked.Body(m.Info().Sampling)
	if err != nil {
		t.Fatal(err)
	}
	var a, b any
	data, _ := json.Marshal(body)
	if json.Unmarshal(data, &a) != nil || json.Unmarshal([]byte(exported), &b) != nil || fmt.Sprint(a) != fmt.Sprint(b) {
		t.Errorf("exported %s, asked %s", exported, data)
	}
}
