package chat

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/tui/conversation"
	"github.com/llamakit/llamakit/tui/export"
	"github.com/llamakit/llamakit/tui/toolcall"
)

// command is what a line that begins with a slash does.
type command struct {
	name, args, does string
	run              func(v *View, argument string) tea.Cmd
	complete         func(v *View) []hint // of the argument
	busy             bool                 // it works while an answer comes
}

// commands are listed in the order of the help. They are set by init, since the help reads them.
var commands []command

func init() {
	commands = []command{
		{name: "help", does: "the commands", run: (*View).help, busy: true},
		{name: "system", args: "[TEXT]", does: "what the model is told first: edit it, or set it", run: (*View).system},
		{name: "edit", args: "[N]", does: "say turn N otherwise, or your last message", run: onTurn("user", func(v *View, t *conversation.Turn) tea.Cmd { v.edit(t); return nil })},
		{name: "regen", args: "[N]", does: "ask for turn N again, or for the last answer", run: (*View).regen},
		{name: "branch", args: "[N]", does: "the branches: choose one, or go to number N of the last turn that has some", run: (*View).branch},
		{name: "sampler", args: "[NAME VALUE]", does: "sampling: show the panel, or set a parameter", run: (*View).sampler, complete: knobHints, busy: true},
		{name: "think", args: "on|off|auto|show|fold", does: "ask for reasoning or against it; show it or fold it", run: (*View).think,
			complete: words("on", "off", "auto", "show", "fold"), busy: true},
		{name: "tools", args: "[FILE]", does: "the tools; read their definitions from a file, - for none", run: (*View).useTools},
		{name: "save", args: "FILE", does: "write the session with all branches into a file", run: needs("a file", (*View).saveAs)},
		{name: "load", args: "[ID|FILE]", does: "go on with a session, or a file of one", run: (*View).loadOrChoose, complete: sessionHints},
		{name: "export", args: "FORMAT [FILE]", does: "the conversation or its request: " + strings.Join(export.Names(), ", "), run: (*View).exportAs, complete: exportHints, busy: true},
		{name: "copy", args: "[N|code]", does: "copy turn N, the last answer, or the last block of code", run: (*View).copyWhat, complete: words("code"), busy: true},
		{name: "title", args: "TEXT", does: "name the session", run: needs("a title", func(v *View, text string) tea.Cmd { v.session.Title = text; return v.save() })},
		{name: "clear", does: "begin a new session", run: func(v *View, _ string) tea.Cmd { return v.begin() }},
		{name: "debug", does: "look into the prompt with the debugger", run: (*View).debugOrSay},
		{name: "quit", does: "leave", run: func(*View, string) tea.Cmd { return tea.Quit }, busy: true},
	}
}

// isCommand tells a command from a message; one that begins with two slashes is a message that begins with one.
func isCommand(text string) bool {
	return strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "//")
}

// findCommand finds a command by its name, or the beginning of one that fits no other.
func findCommand(name string) (found command, err error) {
	n := 0
	for _, c := range commands {
		if c.name == name {
			return c, nil
		}
		if name != "" && strings.HasPrefix(c.name, name) {
			found, n = c, n+1
		}
	}
	switch n {
	case 0:
		return command{}, fmt.Errorf("there is no command /%s; /help lists them, // begins a message with a slash", name)
	case 1:
		return found, nil
	}
	return command{}, fmt.Errorf("%d commands begin with /%s", n, name)
}

// command runs a line.
func (v *View) command(line string) tea.Cmd {
	name, argument, _ := strings.Cut(strings.TrimSpace(line[1:]), " ")
	c, err := findCommand(name)
	switch {
	case err != nil:
		v.note(err.Error())
		return nil
	case v.Busy() && !c.busy:
		v.note("/" + c.name + " has to wait for the answer; Esc stops it")
		return nil
	}
	return c.run(v, strings.TrimSpace(argument))
}

func (v *View) help(string) tea.Cmd {
	var b strings.Builder
	for _, c := range commands {
		fmt.Fprintf(&b, "/%s\t%s\n", strings.TrimSpace(c.name+" "+c.args), c.does)
	}
	v.note(b.String() + "F1 or ? shows the keys. Turns are numbered from 1 on.")
	return nil
}

// needs is a command with an argument that must be there.
func needs(what string, run func(*View, string) tea.Cmd) func(*View, string) tea.Cmd {
	return func(v *View, argument string) tea.Cmd {
		if argument == "" {
			v.note("the command wants " + what)
			return nil
		}
		return run(v, argument)
	}
}

// turn is the one of a number; without one the last of a role.
func (v *View) turn(argument, role string) (*conversation.Turn, error) {
	if argument == "" {
		if turn := v.lastOf(role); turn != nil {
			return turn, nil
		}
		return nil, fmt.Errorf("there is no such turn yet")
	}
	path := v.tree().Path()
	n, err := strconv.Atoi(argument)
	if err != nil || n < 1 || n > len(path) {
		return nil, fmt.Errorf("there is no turn %s; there are %d", argument, len(path))
	}
	return path[n-1], nil
}

// onTurn is a command about a turn.
func onTurn(role string, run func(*View, *conversation.Turn) tea.Cmd) func(*View, string) tea.Cmd {
	return func(v *View, argument string) tea.Cmd {
		turn, err := v.turn(argument, role)
		if err != nil {
			v.note(err.Error())
			return nil
		}
		return run(v, turn)
	}
}

func (v *View) regen(argument string) tea.Cmd {
	if argument == "" {
		return v.again()
	}
	return onTurn("assistant", (*View).regenerate)(v, argument)
}

func (v *View) system(text string) tea.Cmd {
	if text != "" {
		return v.setSystem(text)
	}
	v.editSystem()
	return nil
}

func (v *View) branch(argument string) tea.Cmd {
	if argument == "" {
		v.chooseBranch()
		return nil
	}
	turn := v.lastBranching()
	if turn == nil {
		v.note("the conversation has no branches yet")
		return nil
	}
	n, err := strconv.Atoi(argument)
	if all := len(v.tree().Branches(turn)); err != nil || n < 1 || n > all {
		v.note(fmt.Sprintf("there is no branch %s; there are %d", argument, all))
		return nil
	}
	v.walk(turn, n-1-v.tree().Place(turn))
	return v.save()
}

func (v *View) think(word string) tea.Cmd {
	wanted, ok := map[string]engine.Thinking{"on": engine.ThinkingOn, "off": engine.ThinkingOff, "auto": engine.ThinkingAuto}[word]
	switch {
	case ok:
		v.request.Template.Thinking = wanted
		v.speed = "reasoning: " + word
	case word == "show", word == "fold":
		v.script.unfold = word == "show"
	default:
		v.note("/think wants on, off or auto, show or fold")
	}
	return nil
}

func (v *View) useTools(path string) tea.Cmd {
	switch {
	case path == "-":
		v.tools = toolcall.Tools{}
		v.note("no tools")
		return nil
	case path != "":
		data, err := os.ReadFile(path)
		tools := toolcall.Tools{}
		if err == nil {
			tools, err = toolcall.Parse(data)
		}
		if err != nil {
			v.note(fmt.Sprintf("%s: %v", path, err))
			return nil
		}
		tools.Commands = v.tools.Commands
		v.tools = tools
	}
	v.note(v.toolList())
	return v.answerCalls()
}

func (v *View) toolList() string {
	if len(v.tools.Names) == 0 {
		return "no tools; /tools FILE reads definitions"
	}
	var lines []string
	for _, name := range v.tools.Names {
		how := "answered by hand"
		if command := v.tools.Commands[name]; command != "" {
			how = "answered by: " + command
		}
		lines = append(lines, name+"\t"+how)
	}
	return strings.Join(lines, "\n")
}

func (v *View) loadOrChoose(name string) tea.Cmd {
	if name == "" {
		return v.chooseSession()
	}
	return v.load(name)
}

func (v *View) exportAs(argument string) tea.Cmd {
	format, path, _ := strings.Cut(argument, " ")
	if format == "" {
		v.note("/export wants a format: " + strings.Join(export.Names(), ", "))
		return nil
	}
	return v.export(format, strings.TrimSpace(path))
}

func (v *View) copyWhat(argument string) tea.Cmd {
	if argument != "code" {
		return onTurn("assistant", (*View).copyTurn)(v, argument)
	}
	code, ok := lastCode(v.lastOf("assistant"))
	if !ok {
		v.note("the last answer has no block of code")
		return nil
	}
	return v.copied(code)
}

func (v *View) debugOrSay(string) tea.Cmd {
	if !v.options.Debugger {
		v.note("there is no debugger here; `llama debug` is one")
	}
	return v.debug()
}
