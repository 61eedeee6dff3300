package debug

import (
	"context"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/debug"
	"github.com/llamakit/llamakit/tui"
	"github.com/llamakit/llamakit/tui/editor"
	"github.com/llamakit/llamakit/tui/printable"
	"github.com/llamakit/llamakit/tui/scroll"
	"github.com/llamakit/llamakit/tui/source"
	"github.com/llamakit/llamakit/tui/theme"
)

// Options say what the view begins with.
type Options struct {
	Input debug.Input  // what is debugged first
	Run   *debug.Run   // a run to begin with, for example a replayed one
	Other debug.Runner // a model to compare with, or nil
	A     *debug.Run   // a run to compare with, or nil
	Keep  debug.Options
	Start bool // the input is run at once
	// Save writes a recording under a name; nil: runs cannot be saved.
	Save func(name string, run *debug.Run) error
	// Back is the view that q and Esc lead to; "": q leaves the program.
	Back string
}

// Name is what tui.Show finds the view by. It may be shown with an Input, or with a source.Request of another view.
const Name = "debug"

// paneID is one of the faces of the view.
type paneID int

const (
	templatePane paneID = iota
	tokensPane
	alternativesPane
	whyPane
	comparePane
	panes
)

var paneNames = [panes]string{"Template", "Tokens", "Alternatives", "Why", "Compare"}

// View is the debugger as a view of the terminal program.
type View struct {
	ctx     context.Context // ends with the program
	runner  debug.Runner
	options Options
	theme   theme.Theme

	pane    paneID
	input   debug.Input
	parts   parts
	preview preview
	work    *work  // what runs, or nil
	failed  error  // of what ran last
	said    string // what happened last, for the status line
	asks    *prompt

	tree   *debug.Tree // of the latest run and its branches, or nil
	shown  *debug.Tree // the one that is looked at
	tokens tokenList
	choice scroll.List // of candidates
	why    whyState
	diff   compareState
}

// New makes the view. ctx ends what it runs.
func New(ctx context.Context, r debug.Runner, o Options) *View {
	v := &View{ctx: ctx, runner: r, options: o, theme: theme.Default(), input: o.Input}
	v.diff.a = o.A
	v.parts.read(&v.input, r.TemplateSource())
	if o.Run != nil {
		v.adopt(o.Run)
		v.input = o.Run.Input
		v.parts.read(&v.input, r.TemplateSource())
		v.pane = tokensPane
	}
	return v
}

// SetTheme sets the colours.
func (v *View) SetTheme(t theme.Theme) { v.theme = t }

// Name is the name that tui.Show finds the view by.
func (v *View) Name() string { return Name }

// Title names the model.
func (v *View) Title() string {
	m := v.runner.Model()
	name := m.Name
	if name == "" {
		name = m.File
	}
	return "debug · " + printable.Line(name)
}

// Init renders the prompt, and runs it where that is asked for.
func (v *View) Init() tea.Cmd {
	if v.options.Start {
		v.pane = tokensPane
		return tea.Batch(v.render(), v.run())
	}
	return v.render()
}

// Update takes keys, and what commands found out.
func (v *View) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		return editor.Each(msg, v.Typing, v.key)
	case tui.Show:
		return v.show(msg.With)
	case renderedMsg:
		v.preview.take(msg)
	case progressMsg:
		return v.progress(msg)
	case grammarMsg:
		v.why.take(msg)
	case sweepMsg, divergedMsg, savedMsg:
		v.finished(msg)
	}
	return nil
}

// show begins with what another view hands over.
func (v *View) show(with any) tea.Cmd {
	var in debug.Input
	switch with := with.(type) {
	case debug.Input:
		in = with
	case source.Request:
		var err error
		if in, err = inputOf(with); err != nil {
			v.failed = err
			return nil
		}
	default:
		return nil
	}
	v.Stop()
	v.work = nil // what is under way is left behind
	v.input, v.pane, v.tree, v.shown, v.tokens = in, templatePane, nil, nil, tokenList{}
	v.parts.read(&v.input, v.runner.TemplateSource())
	return v.render()
}

// Takes says that Ctrl-D leads back to where the view was opened from.
func (v *View) Takes(key string) bool { return key == "ctrl+d" && v.options.Back != "" && !v.Typing() }

// Typing says that keys are text: a part is being edited, or a name asked for.
func (v *View) Typing() bool { return v.parts.editing() || v.asks != nil }

// Busy says that something runs; Stop ends it.
func (v *View) Busy() bool { return v.work != nil }

// Stop ends what runs; what came of it stays.
func (v *View) Stop() {
	if v.work != nil {
		v.work.cancel()
	}
}

// current is the run that is looked at, or nil.
func (v *View) current() *debug.Run {
	if v.shown == nil {
		return nil
	}
	return v.shown.Run
}

// adopt makes a run the root of a new tree.
func (v *View) adopt(run *debug.Run) {
	v.tree = &debug.Tree{Run: run}
	v.shown = v.tree
	v.tokens.reset(run)
	v.choice = scroll.List{}
}

// Status says what goes on, or what the keys of the pane are.
func (v *View) Status() string {
	switch {
	case v.asks != nil:
		return "Enter takes it, Esc does not"
	case v.failed != nil:
		return "error: " + printable.Line(v.failed.Error())
	case v.work != nil:
		return v.work.status() + "  Esc stops"
	case v.said != "":
		return v.said
	}
	return v.hint()
}

func (v *View) hint() string {
	if v.parts.editing() {
		return "Esc ends editing, Enter begins a line, Ctrl-G goes to a template's fault"
	}
	return [panes]string{
		"↑↓ part  e edit  a add  x delete  t role  v two templates  g run  Tab next pane",
		"↑↓ token  n next surprise  Enter alternatives  g run  s save  Tab next pane",
		"←→ token  ↑↓ candidate  Enter go on from it  [ ] branches  Tab next pane",
		"←→ token  g run  s save  Tab next pane",
		"m keep as A  w seeds 1 to 8  o other model  [ ] branches  Tab next pane",
	}[v.pane]
}

// Keys lists the keys.
func (v *View) Keys() []tui.Key {
	keys := []tui.Key{
		{Name: "Tab, 1-5", Does: "next pane, or the pane of this number"},
		{Name: "g", Does: "run the input"},
		{Name: "Esc", Does: "stop what runs; end editing"},
		{Name: "s", Does: "save the run as a recording"},
		{Name: "[ ]", Does: "the branch before or after"},
		{Name: "e, Enter", Does: "Template: edit the part"},
		{Name: "a, x, t", Does: "Template: add a message, delete it, change its role"},
		{Name: "Ctrl-G", Does: "Template, while editing one: go to where it is wrong"},
		{Name: "v", Does: "Template: what the model's template and the edited one make of it, side by side"},
		{Name: "↑ ↓ ← →", Does: "choose a part, a token, a candidate"},
		{Name: "n, N", Does: "Tokens: the next, or previous, token that was unlikely"},
		{Name: "Enter", Does: "Alternatives: go on from the candidate: a branch"},
		{Name: "m", Does: "keep this run as A, to compare others with"},
		{Name: "w", Does: "Compare: run the input with the seeds 1 to 8"},
	}
	if v.options.Other != nil {
		keys = append(keys, tui.Key{Name: "o", Does: "Compare: run the input on the other model, and measure how far apart they are"})
	}
	if v.options.Back != "" {
		return append(keys, tui.Key{Name: "q", Does: "back"})
	}
	return append(keys, tui.Key{Name: "q", Does: "leave"})
}

// branch goes on from the candidate under the cursor.
func (v *View) branch() tea.Cmd {
	run, at := v.current(), v.tokens.answer()
	if run == nil || at < 0 || v.work != nil {
		return nil
	}
	c, ok := v.candidate()
	if !ok {
		return nil
	}
	parent := v.shown
	return v.start(fmt.Sprintf("going on from %q", c.Text), func(ctx context.Context, watch func(debug.Run)) (*debug.Run, error) {
		return v.runner.Branch(ctx, run, at, engine.Token(c.ID), watch)
	}, func(r *debug.Run) { v.shown = parent.Add(r, at) })
}
