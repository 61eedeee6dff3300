package run

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/urfave/cli/v3"
)

// helpWidth is the number of columns that help fills; usageColumn is where the explanation of a flag begins.
const (
	helpWidth   = 96
	usageColumn = 32
)

// configureHelp replaces the library's help once for the process: it writes --ngl where llama.cpp has -ngl.
var configureHelp = sync.OnceFunc(func() {
	cli.HelpFlag = &cli.BoolFlag{Name: "help", Aliases: []string{"h", "usage"}, Usage: "print this help", HideDefault: true, Local: true}
	cli.VersionFlag = &cli.BoolFlag{Name: "version", Usage: "print the version", HideDefault: true, Local: true}
	cli.FlagStringer = func(f cli.Flag) string { return synopsis(f) + "\t" + explanation(f) }
	cli.HelpPrinter = func(w io.Writer, _ string, data any) { printHelp(w, data.(*cli.Command)) }
})

// Synopsis is implemented by flags that know which of their names take one dash, and what stands for their value.
type Synopsis interface {
	Synopsis() string          // for example "-ngl, --gpu-layers N"
	Dashed(name string) string // for example "-ngl" for "ngl"
}

// printHelp prints what a command does, its commands and its flags, group by group in the order they were made.
func printHelp(w io.Writer, cmd *cli.Command) {
	fmt.Fprintf(w, "%s: %s\n\nusage: %s\n", cmd.FullName(), cmd.Usage, usageLine(cmd))
	if cmd.Description != "" {
		fmt.Fprintf(w, "\n%s\n", strings.TrimSpace(cmd.Description))
	}
	if subs := cmd.VisibleCommands(); len(subs) > 0 {
		fmt.Fprint(w, "\nCommands\n")
		for _, sub := range subs {
			printEntry(w, strings.Join(sub.Names(), ", "), sub.Usage)
		}
	}
	for _, group := range grouped(cmd.VisibleFlags()) {
		fmt.Fprintf(w, "\n%s\n", group.name)
		for _, f := range group.flags {
			printEntry(w, synopsis(f), explanation(f))
		}
	}
}

func usageLine(cmd *cli.Command) string {
	if cmd.UsageText != "" {
		return cmd.UsageText
	}
	line := cmd.FullName()
	switch {
	case len(cmd.VisibleCommands()) > 0 && cmd.ArgsUsage != "":
		return line + " [FLAGS] " + cmd.ArgsUsage + ", or " + line + " COMMAND"
	case len(cmd.VisibleCommands()) > 0:
		line += " COMMAND"
	}
	if cmd.ArgsUsage != "" {
		return line + " [FLAGS] " + cmd.ArgsUsage
	}
	return line + " [FLAGS]"
}

type flagGroup struct {
	name  string
	flags []cli.Flag
}

// grouped collects flags by category, in the order in which the categories first appear; those without one come last.
func grouped(flags []cli.Flag) []flagGroup {
	var groups []flagGroup
	general := flagGroup{name: "General"}
	at := map[string]int{}
	for _, f := range flags {
		name := ""
		if c, ok := f.(cli.CategorizableFlag); ok {
			name = c.GetCategory()
		}
		if name == "" {
			general.flags = append(general.flags, f)
			continue
		}
		i, ok := at[name]
		if !ok {
			i = len(groups)
			at[name], groups = i, append(groups, flagGroup{name: name})
		}
		groups[i].flags = append(groups[i].flags, f)
	}
	return append(groups, general)
}

// printEntry prints a name and its explanation in two columns.
func printEntry(w io.Writer, name, text string) {
	head := "  " + name
	lines := fold(text, helpWidth-usageColumn)
	if len(head) >= usageColumn {
		fmt.Fprintln(w, head)
		head = ""
	}
	for _, line := range lines {
		fmt.Fprintf(w, "%-*s%s\n", usageColumn, head, line)
		head = ""
	}
}

// fold breaks text at blanks into lines of at most width bytes, where words allow it.
func fold(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

// synopsis is how a flag is written.
func synopsis(f cli.Flag) string {
	if s, ok := f.(Synopsis); ok {
		return s.Synopsis()
	}
	var names []string
	for _, n := range f.Names() {
		names = append(names, dashed(f, n))
	}
	text := strings.Join(names, ", ")
	if d, ok := f.(cli.DocGenerationFlag); ok && d.TakesValue() {
		text += " " + operand(d)
	}
	return text
}

// operand is the word in back quotes of the usage, or the kind of value.
func operand(d cli.DocGenerationFlag) string {
	if _, rest, ok := strings.Cut(d.GetUsage(), "`"); ok {
		if word, _, ok := strings.Cut(rest, "`"); ok {
			return word
		}
	}
	if kind := d.TypeName(); kind == "int" || kind == "uint" || kind == "float" {
		return "N"
	}
	return "TEXT"
}

// explanation is the usage with the default and the environment variable.
func explanation(f cli.Flag) string {
	d, ok := f.(cli.DocGenerationFlag)
	if !ok {
		return ""
	}
	text := strings.ReplaceAll(d.GetUsage(), "`", "")
	if value := d.GetDefaultText(); value != "" && d.IsDefaultVisible() && d.TakesValue() {
		text += " (default: " + value + ")"
	}
	if env := d.GetEnvVars(); len(env) > 0 {
		text += " (env: " + strings.Join(env, ", ") + ")"
	}
	return text
}

// dashed is a name with its dashes: one for a letter, two for a word, unless the flag knows better.
func dashed(f cli.Flag, name string) string {
	if s, ok := f.(Synopsis); ok {
		return s.Dashed(name)
	}
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}
