// Package template is the command that renders a conversation through a chat template.
package template

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/engine/vocab"
	"github.com/llamakit/llamakit/formats/gguf/remote"
	"github.com/llamakit/llamakit/tools/internal/flags"
	"github.com/llamakit/llamakit/tools/internal/run"
	"github.com/llamakit/llamakit/tui/inspect/probe"
)

type options struct {
	model, template, input, sample string
	date                           time.Time
}

// Command returns the command under the given name.
func Command(name string) *cli.Command {
	o := &options{}
	return &cli.Command{
		Name:  name,
		Usage: "render a conversation through a chat template",
		Flags: flags.Group("Template",
			flags.New("--template FILE", "chat template", flags.Text(&o.template)),
			flags.New("-m, --model FILE", "GGUF file, or its address, whose template, BOS and EOS are used", flags.Text(&o.model)).Env("LLAMA_ARG_MODEL"),
			flags.New("--input FILE", "JSON object with messages, tools, add_generation_prompt and extra variables; - is standard input", flags.Text(&o.input)),
			flags.New("--sample NAME", "instead of --input a sample conversation: "+strings.Join(probe.SampleNames(), ", "), flags.OneOf(&o.sample, probe.SampleNames()...)),
			flags.New("--date TIME", "what the template takes for now, as 2026-10-15T09:30:00Z", flags.Func(o.setDate)),
		),
		Action: func(ctx context.Context, c *cli.Command) error {
			if c.Args().Present() {
				return run.Usagef("unexpected argument %q", c.Args().First())
			}
			if (o.template == "") == (o.model == "") || (o.input == "") == (o.sample == "") {
				return run.Usagef("give --template or -m, and --input or --sample")
			}
			text, err := o.render(ctx, c.Root().Reader)
			if err != nil {
				return err
			}
			_, err = io.WriteString(c.Root().Writer, text)
			return err
		},
	}
}

func (o *options) setDate(s string) (err error) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", time.DateOnly} {
		if o.date, err = time.Parse(layout, s); err == nil {
			return nil
		}
	}
	return fmt.Errorf("%q is not a time such as 2026-10-15T09:30:00Z", s)
}

func (o *options) render(ctx context.Context, stdin io.Reader) (string, error) {
	in, err := o.conversation(stdin)
	if err != nil {
		return "", err
	}
	in.Now = o.date
	source, err := o.source(ctx, &in)
	if err != nil {
		return "", err
	}
	t, err := chat.Parse(source)
	if err != nil {
		return "", err
	}
	return t.Render(ctx, in)
}

func (o *options) conversation(stdin io.Reader) (chat.Input, error) {
	if o.sample != "" {
		return probe.Sample(o.sample), nil
	}
	data, err := o.read(stdin)
	if err != nil {
		return chat.Input{}, err
	}
	in, err := chat.ParseConversation(data)
	if err != nil {
		return in, fmt.Errorf("%s: %w", o.input, err)
	}
	return in, nil
}

func (o *options) read(stdin io.Reader) ([]byte, error) {
	if o.input == "-" {
		return flags.ReadAll("standard input", stdin)
	}
	return flags.ReadFile(o.input)
}

// source returns the template's text, and sets the special tokens: those of the model, or the usual ones.
func (o *options) source(ctx context.Context, in *chat.Input) (string, error) {
	if o.template != "" {
		in.BOS, in.EOS = "<s>", "</s>"
		if in.Kwargs == nil {
			in.Kwargs = map[string]any{}
		}
		in.Kwargs["pad_token"], in.Kwargs["unk_token"] = "<pad>", "<unk>"
		data, err := flags.ReadFile(o.template)
		return string(data), err
	}
	f, err := remote.OpenAny(ctx, o.model)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if v, err := vocab.New(f.Metadata); err == nil { // a template can be looked at without a tokenizer
		in.BOS, in.EOS = v.Text(v.BOS), v.Text(v.EOS)
	}
	v, ok := f.Metadata.Get("tokenizer.chat_template")
	source, isText := v.Str()
	if !ok || !isText {
		return "", fmt.Errorf("%s: the model has no chat template", o.model)
	}
	return source, nil
}
