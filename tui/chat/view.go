// Package chat is the view in which one talks to a model.
//
// The conversation is a tree of turns (package conversation) in a session (package session); the transcript shows the way to
// one of its leaves. Keys go to one of three places: the input, the turns, which are chosen to be said otherwise, or the
// panel of sampling parameters. A list to choose from lies over all of them.
package chat

import (
	"context"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/llamakit/llamakit/tui"
	"github.com/llamakit/llamakit/tui/cells"
	"github.com/llamakit/llamakit/tui/conversation"
	"github.com/llamakit/llamakit/tui/editor"
	"github.com/llamakit/llamakit/tui/picker"
	"github.com/llamakit/llamakit/tui/printable"
	"github.com/llamakit/llamakit/tui/session"
	"github.com/llamakit/llamakit/tui/source"
	"github.com/llamakit/llamakit/tui/theme"
	"github.com/llamakit/llamakit/tui/toolcall"
)

// Options are what a chat begins with.
type Options struct {
	Request  source.Request   // what every turn has in common
	System   string           // what the model of a new session is told first
	Session  *session.Session // one that goes on; nil: a new one
	Tools    toolcall.Tools
	Store    *session.Store   // nil: sessions are not kept
	History  *session.History // nil: what is typed is not kept
	Key      bool             // the server wants an API key
	Debugger bool             // there is a view called "debug"
	Mouse    bool             // the wheel scrolls
	Notes    []string         // shown first
}

// Name is that of the view, for tui.Open.
const Name = "chat"

// focus is where keys go.
type focus int

const (
	onInput focus = iota
	onTurns
	onPanel
)

// View is the chat view.
type View struct {
	ctx     context.Context // ends with the program
	source  source.Source
	options Options
	request source.Request // what every turn has in common, as it is now
	tools   toolcall.Tools
	session *session.Session

	script transcript
	input  editor.Editor
	asks   purpose // what the input is for
	hints  hints   // completions of a command
	focus  focus
	chosen int // the turn under the cursor, among entries of the transcript
	panel  panel
	pick   *picker.Picker // a list that lies over the view, or nil
	picked func(picker.Item) tea.Cmd

	running *stream // the answer that is being generated, or nil
	calling context.CancelFunc
	rounds  int // answers since the user said something
	meter   meter
	used    int // tokens of the conversation so far
	speed   string
	width   int // of the last drawing
}

// Run shows a chat, and the other views that can be gone to from it, until it is left.
func Run(ctx context.Context, s source.Source, o Options, others ...tui.View) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	v := New(ctx, s, o)
	var terminal []tea.ProgramOption
	if o.Mouse {
		terminal = append(terminal, tea.WithMouseCellMotion())
	}
	err := tui.Run(ctx, append([]tui.View{v}, others...), terminal...)
	if saved := v.keep(); err == nil {
		err = saved
	}
	return err
}

// New makes a chat.
func New(ctx context.Context, s source.Source, o Options) *View {
	v := &View{ctx: ctx, source: s, options: o, request: o.Request, tools: o.Tools, session: o.Session, script: newTranscript()}
	if v.session == nil {
		v.session = session.New(s.Info().Name, time.Now())
		v.session.System = o.System
	}
	if o.History != nil {
		v.input.Remember(o.History.Read())
	}
	for _, note := range o.Notes {
		v.note(note)
	}
	v.show()
	return v
}

// SetTheme sets the colours.
func (v *View) SetTheme(t theme.Theme) { v.script.theme = t }

func (v *View) tree() *conversation.Tree { return v.session.Tree }

// show makes the transcript that of the conversation that is looked at.
func (v *View) show() {
	v.script.show(v.session.System, v.tree())
	v.chosen = min(v.chosen, len(v.script.entries)-1)
	v.used = 0
	for _, turn := range v.tree().Path() {
		if m := turn.Made; m != nil {
			v.used = m.Prompt + m.Generated
		}
	}
}

// note shows a text that is not of the conversation.
func (v *View) note(text string) {
	after := 0
	if leaf := v.tree().Leaf(); leaf != nil {
		after = leaf.ID
	}
	v.script.note(after, text)
	v.script.show(v.session.System, v.tree())
	v.script.follow = true
}

// Name is how other views find this one.
func (v *View) Name() string { return Name }

// Title names the model, the server it is on, and the session.
func (v *View) Title() string {
	info := v.source.Info()
	title := "chat"
	if info.Name != "" {
		title = printable.Line(info.Name)
	}
	if info.Address != "" {
		title += " at " + printable.Line(info.Address)
	}
	if v.session.Title != "" {
		title += " · " + printable.Line(v.session.Title)
	}
	return title
}

// Typing says whether a question mark is text: it is the help only in an empty input line.
func (v *View) Typing() bool { return v.pick != nil || v.focus == onInput && v.input.Text() != "" }

// Takes says that Ctrl-D leads to the debugger, where there is one.
func (v *View) Takes(key string) bool { return key == "ctrl+d" && v.options.Debugger }

// Busy says whether an answer is being generated, or a tool at work.
func (v *View) Busy() bool { return v.running != nil || v.calling != nil }

// Stop ends the answer; what came of it stays.
func (v *View) Stop() {
	if v.running != nil {
		v.running.cancel()
	}
	if v.calling != nil {
		v.calling()
	}
}

// Init goes on with what a session was left in: a call that a command answers.
func (v *View) Init() tea.Cmd { return v.answerCalls() }

// Update handles keys and what comes from outside.
func (v *View) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		return editor.Each(msg, v.typing, v.key)
	case tea.MouseMsg:
		v.mouse(msg)
	case batch:
		return v.take(msg)
	case resultMsg:
		return v.takeResult(msg)
	case previewMsg:
		v.panel.take(msg)
	case failedMsg:
		v.note(msg.Error())
	}
	return nil
}

// failedMsg is the error of a command.
type failedMsg struct{ error }

// Render draws the transcript above the input, which takes as many lines as it has, to a third of the screen.
func (v *View) Render(width, height int) string {
	v.width = width
	if v.pick != nil {
		return v.pick.Render(width, height, v.script.theme)
	}
	below := v.below(width, height)
	if height <= len(below) {
		return v.upper(width, height)
	}
	return v.upper(width, height-len(below)) + "\n" + strings.Join(below, "\n")
}

// below is the input with the completions of a command above it.
func (v *View) below(width, height int) []string {
	if v.focus == onTurns {
		return []string{v.script.theme.Faint.Render(cells.Truncate(v.turnHint(), width))}
	}
	n := min(max(v.input.Height(width, v.look()), 1), max(height/3, 1))
	lines := v.hints.render(width, min(6, height/3), v.script.theme)
	return append(lines, cells.Block(v.input.Render(width, n, v.look()), n)...)
}

// look is how the input is drawn.
func (v *View) look() editor.Look {
	l := editor.Look{Prompt: "> ", Placeholder: "Message (Enter sends, Alt-Enter breaks the line, / for commands)",
		Dim: v.script.theme.Dim, Cursor: v.script.theme.Cursor}
	if v.asks.label != "" {
		l.Prompt, l.Placeholder = cells.Truncate(printable.Line(v.asks.label), v.width/2-2)+"> ", "Enter takes it, Esc leaves it"
	}
	if v.focus != onInput {
		l.Cursor = func(s string) string { return s }
	}
	return l
}
