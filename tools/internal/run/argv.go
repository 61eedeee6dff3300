package run

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"
)

// line is a command line in the form that leaves the parser nothing to guess: names of commands, then flags as
// --name=value, then "--" and the operands.
type line struct {
	root, cmd *cli.Command
	path      []string // names from the root to cmd
	flags     []string // everything up to cmd's last flag, the names of commands included
	operands  []string
}

// prepass reads args as llama.cpp would.
//
//   - `--n_gpu_layers` is `--n-gpu-layers`; values are left alone, whatever they look like.
//   - What follows a flag that needs a value is its value, also `-1` and `--x`.
//   - A flag that no command knows is answered here, where its successor or a similar name can be told.
//
// The line is valid for messages also when there is an error.
func prepass(root *cli.Command, args []string) (*line, error) {
	l := &line{root: root, cmd: root, path: []string{root.Name}}
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		var err error
		switch {
		case arg == "--":
			l.operands = append(l.operands, args...)
			args = nil
		case isFlag(arg):
			args, err = l.flag(arg, args)
		default:
			err = l.operand(arg)
		}
		if err != nil {
			return l, err
		}
	}
	return l, nil
}

func (l *line) args() []string {
	return append(append(l.flags, "--"), l.operands...)
}

func (l *line) name() string { return strings.Join(l.path, " ") }

// operand takes the name of a command, while the command has others below it, or an operand. A command with others below
// it has operands of its own if it says so in ArgsUsage; they are what is no name of a command.
func (l *line) operand(arg string) error {
	sub := l.cmd.Command(arg)
	switch {
	case sub != nil && len(l.operands) == 0 && l.cmd.ArgsUsage != "" && len(l.flags) > 0 && isFlag(l.flags[len(l.flags)-1]):
		return fmt.Errorf("%s goes behind the name of the command %s", l.flags[len(l.flags)-1], sub.Name)
	case sub != nil && len(l.operands) == 0:
		l.cmd, l.path, l.flags = sub, append(l.path, sub.Name), append(l.flags, arg)
	case len(l.cmd.Commands) == 0 || l.cmd.ArgsUsage != "":
		l.operands = append(l.operands, arg)
	default:
		return fmt.Errorf("unknown command %q", arg)
	}
	return nil
}

// flag takes a flag and, where it needs one that is not joined to it, its value from rest.
func (l *line) flag(arg string, rest []string) ([]string, error) {
	name, value, hasValue := splitFlag(arg)
	f := lookup(l.root, l.cmd, name)
	if f == nil {
		return nil, unknownFlag(l.cmd, arg, name)
	}
	if !hasValue && !isBool(f) {
		if len(rest) == 0 {
			return nil, fmt.Errorf("%s needs a value", arg)
		}
		value, hasValue, rest = rest[0], true, rest[1:]
	}
	joined := "--" + name
	if hasValue {
		joined += "=" + value
	}
	l.flags = append(l.flags, joined)
	return rest, nil
}

// isFlag reports whether arg is a flag: a dash or two, then a letter. "-" and "-1" are not.
func isFlag(arg string) bool {
	name := strings.TrimPrefix(arg, "-")
	if name == arg || name == "" {
		return false
	}
	name = strings.TrimPrefix(name, "-")
	return name != "" && (name[0] >= 'a' && name[0] <= 'z' || name[0] >= 'A' && name[0] <= 'Z')
}

// splitFlag cuts -name=value. Underscores of a name stand for dashes.
func splitFlag(arg string) (name, value string, hasValue bool) {
	name, value, hasValue = strings.Cut(strings.TrimLeft(arg, "-"), "=")
	return strings.ReplaceAll(name, "_", "-"), value, hasValue
}

// lookup finds a flag of the command, or of the root, whose flags hold for all its commands unless it is one itself.
func lookup(root, cmd *cli.Command, name string) cli.Flag {
	shared := root.Flags
	if root.ArgsUsage != "" {
		shared = nil
	}
	for _, flags := range [][]cli.Flag{cmd.Flags, shared, builtin(root)} {
		for _, f := range flags {
			if slices.Contains(f.Names(), name) {
				return f
			}
		}
	}
	return nil
}

// builtin are the flags that the library adds to a command when it runs.
func builtin(root *cli.Command) []cli.Flag {
	if root.Version == "" {
		return []cli.Flag{cli.HelpFlag}
	}
	return []cli.Flag{cli.HelpFlag, cli.VersionFlag}
}

// isBool reports whether a flag stands without a value. (The library's own flags know IsBoolFlag only once they are parsed.)
func isBool(f cli.Flag) bool {
	if d, ok := f.(interface{ TakesValue() bool }); ok {
		return !d.TakesValue()
	}
	b, ok := f.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

func unknownFlag(cmd *cli.Command, arg, name string) error {
	flag, _, _ := strings.Cut(arg, "=")
	if successor, ok := removed[name]; ok {
		return fmt.Errorf("%s was removed from llama.cpp: %s", flag, successor)
	}
	if slices.Contains(missing, name) || strings.HasPrefix(name, "spec-") || strings.HasSuffix(name, "-draft") {
		return fmt.Errorf("%s is a flag of llama.cpp that is not supported here yet", flag)
	}
	if similar := nearest(cmd, name); similar != "" {
		return fmt.Errorf("unknown flag %s: did you mean %s?", flag, similar)
	}
	return fmt.Errorf("unknown flag %s", flag)
}

// nearest is the flag whose name differs in the fewest letters, at most a third of them.
func nearest(cmd *cli.Command, name string) string {
	best, limit := "", len(name)/3+1
	for _, f := range cmd.Flags {
		for _, n := range f.Names() {
			if d := distance(name, n); d < limit && len(n) > 2 {
				best, limit = dashed(f, n), d
			}
		}
	}
	return best
}

// distance counts the letters to insert, delete or replace between a and b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
