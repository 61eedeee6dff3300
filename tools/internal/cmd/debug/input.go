package debug

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/engine/debug"
	"github.com/llamakit/llamakit/engine/sample"
	"github.com/llamakit/llamakit/tools/internal/flags"
	"github.com/llamakit/llamakit/tools/internal/run"
)

// input is what the command line says of the input of runs.
type input struct {
	prompt, file, system, messages string
	raw                            bool
	tools, kwargs, thinking        string
	template                       string
	grammar, schema                string
	stop                           []string
	predict                        int
	now                            time.Time
}

func (in *input) flags() []cli.Flag {
	return flags.Group("Prompt",
		flags.New("-p, --prompt TEXT", "the user's message", flags.Text(&in.prompt)),
		flags.New("-f, --file, --prompt-file FILE", "file with it; - is standard input", flags.Text(&in.file)),
		flags.New("-sys, --system-prompt TEXT", "system message", flags.Text(&in.system)),
		flags.New("--messages FILE", "JSON: an array of messages, or an object with messages, tools, chat_template_kwargs", flags.File(&in.messages)),
		flags.New("--raw, -no-cnv, --no-conversation", "the prompt is taken as it stands, without a template", flags.Switch(&in.raw)),
		flags.New("--tools FILE", "JSON array of tools that the model may call", flags.File(&in.tools)),
		flags.New("--chat-template TEMPLATE", "Jinja template instead of the model's", flags.Text(&in.template)),
		flags.New("--chat-template-file FILE", "file with the template", flags.File(&in.template)),
		flags.New("--chat-template-kwargs JSON", "object of further variables for the template", flags.Text(&in.kwargs)),
		flags.New("-rea, --reasoning on|off|auto", "ask the template for a reasoning phase or against it (default: auto)", flags.OneOf(&in.thinking, "on", "off", "auto")),
		flags.New("--date TIME", "what the template takes for now, as 2026-10-15T09:30:00Z", flags.Func(in.setNow)),
		flags.New("-n, --predict, --n-predict N", "tokens of an answer at most (default: as many as fit)", flags.Int(&in.predict, 1, 1<<30)),
		flags.New("-r, --reverse-prompt TEXT", "end the answer before this text; may be given again", flags.Append(&in.stop)),
		flags.New("--grammar TEXT", "answers are of this grammar, in GBNF", flags.Text(&in.grammar)),
		flags.New("--grammar-file FILE", "file with the grammar", flags.File(&in.grammar)),
		flags.New("-j, --json-schema JSON", "answers are JSON that this schema allows", flags.Text(&in.schema)),
		flags.New("-jf, --json-schema-file FILE", "file with the schema", flags.File(&in.schema)),
	)
}

func (in *input) setNow(s string) (err error) {
	if in.now, err = time.Parse(time.RFC3339, s); err != nil {
		return fmt.Errorf("%q is not a time such as 2026-10-15T09:30:00Z", s)
	}
	return nil
}

// given reports whether there is a prompt.
func (in *input) given() bool { return in.prompt != "" || in.file != "" || in.messages != "" }

// build makes the input of the flags from what holds where they say nothing.
func (o *options) build(base debug.Input) (debug.Input, error) {
	in := base
	in.Sampling = debug.Sampling(o.Params(sample.Params(base.Sampling)))
	in.Template, in.Thinking, in.Now, in.IgnoreEOG = o.template, o.thinking, o.now, o.IgnoreEOS
	in.Stop, in.MaxTokens, in.Grammar = o.stop, o.predict, o.grammar
	for _, f := range []struct {
		name, text string
		to         *json.RawMessage
	}{{"--tools", o.tools, &in.Tools}, {"--chat-template-kwargs", o.kwargs, &in.Kwargs}, {"--json-schema", o.schema, &in.Schema}} {
		if f.text == "" {
			continue
		}
		if *f.to = json.RawMessage(strings.TrimSpace(f.text)); !json.Valid(*f.to) {
			return in, run.Usagef("%s: not JSON: %.40q", f.name, f.text)
		}
	}
	return in, o.addPrompt(&in)
}

// addPrompt takes the prompt from the one place where it is.
func (o *options) addPrompt(in *debug.Input) error {
	text := o.prompt
	switch {
	case o.messages != "":
		if o.prompt != "" || o.file != "" || o.raw || o.system != "" {
			return run.Usagef("--messages is the whole conversation; leave out -p, -f, -sys and --raw")
		}
		return o.addMessages(in)
	case o.prompt != "" && o.file != "":
		return run.Usagef("give one prompt: with -p or with -f")
	case o.file == "-":
		data, err := flags.ReadAll("standard input", o.stdin)
		if err != nil {
			return err
		}
		text = strings.TrimSuffix(string(data), "\n")
	case o.file != "":
		data, err := flags.ReadFile(o.file)
		if err != nil {
			return err
		}
		text = strings.TrimSuffix(string(data), "\n")
	}
	if o.raw {
		in.Prompt = text
		return nil
	}
	var list []chat.Message
	if o.system != "" {
		list = append(list, chat.Message{Role: "system", Content: o.system})
	}
	if text != "" {
		list = append(list, chat.Message{Role: "user", Content: text})
	}
	if list == nil {
		return nil
	}
	var err error
	in.Messages, err = debug.Encode(list)
	return err
}

func (o *options) addMessages(in *debug.Input) error {
	data := bytes.TrimSpace([]byte(o.messages))
	if bytes.HasPrefix(data, []byte("[")) {
		in.Messages = data
	} else if err := json.Unmarshal(data, in); err != nil {
		return fmt.Errorf("--messages: %w", err)
	}
	_, err := in.Conversation()
	return err
}
