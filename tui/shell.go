// Package tui is the terminal program: one bubbletea program that hosts views.
//
// A View draws itself into a rectangle and handles messages; the shell around it owns the screen: size, title and status
// lines, the help overlay, the end. Update does no I/O and commands change no state; what a view wants to know from outside
// comes back as a message. Text from outside goes through package printable before it is drawn, and is measured by package
// cells.
package tui

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/llamakit/llamakit/tui/cells"
	"github.com/llamakit/llamakit/tui/editor"
	"github.com/llamakit/llamakit/tui/quiet"
	"github.com/llamakit/llamakit/tui/scroll"
	"github.com/llamakit/llamakit/tui/theme"
)

func init() { quiet.Done() } // bubbletea, which this package imports, has been initialised

// View is one face of the program.
type View interface {
	// Title is the view's name, for the first line.
	Title() string
	// Status is a line about what goes on, for the last line.
	Status() string
	// Init returns the view's first command, or nil.
	Init() tea.Cmd
	// Update handles a message and returns what to do next.
	Update(msg tea.Msg) tea.Cmd
	// Render draws the view: height lines of at most width cells.
	Render(width, height int) string
	// Keys lists the keys that the view knows, for the help.
	Keys() []Key
	// Typing says that printable keys are text, so that the shell must not take them.
	Typing() bool
	// Busy says that something can be stopped; Stop stops it.
	Busy() bool
	Stop()
}

// Show is a message to the shell: it brings up the view of a name, which gets the message too. A view makes it with Open.
type Show struct {
	Name string
	With any // what the two views agree on, for example a request to look into
}

// Open is a command that brings up another view.
func Open(name string, with any) tea.Cmd { return func() tea.Msg { return Show{name, with} } }

// Named is a view that Show can find.
type Named interface{ Name() string }

// Taker is a view that wants keys which are the shell's elsewhere, such as Ctrl-D.
type Taker interface{ Takes(key string) bool }

// Clipboard is a message to the shell: the terminal is asked to put this text on its clipboard (OSC 52).
type Clipboard string

// Copy is a command that copies text.
func Copy(text string) tea.Cmd { return func() tea.Msg { return Clipboard(text) } }

// Key is one line of the help.
type Key struct{ Name, Does string }

// shellKeys are those that work in every view.
var shellKeys = []Key{{"?, F1", "this help"}, {"Ctrl-Z", "suspend"}, {"Ctrl-C", "stop what runs, or leave"}, {"Ctrl-D", "leave"}}

// Shell is the bubbletea model. It shows one of its views at a time; every view gets the messages that are not keys.
type Shell struct {
	views         []View
	active        int
	theme         theme.Theme
	width, height int
	help          bool
	helpAt        scroll.Text
	out           io.Writer // where Clipboard is written; nil: nowhere
}

// New makes a shell around views; the first is shown.
func New(t theme.Theme, views ...View) *Shell { return &Shell{views: views, theme: t} }

func (s *Shell) view() View { return s.views[s.active] }

// Init starts the views.
func (s *Shell) Init() tea.Cmd {
	var cmds []tea.Cmd
	for _, v := range s.views {
		cmds = append(cmds, v.Init())
	}
	return tea.Batch(cmds...)
}

// Update handles what concerns the whole program and passes the rest on.
func (s *Shell) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.width, s.height = msg.Width, msg.Height
	case tea.KeyMsg:
		if cmd, taken := s.key(msg); taken {
			return s, cmd
		}
		return s, s.view().Update(msg)
	case tea.MouseMsg:
		return s, s.view().Update(msg)
	case Show:
		return s, s.show(msg)
	case Clipboard:
		return s, s.copy(string(msg))
	}
	var cmds []tea.Cmd
	for _, v := range s.views {
		cmds = append(cmds, v.Update(msg))
	}
	return s, tea.Batch(cmds...)
}

func (s *Shell) find(name string) int {
	return slices.IndexFunc(s.views, func(v View) bool {
		n, ok := v.(Named)
		return ok && n.Name() == name
	})
}

func (s *Shell) show(msg Show) tea.Cmd {
	i := s.find(msg.Name)
	if i < 0 {
		return nil
	}
	s.active, s.help = i, false
	return s.view().Update(msg)
}

// maxCopied is how much is copied at most: terminals drop longer sequences.
const maxCopied = 1 << 20

// copy is a command, since writing may block.
func (s *Shell) copy(text string) tea.Cmd {
	if s.out == nil || len(text) > maxCopied {
		return nil
	}
	return func() tea.Msg {
		_, _ = io.WriteString(s.out, "\x1b]52;c;"+base64.StdEncoding.EncodeToString([]byte(text))+"\a") // a terminal that is gone ends the program elsewhere
		return nil
	}
}

func (s *Shell) key(msg tea.KeyMsg) (cmd tea.Cmd, taken bool) {
	taker, _ := s.view().(Taker)
	switch key := editor.KeyName(msg); {
	case s.help && s.helpAt.Press(key, len(s.helpLines()), s.height-2):
		return nil, true
	case key == "ctrl+c" && s.view().Busy():
		s.view().Stop()
		return nil, true
	case taker != nil && !s.help && taker.Takes(key):
		return nil, false
	case key == "ctrl+c", key == "ctrl+d" && !s.view().Typing():
		return tea.Quit, true
	case key == "ctrl+z":
		return tea.Suspend, true
	case key == "ctrl+n" && len(s.views) > 1:
		s.active = (s.active + 1) % len(s.views)
		return nil, true
	case key == "f1" || key == "?" && !s.view().Typing():
		s.help, s.helpAt = !s.help, scroll.Text{}
		return nil, true
	case s.help:
		s.help = false // any key closes it
		return nil, true
	}
	return nil, false
}

// View draws the screen.
func (s *Shell) View() string {
	if s.width == 0 || s.height == 0 {
		return ""
	}
	if s.height < 4 {
		return s.view().Render(s.width, s.height)
	}
	title := s.theme.Title.Render(cells.Ends(s.view().Title(), "F1 help", s.width))
	body := s.view().Render(s.width, s.height-2)
	if s.help {
		body = s.helpText(s.height - 2)
	}
	status := s.theme.Status.Render(cells.Fit(s.view().Status(), s.width))
	return title + "\n" + body + "\n" + status
}

func (s *Shell) helpText(height int) string {
	lines := s.helpLines()
	from, to := s.helpAt.Window(len(lines), height)
	shown := cells.Block(lines[from:to], height)
	if to < len(lines) {
		shown = append(shown[:height-1:height-1], s.theme.Faint.Render(cells.Truncate("  ↓ more (Down, PgDn)", s.width)))
	}
	return strings.Join(shown, "\n")
}

func (s *Shell) helpLines() (lines []string) {
	taker, _ := s.view().(Taker)
	keys := slices.Clone(s.view().Keys())
	for _, k := range shellKeys {
		if taker == nil || !taker.Takes(strings.ToLower(strings.ReplaceAll(k.Name, "-", "+"))) {
			keys = append(keys, k)
		}
	}
	if len(s.views) > 1 {
		keys = append(keys, Key{"Ctrl-N", "next view"})
	}
	column := min(20, s.width/2)
	for _, k := range keys {
		name := s.theme.Key.Render(cells.Fit("  "+k.Name, column-1)) + " "
		for _, line := range cells.Wrap(k.Does, s.width-column) {
			lines = append(lines, cells.Truncate(name+line, s.width))
			name = strings.Repeat(" ", column)
		}
	}
	return lines
}

// Themed is a view that wants to know the colours.
type Themed interface{ SetTheme(theme.Theme) }

// FPS is how often the screen is drawn in a second at most. The clock of the drawing runs always, so this is what an idle
// program costs: half a percent of a slow core.
const FPS = 30

// Frame is the least time between two drawings: what comes faster, such as tokens, is best handed over together.
const Frame = time.Second / FPS

// Run shows views on the terminal until they are left or ctx ends. The screen is restored at the end, also when Update or
// Render panics; what views do in goroutines of their own must recover by itself.
func Run(ctx context.Context, views []View, options ...tea.ProgramOption) error {
	t := theme.Default()
	t.Cursor = theme.Reverse
	for _, v := range views {
		if themed, ok := v.(Themed); ok {
			themed.SetTheme(t)
		}
		defer v.Stop()
	}
	outer := ctx
	ctx, finish := onQuit(ctx)
	defer finish()
	shell := New(t, views...)
	shell.out = os.Stdout
	jobs := newJobs()
	options = append([]tea.ProgramOption{tea.WithContext(ctx), tea.WithAltScreen(), tea.WithoutSignalHandler(), tea.WithFPS(FPS), jobs.option()}, options...)
	program := tea.NewProgram(shell, options...)
	go jobs.watch(ctx, program)
	_, err := program.Run()
	if errors.Is(err, tea.ErrProgramKilled) && outer.Err() != nil {
		return outer.Err()
	}
	return err
}
