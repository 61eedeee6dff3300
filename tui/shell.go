// Package tui is the terminal program: one bubbletea program that hosts views.
//
// A View draws itself into a rectangle and handles messages; the Shell around it owns the screen: size, title and status
// lines, the help overlay, switching between views, the end. Update does no I/O and commands change no state; what a view
// wants to know from outside comes back as a message. Text from outside goes through package printable before it is
// drawn, and is measured by package cells.
package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/llamakit/llamakit/tui/cells"
	"github.com/llamakit/llamakit/tui/theme"
)

// View is one face of the program.
type View interface {
	// Title is the view's name, for the first line.
	Title() string
	// Status is a line about what goes on, for the last line.
	Status() string
	// Init takes the colours and returns the view's first command, or nil.
	Init(t theme.Theme) tea.Cmd
	// Update handles a message and returns what to do next. Of a key it says whether it took it: what it leaves is the
	// shell's, a question mark that is no text for example, or Ctrl-C when nothing is there to stop.
	Update(msg tea.Msg) (cmd tea.Cmd, taken bool)
	// Render draws the view: height lines of at most width cells.
	Render(width, height int) string
	// Keys lists the keys that the view knows, for the help.
	Keys() []Key
	// Close ends what the view has started. It is called once, when the program is left.
	Close()
}

// Key is one line of the help.
type Key struct{ Name, Does string }

// shellKeys are those that work in every view.
var shellKeys = []Key{{"?, F1", "this help"}, {"Ctrl-Z", "suspend"}, {"Ctrl-C, Ctrl-D", "leave"}}

// Shell is the bubbletea model.
type Shell struct {
	theme         theme.Theme
	views         []View
	active        int
	width, height int
	help          bool

	crash error  // what a view panicked with
	quit  func() // ends the program from outside of Update
}

// New makes a shell around views, at least one; the first is shown first.
func New(t theme.Theme, views ...View) *Shell {
	return &Shell{theme: t, views: views, quit: func() {}}
}

func (s *Shell) view() View { return s.views[s.active] }

// Init starts all views.
func (s *Shell) Init() tea.Cmd {
	var cmds []tea.Cmd
	for _, v := range s.views {
		cmds = append(cmds, v.Init(s.theme))
	}
	return tea.Batch(cmds...)
}

// Update offers a key to the active view, then to the shell; every other message goes to all views.
func (s *Shell) Update(msg tea.Msg) (model tea.Model, cmd tea.Cmd) {
	defer func() {
		if s.recovered(recover()) {
			model, cmd = s, tea.Quit
		}
	}()
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.width, s.height = msg.Width, msg.Height
	case tea.KeyMsg:
		return s, s.press(msg)
	}
	var cmds []tea.Cmd
	for _, v := range s.views {
		cmd, _ := v.Update(msg)
		cmds = append(cmds, cmd)
	}
	return s, tea.Batch(cmds...)
}

func (s *Shell) press(k tea.KeyMsg) tea.Cmd {
	name := k.String()
	if s.help && name != "ctrl+c" { // any key closes the help
		s.help = false
		return nil
	}
	if cmd, taken := s.view().Update(k); taken {
		return cmd
	}
	switch name {
	case "ctrl+c", "ctrl+d":
		return tea.Quit
	case "ctrl+z":
		return tea.Suspend
	case "?", "f1":
		s.help = true
	case "f2":
		s.active = (s.active + 1) % len(s.views)
	}
	return nil
}

// View draws the screen: title, view, status. A terminal of less than 4 lines shows the view alone.
func (s *Shell) View() (screen string) {
	defer func() {
		if s.recovered(recover()) {
			screen = ""
			go s.quit()
		}
	}()
	if s.width == 0 || s.height == 0 {
		return ""
	}
	if s.height < 4 {
		return s.view().Render(s.width, s.height)
	}
	body := s.helpText(s.height - 2)
	if !s.help {
		body = s.view().Render(s.width, s.height-2)
	}
	return s.titleLine() + "\n" + body + "\n" + s.theme.Status.Render(cells.Fit(s.view().Status(), s.width))
}

func (s *Shell) titleLine() string {
	names := make([]string, len(s.views))
	for i, v := range s.views {
		names[i] = v.Title()
	}
	if len(s.views) == 1 {
		return s.theme.Title.Render(cells.Ends(names[0], "F1 help", s.width))
	}
	for i := range names {
		style := s.theme.Tab
		if i == s.active {
			style, names[i] = s.theme.Title, "["+names[i]+"]"
		}
		names[i] = style.Render(names[i])
	}
	return cells.Ends(strings.Join(names, "  "), s.theme.Tab.Render("F1 help"), s.width)
}

func (s *Shell) helpText(height int) string {
	keys := append(s.view().Keys(), shellKeys...)
	if len(s.views) > 1 {
		keys = append(keys, Key{"F2", "next view"})
	}
	column := min(18, s.width/2)
	lines := []string{""}
	for _, k := range keys {
		does := cells.Wrap(k.Does, s.width-column)
		lines = append(lines, s.theme.Key.Render(cells.Fit(" "+k.Name, column))+does[0])
		for _, more := range does[1:] {
			lines = append(lines, strings.Repeat(" ", column)+more)
		}
	}
	return strings.Join(cells.Block(lines, height), "\n")
}
