// Package run turns a command into a process: arguments, streams, signals, exit codes.
//
// Main is the whole main function of a tool. Exec is Main without the process, for tests: arguments and streams go in,
// an exit code comes out. A command returns its errors; this package alone prints them, as `name: message` on stderr.
//
// Exit codes: 0 done, 1 failed, 2 wrong use (an error made by Usagef, or one that arises before the command's action
// runs); WithCode gives an error another. A process that was interrupted ends by the signal itself once it has cleaned up, so that a shell loop round it
// ends too. A reader that closes our stdout early is no failure that anybody needs to read about: the process ends as
// if SIGPIPE had ended it, in silence.
package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/llamakit/llamakit/tui/printable"
	"github.com/urfave/cli/v3"
)

// Exit codes of every tool. Interrupted and BrokenPipe are what a shell shows for a process that ended by SIGINT and
// SIGPIPE.
const (
	Done        = 0
	Failed      = 1
	WrongUse    = 2
	Interrupted = 130
	BrokenPipe  = 141
)

// Streams are what a command reads and writes. Results go to Out, the rest to Err.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Main runs a command with the arguments, streams and signals of the process, and ends the process.
// The command takes the name that the binary was called by.
func Main(cmd *cli.Command) {
	cmd.Name = strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
	cmd.Version = version()
	ctx, caught := withSignals(context.Background())
	code := Exec(ctx, cmd, Streams{os.Stdin, os.Stdout, os.Stderr}, os.Args[1:])
	exit(code, caught())
}

// Version is what the Go toolchain recorded: the module's version, and the commit where it was built from a checkout.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	return info.Main.Version
}

// version is Version with that of Go.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	return Version() + " " + info.GoVersion
}

// Exec runs a command that was made for this one run, with args (without the program's name), and returns the exit
// code.
func Exec(ctx context.Context, cmd *cli.Command, std Streams, args []string) int {
	configureHelp()
	cmd.Reader, cmd.Writer, cmd.ErrWriter = std.In, std.Out, std.Err
	p := &process{ctx: ctx}
	p.prepare(cmd)
	err := p.run(cmd, args)
	return p.report(std.Err, err)
}

// process is one run of a command tree.
type process struct {
	ctx   context.Context
	name  string // of the command that the arguments name, for example "llama chat"
	acted bool   // the action was reached: from here on an error is a failure, not wrong use
}

// prepare sets what all commands of the tree have in common.
func (p *process) prepare(cmd *cli.Command) {
	cmd.HideHelpCommand = true // or a prompt that is just "help" would be taken for it
	cmd.ExitErrHandler = func(context.Context, *cli.Command, error) {}
	cmd.OnUsageError = func(_ context.Context, _ *cli.Command, err error, _ bool) error { return err }
	if action := cmd.Action; action != nil {
		cmd.Action = func(ctx context.Context, c *cli.Command) error {
			p.acted = true
			return action(ctx, c)
		}
	} else {
		cmd.Action = func(_ context.Context, c *cli.Command) error { return cli.ShowRootCommandHelp(c.Root()) }
	}
	for _, sub := range cmd.Commands {
		p.prepare(sub)
	}
}

func (p *process) run(cmd *cli.Command, args []string) error {
	l, err := prepass(cmd, args)
	p.name = l.name()
	if err != nil {
		return err
	}
	return cmd.Run(p.ctx, append([]string{cmd.Name}, l.args()...))
}

// report prints err where it deserves a line and returns the exit code.
func (p *process) report(stderr io.Writer, err error) int {
	var usage *usageError
	switch {
	case err == nil:
		return Done
	case p.ctx.Err() != nil && errors.Is(err, context.Canceled):
		return Interrupted
	case isBrokenPipe(err):
		return BrokenPipe
	case !p.acted || errors.As(err, &usage):
		fmt.Fprintf(stderr, "%s: %s (%s --help explains)\n", p.name, printable.Line(err.Error()), p.name)
		return WrongUse
	}
	fmt.Fprintf(stderr, "%s: %s\n", p.name, printable.Line(err.Error()))
	if coded := (*codedError)(nil); errors.As(err, &coded) {
		return coded.code
	}
	return Failed
}

// codedError is a failure with an exit code of its own.
type codedError struct {
	code int
	error
}

// Unwrap returns the error itself.
func (e *codedError) Unwrap() error { return e.error }

// WithCode gives an error an exit code of its own, for commands whose failures are of several kinds.
func WithCode(code int, err error) error { return &codedError{code, err} }

// usageError is wrong use that only the command itself can see.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

// Usagef makes an error that ends the process with exit code 2 and points to --help.
func Usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}
