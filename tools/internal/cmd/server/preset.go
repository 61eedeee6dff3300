package server

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/llamakit/llamakit/tools/internal/flags"
	"github.com/llamakit/llamakit/tools/internal/run"
)

// setting is a line of a preset file.
type setting struct {
	line       int
	key, value string
}

// parsePreset reads an INI file: "key = value" in sections. A key is a long flag without its dashes, or a LLAMA_ARG_ variable;
// ; and # begin comments. Settings of [*], and those before the first section, hold for all names, and come first. Without a
// name the file must have one section.
func parsePreset(text, name string) ([]setting, error) {
	section := "*"
	sections := map[string][]setting{}
	var names []string
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == ';' || line[0] == '#':
		case line[0] == '[' && strings.HasSuffix(line, "]"):
			section = strings.TrimSpace(line[1 : len(line)-1])
			if section != "*" && !slices.Contains(names, section) {
				names = append(names, section)
			}
		default:
			key, value, found := strings.Cut(line, "=")
			if !found {
				return nil, fmt.Errorf("line %d: %q is neither [section] nor key = value", n, line)
			}
			sections[section] = append(sections[section], setting{n, strings.TrimSpace(key), strings.TrimSpace(value)})
		}
	}
	switch {
	case name == "" && len(names) > 1:
		return nil, fmt.Errorf("there are several sections; choose one with --preset FILE:NAME: %s", strings.Join(names, ", "))
	case name == "" && len(names) == 1:
		name = names[0]
	case name != "" && !slices.Contains(names, name):
		return nil, fmt.Errorf("there is no section [%s]; there are: %s", name, strings.Join(names, ", "))
	}
	if name == "" || name == "*" {
		return sections["*"], nil
	}
	return append(slices.Clone(sections["*"]), sections[name]...), nil
}

// applyPreset sets the flags of the preset that were not given otherwise.
func (o *options) applyPreset(c *cli.Command) error {
	if o.preset == "" {
		return nil
	}
	file, name := o.preset, ""
	if at := strings.LastIndexByte(file, ':'); at > 1 { // not the colon of C:\
		file, name = file[:at], file[at+1:]
	}
	data, err := flags.ReadFile(file)
	if err != nil {
		return err
	}
	settings, err := parsePreset(string(data), name)
	if err != nil {
		return run.Usagef("%s: %v", file, err)
	}
	given := map[cli.Flag]bool{}
	for _, f := range c.Flags {
		given[f] = f.IsSet()
	}
	for _, s := range settings {
		if s.key == "version" {
			continue
		}
		f, flagName := findFlag(c, s.key)
		if f == nil {
			return run.Usagef("%s: line %d: there is no flag %q", file, s.line, s.key)
		}
		if given[f] {
			continue
		}
		err := f.Set(flagName, s.value)
		if err == nil {
			err = f.PostParse()
		}
		if err != nil {
			return run.Usagef("%s: line %d: %v", file, s.line, err)
		}
	}
	return nil
}

// findFlag finds a flag by a name or by its variable.
func findFlag(c *cli.Command, key string) (cli.Flag, string) {
	name := strings.ReplaceAll(strings.TrimLeft(key, "-"), "_", "-")
	for _, f := range c.Flags {
		if slices.Contains(f.Names(), name) {
			return f, name
		}
		if d, ok := f.(cli.DocGenerationFlag); ok && slices.Contains(d.GetEnvVars(), key) {
			return f, f.Names()[0]
		}
	}
	return nil, ""
}
