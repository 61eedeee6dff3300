package gguf

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v3"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/tools/internal/flags"
	"github.com/llamakit/llamakit/tui/inspect/probe"
)

const (
	templateKey  = "tokenizer.chat_template"
	templatesKey = "tokenizer.chat_templates" // names of further templates, whose texts are templateKey.name
)

// edit is a change of one file: keys are those of the first shard, and a tensor is in one shard.
type edit struct {
	streams
	output string // where to write; empty: the file itself
	force  bool

	f     *gguf.File
	shard int
	md    *gguf.Metadata // of the shard, as it is to be
	names []string       // of all tensors, as they are to be
	said  []string       // what changes, in words
}

// flags are those of all commands that change a file.
func (e *edit) flags(more ...*flags.Flag) []cli.Flag {
	return flags.Group("File", append(more,
		flags.New("-o, --output FILE", "write the changed file here (default: change FILE itself)", flags.Text(&e.output)),
		flags.New("--force", "also when the model cannot be used afterwards", flags.Switch(&e.force)),
	)...)
}

// run opens the file, lets do change md and names, and saves. Nothing is written where do fails.
func (e *edit) run(ctx context.Context, c *cli.Command, path string, do func() error) error {
	e.streams = streamsOf(c)
	f, err := openLocal(path, "a file on a server cannot be changed")
	if err != nil {
		return err
	}
	defer f.Close()
	e.f, e.md = f, f.Metadata.Clone()
	for i := range f.Tensors {
		e.names = append(e.names, f.Tensors[i].Name)
	}
	if err := do(); err != nil {
		return e.wrap(err)
	}
	if err := e.guard(); err != nil {
		return e.wrap(err)
	}
	return e.save(ctx)
}

func (e *edit) wrap(err error) error {
	return fmt.Errorf("%s: %w", gguf.Printable(e.f.Paths()[0]), err)
}

func (e *edit) say(format string, args ...any) { e.said = append(e.said, fmt.Sprintf(format, args...)) }

// checkKey refuses keys that only gguf-split may touch.
func checkKey(key string) error {
	if probe.IsSplit(key) {
		return fmt.Errorf("key %s belongs to the set of shards (llama-gguf-split changes it)", gguf.Printable(key))
	}
	return nil
}

func removeCommand() *cli.Command {
	e := &edit{}
	return &cli.Command{
		Name: "rm", Usage: "remove a key", ArgsUsage: "FILE KEY", Flags: e.flags(),
		Action: func(ctx context.Context, c *cli.Command) error {
			args, err := operands(c, 2)
			if err != nil {
				return err
			}
			return e.run(ctx, c, args[0], func() error { return e.remove(args[1]) })
		},
	}
}

func (e *edit) remove(key string) error {
	v, ok := e.md.Get(key)
	if !ok {
		return fmt.Errorf("no key %q", key)
	}
	if err := checkKey(key); err != nil {
		return err
	}
	e.md.Delete(key)
	e.say("%s: %s %s removed", gguf.Printable(key), probe.TypeText(v), probe.ValueText(v, 60))
	return nil
}

func renameCommand() *cli.Command {
	e := &edit{}
	return &cli.Command{
		Name: "rename", Usage: "rename a key or a tensor", ArgsUsage: "FILE OLD NEW", Flags: e.flags(),
		Action: func(ctx context.Context, c *cli.Command) error {
			args, err := operands(c, 3)
			if err != nil {
				return err
			}
			return e.run(ctx, c, args[0], func() error { return e.rename(args[1], args[2]) })
		},
	}
}

func (e *edit) rename(old, name string) error {
	isKey := hasKey(e.md, old)
	i := slices.Index(e.names, old)
	switch {
	case isKey && i >= 0:
		return fmt.Errorf("%q is a key and a tensor", old)
	case hasKey(e.md, name) || slices.Contains(e.names, name):
		return fmt.Errorf("%q is there already", name)
	case isKey:
		return e.renameKey(old, name)
	case i >= 0:
		e.names[i] = name
		e.shard = e.f.Tensors[i].Shard
		e.md = e.f.ShardMetadata(e.shard)
		e.say("tensor %s is now %s", gguf.Printable(old), gguf.Printable(name))
		return nil
	}
	return fmt.Errorf("no key or tensor %q", old)
}

// renameKey keeps the key's place.
func (e *edit) renameKey(old, name string) error {
	if err := errors.Join(checkKey(old), checkKey(name)); err != nil {
		return err
	}
	md := gguf.NewMetadata()
	for key, v := range e.md.All() {
		if key == old {
			key = name
		}
		md.Set(key, v)
	}
	e.md = md
	e.say("key %s is now %s", gguf.Printable(old), gguf.Printable(name))
	return nil
}
