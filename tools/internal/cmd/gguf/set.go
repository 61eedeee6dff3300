package gguf

import (
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/urfave/cli/v3"

	"github.com/llamakit/llamakit/engine/chat/jinja"
	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/tools/internal/flags"
	"github.com/llamakit/llamakit/tui/inspect/probe"
)

func setCommand() *cli.Command {
	e := &edit{}
	var typ *valueType
	return &cli.Command{
		Name: "set", Usage: "set a key", ArgsUsage: "FILE KEY VALUE",
		Description: "An array is written as in JSON: '[1, 2]'. Without --type, a key keeps its type; that of a new one goes by the value:\n" +
			"bool, u32 or i32 (wider where it must be), f32, else str.",
		Flags: e.flags(flags.New("--type TYPE", "u8 i8 u16 i16 u32 i32 u64 i64 f32 f64 bool str, or arr[TYPE]",
			flags.Func(func(text string) error {
				t, err := parseType(text)
				typ = &t
				return err
			}))),
		Action: func(ctx context.Context, c *cli.Command) error {
			args, err := operands(c, 3)
			if err != nil {
				return err
			}
			return e.run(ctx, c, args[0], func() error { return e.set(args[1], args[2], typ) })
		},
	}
}

func (e *edit) set(key, text string, typ *valueType) error {
	if err := checkKey(key); err != nil {
		return err
	}
	old, had := e.md.Get(key)
	t := guessType(text)
	switch {
	case typ != nil:
		t = *typ
	case had:
		t = valueType{old.Type(), old.Elem()}
	}
	v, err := t.parse(text)
	if err != nil {
		return fmt.Errorf("key %q: %w", key, err)
	}
	if had {
		e.say("%s: %s %s -> %s %s", gguf.Printable(key), probe.TypeText(old), probe.ValueText(old, 60), probe.TypeText(v), probe.ValueText(v, 60))
	} else {
		e.say("%s: new, %s %s", gguf.Printable(key), probe.TypeText(v), probe.ValueText(v, 60))
	}
	e.md.Set(key, v)
	return nil
}

func templateCommand() *cli.Command {
	e := &edit{}
	var name string
	return &cli.Command{
		Name: "add-template", Usage: "set the chat template", ArgsUsage: "FILE TEMPLATE",
		Description: "TEMPLATE is a file with a Jinja template; - is standard input.",
		Flags: e.flags(flags.New("--name NAME", "a further template of this name, beside the model's own (tool_use is one that is looked for)",
			flags.Text(&name))),
		Action: func(ctx context.Context, c *cli.Command) error {
			args, err := operands(c, 2)
			if err != nil {
				return err
			}
			text, err := readTemplate(c, args[1])
			if err != nil {
				return err
			}
			return e.run(ctx, c, args[0], func() error { return e.addTemplate(name, text) })
		},
	}
}

// readTemplate reads a template and checks that it is one.
func readTemplate(c *cli.Command, path string) (string, error) {
	name, in := path, c.Root().Reader
	if path == "-" {
		name = "standard input"
	} else {
		f, err := os.Open(path)
		if err != nil {
			return "", err
		}
		defer f.Close()
		in = f
	}
	data, err := flags.ReadAll(name, in)
	if err != nil {
		return "", err
	}
	if len(data) == 0 {
		return "", fmt.Errorf("%s: the template is empty", name)
	}
	_, err = jinja.Parse(name, string(data))
	return string(data), err
}

func (e *edit) addTemplate(name, text string) error {
	if name == "" || name == "default" {
		return e.set(templateKey, text, &valueType{typ: gguf.TypeString})
	}
	var names []string
	if v, ok := e.md.Get(templatesKey); ok {
		if names, ok = v.StrSlice(); !ok {
			return fmt.Errorf("key %s is %s, not arr[str]", templatesKey, probe.TypeText(v))
		}
	}
	if !slices.Contains(names, name) {
		e.md.Set(templatesKey, gguf.Strings(append(names, name)))
	}
	return e.set(templateKey+"."+name, text, &valueType{typ: gguf.TypeString})
}
