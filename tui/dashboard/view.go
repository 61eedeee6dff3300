package dashboard

import (
	"context"
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/llamakit/llamakit/tui"
	"github.com/llamakit/llamakit/tui/editor"
	"github.com/llamakit/llamakit/tui/printable"
	"github.com/llamakit/llamakit/tui/scroll"
	"github.com/llamakit/llamakit/tui/theme"
)

// Every is how often a source is asked, and Patience how long it may take to answer.
const (
	every    = 250 * time.Millisecond
	patience = 5 * time.Second
)

// View is the dashboard as a view of the terminal program.
type View struct {
	source  Source
	theme   theme.Theme
	history history
	failed  error // the latest question's, nil when it was answered
	paused  bool
	busy    bool        // only slots with a request are shown
	list    scroll.List // of the slots that are shown
	look    bool        // into the slot under the cursor
}

// New makes a dashboard of a source.
func New(source Source) *View { return &View{source: source, theme: theme.Default()} }

// SetTheme sets the colours.
func (v *View) SetTheme(t theme.Theme) { v.theme = t }

// snapshotMsg is an answer of the source.
type snapshotMsg struct {
	snapshot *Snapshot
	err      error
	at       time.Time
}

// tickMsg says that it is time to ask again.
type tickMsg struct{}

// Init asks for the first time.
func (v *View) Init() tea.Cmd { return v.ask }

// ask is a command.
func (v *View) ask() tea.Msg {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	s, err := v.source.Snapshot(ctx)
	return snapshotMsg{s, err, time.Now()}
}

// Update takes answers and keys.
func (v *View) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case snapshotMsg:
		if v.failed = msg.err; msg.err == nil && !v.paused {
			v.history.add(msg.snapshot, msg.at)
		}
		return tea.Tick(every, func(time.Time) tea.Msg { return tickMsg{} })
	case tickMsg:
		return v.ask
	case tea.KeyMsg:
		return editor.Each(msg, v.Typing, v.key)
	}
	return nil
}

func (v *View) key(msg tea.KeyMsg) tea.Cmd {
	switch name := scroll.Arrow(editor.KeyName(msg)); name {
	case "p", " ":
		v.paused = !v.paused
	case "b":
		v.busy, v.list = !v.busy, scroll.List{}
	case "up", "down":
		v.list.Press(name, len(v.shown()), 1)
	case "home", "g":
		v.list.Cursor = 0
	case "enter":
		v.look = !v.look && v.inspector() != nil
	case "esc":
		v.look = false
	case "x":
		if slot := v.selected(); slot != nil && v.inspector() != nil {
			v.inspector().Cancel(slot.ID)
		}
	case "q":
		return tea.Quit
	}
	return nil
}

// inspector is the source where it can do more than tell, or nil.
func (v *View) inspector() Inspector {
	i, _ := v.source.(Inspector)
	return i
}

// shown lists the slots that are not filtered out.
func (v *View) shown() []Slot {
	if v.history.latest == nil {
		return nil
	}
	if !v.busy {
		return v.history.latest.Slots
	}
	var busy []Slot
	for _, slot := range v.history.latest.Slots {
		if slot.Busy {
			busy = append(busy, slot)
		}
	}
	return busy
}

// selected is the slot under the cursor, or nil.
func (v *View) selected() *Slot {
	shown := v.shown()
	if len(shown) == 0 {
		return nil
	}
	v.list.Cursor = min(v.list.Cursor, len(shown)-1)
	return &shown[v.list.Cursor]
}

// Title is the model and where it is.
func (v *View) Title() string {
	if v.history.latest == nil {
		return "dashboard · " + printable.Line(v.source.Name())
	}
	return fmt.Sprintf("%s · %s", printable.Line(v.history.latest.Model), printable.Line(v.source.Name()))
}

// Status says what is shown, or why nothing new is.
func (v *View) Status() string {
	switch {
	case v.failed != nil:
		return "no answer: " + printable.Line(v.failed.Error())
	case v.paused:
		return "paused (p goes on)"
	case v.busy:
		return "busy slots only (b shows all)"
	}
	if v.inspector() != nil {
		return "p pause  b busy slots  ↑↓ choose  enter look  x stop an answer  q leave"
	}
	return "p pause  b busy slots  ↑↓ choose  q leave"
}

// Keys lists the keys.
func (v *View) Keys() []tui.Key {
	keys := []tui.Key{{Name: "p", Does: "pause the display, and go on"}, {Name: "b", Does: "only slots that have a request, or all"},
		{Name: "↑ ↓", Does: "choose a slot"}}
	if v.inspector() != nil {
		keys = append(keys, tui.Key{Name: "enter", Does: "look into the slot: its prompt and its answer; again to close"},
			tui.Key{Name: "x", Does: "stop the slot's answer"})
	}
	return append(keys, tui.Key{Name: "q", Does: "leave"})
}

// Typing is false: no key is text.
func (v *View) Typing() bool { return false }

// Busy is false: there is nothing to stop.
func (v *View) Busy() bool { return false }

// Stop does nothing.
func (v *View) Stop() {}
