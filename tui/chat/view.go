// Package chat is the view in which one talks to a model.
package chat

import (
	"context"
	"fmt"
	"iter"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/llamakit/llamakit/engine"
	enginechat "github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/tui"
	"github.com/llamakit/llamakit/tui/cells"
	"github.com/llamakit/llamakit/tui/editor"
	"github.com/llamakit/llamakit/tui/printable"
	"github.com/llamakit/llamakit/tui/theme"
)

// Model is what the view needs of an engine.
type Model interface {
	Generate(ctx context.Context, r engine.Request) iter.Seq2[engine.Event, error]
	Info() engine.Info
}

// View is the chat view.
type View struct {
	ctx      context.Context // ends with the program
	model    Model
	request  engine.Request // what every turn has in common
	messages []enginechat.Message

	script  transcript
	input   editor.Editor
	running *stream // the answer that is being generated, or nil
	meter   meter
	used    int // tokens of the conversation so far
	speed   string
}

// Run shows a chat with m until it is left. Notes are shown first.
func Run(ctx context.Context, m Model, request engine.Request, begin []enginechat.Message, notes ...string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	return tui.Run(ctx, []tui.View{New(ctx, m, request, begin, notes...)})
}

// New makes a chat that begins with the given messages.
func New(ctx context.Context, m Model, request engine.Request, begin []enginechat.Message, notes ...string) *View {
	v := &View{ctx: ctx, model: m, request: request, messages: begin, script: transcript{theme: theme.Default(), follow: true}}
	for _, note := range notes {
		v.script.add(entry{role: "note", text: note})
	}
	for _, msg := range begin {
		v.script.add(entry{role: msg.Role, text: msg.Content})
	}
	return v
}

// SetTheme sets the colours.
func (v *View) SetTheme(t theme.Theme) { v.script.theme = t }

// Title names the model.
func (v *View) Title() string {
	if name := v.model.Info().Name; name != "" {
		return printable.Line(name)
	}
	return "chat"
}

// Status shows the context's use and the speed.
func (v *View) Status() string {
	context := v.model.Info().Context
	used := min(v.used, context) // a shifted context forgets
	s := fmt.Sprintf("%d of %d tokens (%d%%)", used, context, 100*used/max(context, 1))
	if v.speed != "" {
		s += "  " + v.speed
	}
	if v.running != nil {
		s += "  Esc stops"
	}
	return s
}

// Keys lists the view's keys.
func (v *View) Keys() []tui.Key {
	return []tui.Key{{Name: "Enter", Does: "send the message"}, {Name: "Alt-Enter", Does: "new line (also Ctrl-J)"}, {Name: "Esc", Does: "stop the answer"},
		{Name: "PgUp, PgDn", Does: "scroll (Shift-Up, Shift-Down: by a line; Ctrl-Home, Ctrl-End: to the ends)"}, {Name: "Ctrl-R", Does: "show or fold the reasoning"}, {Name: "Ctrl-L", Does: "begin anew"}}
}

// Typing says whether a question mark is text: it is the help only in an empty input line.
func (v *View) Typing() bool { return v.input.Text() != "" }

// Busy says whether an answer is being generated.
func (v *View) Busy() bool { return v.running != nil }

// Stop ends the answer; what came of it stays.
func (v *View) Stop() {
	if v.running != nil {
		v.running.cancel()
	}
}

// Init does nothing: the view waits for a message.
func (v *View) Init() tea.Cmd { return nil }

// Update handles keys and the events of an answer.
func (v *View) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		return v.key(msg)
	case batch:
		return v.take(msg)
	}
	return nil
}

func (v *View) key(msg tea.KeyMsg) tea.Cmd {
	switch msg.String() {
	case "enter":
		return v.send()
	case "esc":
		v.Stop()
	case "pgup":
		v.script.scroll(-v.script.page())
	case "pgdown":
		v.script.scroll(v.script.page())
	case "shift+up":
		v.script.scroll(-1)
	case "shift+down":
		v.script.scroll(1)
	case "ctrl+home":
		v.script.toStart()
	case "ctrl+end":
		v.script.toEnd()
	case "ctrl+r":
		v.script.unfold = !v.script.unfold
	case "ctrl+l":
		v.clear()
	default:
		v.input.Press(msg)
	}
	return nil
}

// clear forgets the conversation, but for the system message.
func (v *View) clear() {
	if v.running != nil {
		return
	}
	kept := v.messages[:0]
	v.script.clear()
	v.used, v.speed = 0, ""
	for _, m := range v.messages {
		if m.Role == "system" {
			kept = append(kept, m)
			v.script.add(entry{role: m.Role, text: m.Content})
		}
	}
	v.messages = kept
}

// send submits the input. The answer's events arrive as messages.
func (v *View) send() tea.Cmd {
	if strings.TrimSpace(v.input.Text()) == "" || v.running != nil {
		return nil
	}
	text := v.input.Take()
	v.messages = append(v.messages, enginechat.Message{Role: "user", Content: text})
	v.script.add(entry{role: "user", text: text})
	v.script.add(entry{role: "assistant"})
	v.script.follow = true
	r := v.request
	r.Messages = append([]enginechat.Message(nil), v.messages...)
	v.meter, v.speed = meter{}, ""
	v.running = newStream(v.ctx, v.model, r)
	return v.running.next
}

// take adds what came since the last frame.
func (v *View) take(b batch) tea.Cmd {
	last := v.script.last()
	last.text += b.text
	last.reasoning += b.reasoning
	v.used = max(v.used, b.prompt)
	v.used += b.tokens
	if speed := v.meter.add(b); speed > 0 {
		v.speed = fmt.Sprintf("generation %.1f t/s", speed)
	}
	if !b.done {
		return v.running.next
	}
	v.running.cancel()
	v.running = nil
	last.finished = true
	if b.err != nil {
		last.err = b.err.Error()
	}
	if r := b.result; r != nil {
		v.used = r.PromptTokens + r.GeneratedTokens
		v.speed = fmt.Sprintf("prompt %.1f t/s, generation %.1f t/s, %s", r.PromptSpeed(), r.GenerateSpeed(), r.Stop)
	}
	if last.text != "" || last.reasoning != "" {
		v.messages = append(v.messages, enginechat.Message{Role: "assistant", Content: last.text, Reasoning: last.reasoning})
	} else { // nothing came: the question may be asked again
		v.messages = v.messages[:len(v.messages)-1]
	}
	return nil
}

// look is how the input is drawn.
func (v *View) look() editor.Look {
	return editor.Look{Prompt: "> ", Placeholder: "Message (Enter sends, Alt-Enter breaks the line)",
		Dim: func(s string) string { return v.script.theme.Faint.Render(s) }, Cursor: v.script.theme.Cursor}
}

// Render draws the transcript above the input, which takes as many lines as it has, to a third of the screen.
func (v *View) Render(width, height int) string {
	n := min(max(v.input.Height(width, v.look()), 1), max(height/3, 1))
	if height <= n+1 {
		return v.script.render(width, height)
	}
	return v.script.render(width, height-n) + "\n" + strings.Join(cells.Block(v.input.Render(width, n, v.look()), n), "\n")
}
