// Package flags holds what the flags of the tools have in common: a flag type that speaks llama.cpp's dialect, and the
// groups that several tools share (model, context and device, sampling, chat).
//
// A group is a struct. Its Flags method makes the flags that fill it; once the command line is read, its other methods
// say what was asked for. Names, defaults and LLAMA_ARG_* variables are those of llama.cpp v0.7.0.
package flags

import (
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v3"
)

// Flag is one flag with all its names. It is a cli.Flag.
//
// The library's own flags do not serve here: they know no switch with two lists of names, read 010 as octal, print -ngl
// with two dashes, and their errors name Go's functions.
type Flag struct {
	names    []string          // without dashes, as the help lists them
	dashed   map[string]string // name to name with dashes
	off      map[string]bool   // names of a switch that turn it off
	synopsis string
	usage    string
	category string
	env      string
	hidden   bool
	value    Value

	set bool
	err error // the first value that was wrong, told once all flags are read
}

// New makes a flag from its synopsis as the help shows it, for example "-c, --ctx-size N". The names of a switch that
// turn it off follow a bar: "-kvo, --kv-offload | -nkvo, --no-kv-offload".
func New(synopsis, usage string, v Value) *Flag {
	f := &Flag{usage: usage, value: v, dashed: map[string]string{}, off: map[string]bool{}}
	on, off, _ := strings.Cut(synopsis, " | ")
	f.addNames(on, false)
	f.addNames(off, true)
	f.synopsis = strings.ReplaceAll(synopsis, " | ", ", ")
	return f
}

func (f *Flag) addNames(list string, off bool) {
	for _, word := range strings.Fields(list) {
		if !strings.HasPrefix(word, "-") {
			return // the operand
		}
		word = strings.TrimSuffix(word, ",")
		name := strings.TrimLeft(word, "-")
		f.names = append(f.names, name)
		f.dashed[name] = word
		f.off[name] = off
	}
}

// Env names the variable that is read when the flag is not given. For a switch LLAMA_ARG_NO_X, with any value, turns off
// what LLAMA_ARG_X turns on.
func (f *Flag) Env(name string) *Flag {
	f.env = name
	return f
}

// Hide leaves the flag out of the help.
func (f *Flag) Hide() *Flag {
	f.hidden = true
	return f
}

// Group puts flags under one heading of the help.
func Group(heading string, flags ...*Flag) []cli.Flag {
	out := make([]cli.Flag, len(flags))
	for i, f := range flags {
		f.category = heading
		out[i] = f
	}
	return out
}

// What cli asks of a flag.

func (f *Flag) String() string       { return f.synopsis + "\t" + f.usage }
func (f *Flag) Names() []string      { return f.names }
func (f *Flag) IsSet() bool          { return f.set }
func (f *Flag) IsLocal() bool        { return true }
func (f *Flag) IsVisible() bool      { return !f.hidden }
func (f *Flag) IsBoolFlag() bool     { return f.value.isSwitch }
func (f *Flag) PreParse() error      { return nil }
func (f *Flag) GetCategory() string  { return f.category }
func (f *Flag) SetCategory(s string) { f.category = s }

// Get returns nothing: a flag writes to the variable it was made with.
func (f *Flag) Get() any { return nil }

// Set takes a value from the command line; the last one counts. The library words the errors of Set itself, so a wrong
// value is kept for PostParse.
func (f *Flag) Set(name, value string) error {
	f.set = true
	if err := f.apply(name, value); err != nil && f.err == nil {
		f.err = fmt.Errorf("%s: %w", f.dashed[name], err)
	}
	return nil
}

// PostParse reads the variable of a flag that was not given, and reports the first wrong value.
func (f *Flag) PostParse() error {
	if f.set || f.env == "" {
		return f.err
	}
	if f.value.isSwitch {
		if no := strings.Replace(f.env, "LLAMA_ARG_", "LLAMA_ARG_NO_", 1); envSet(no) {
			f.set = true
			return f.value.set("false")
		}
	}
	text, ok := os.LookupEnv(f.env)
	if !ok || text == "" && f.value.isSwitch {
		return nil
	}
	f.set = true
	if err := f.value.set(text); err != nil {
		return fmt.Errorf("%s (environment): %w", f.env, err)
	}
	return nil
}

func envSet(name string) bool {
	_, ok := os.LookupEnv(name)
	return ok
}

// apply sets the value; a name that turns a switch off means the opposite of what is written.
func (f *Flag) apply(name, value string) error {
	if !f.off[name] {
		return f.value.set(value)
	}
	on, err := parseBool(value)
	if err != nil {
		return err
	}
	return f.value.set(fmt.Sprint(!on))
}

// What help asks of a flag.

func (f *Flag) Synopsis() string          { return f.synopsis }
func (f *Flag) Dashed(name string) string { return f.dashed[name] }
func (f *Flag) TakesValue() bool          { return !f.value.isSwitch }
func (f *Flag) GetUsage() string          { return f.usage }
func (f *Flag) GetValue() string          { return "" }
func (f *Flag) GetDefaultText() string    { return "" }
func (f *Flag) IsDefaultVisible() bool    { return false }
func (f *Flag) TypeName() string          { return "" }

func (f *Flag) GetEnvVars() []string {
	if f.env == "" {
		return nil
	}
	return []string{f.env}
}
