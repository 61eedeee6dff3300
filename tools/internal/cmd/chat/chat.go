// Package chat is the command that talks to a model: a conversation in the terminal, one answer in a pipe.
package chat

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/mattn/go-isatty"
	"github.com/urfave/cli/v3"

	"github.com/llamakit/llamakit/engine"
	enginechat "github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/engine/demo"
	"github.com/llamakit/llamakit/tools/internal/flags"
	"github.com/llamakit/llamakit/tools/internal/run"
	tuichat "github.com/llamakit/llamakit/tui/chat"
	"github.com/llamakit/llamakit/tui/printable"
)

// options are what the command line says.
type options struct {
	flags.Model
	flags.Sampling

	prompt, file, system              string
	kwargs                            map[string]any
	thinking                          string
	predict, keep                     int
	single, json, conversation, shift bool
	verbose                           bool
}

// Command returns the command under the given name.
func Command(name string) *cli.Command {
	o := &options{predict: -1, thinking: "auto", conversation: true}
	o.Embedded, o.EmbeddedName = demo.Model(), demo.Name
	own := flags.Group("Chat",
		flags.New("-p, --prompt TEXT", "the first message; so is an argument, or a pipe on standard input", flags.Text(&o.prompt)),
		flags.New("-f, --file FILE", "file with the first message", flags.Text(&o.file)),
		flags.New("-sys, --system-prompt TEXT", "system message", flags.Text(&o.system)),
		flags.New("-sysf, --system-prompt-file FILE", "file with the system message", flags.File(&o.system)),
		flags.New("-st, --single-turn", "one answer, then end", flags.Switch(&o.single)),
		flags.New("-n, --predict, --n-predict N", "tokens of an answer at most (default: -1, no limit)", flags.Func(o.setPredict)).Env("LLAMA_ARG_N_PREDICT"),
		flags.New("-rea, --reasoning on|off|auto", "ask the template for a reasoning phase or against it (default: auto)", flags.OneOf(&o.thinking, "on", "off", "auto")).Env("LLAMA_ARG_REASONING"),
		flags.New("--chat-template TEMPLATE", "Jinja template instead of the model's", flags.Text(&o.Options.Template)).Env("LLAMA_ARG_CHAT_TEMPLATE"),
		flags.New("--chat-template-file FILE", "file with the template", flags.File(&o.Options.Template)).Env("LLAMA_ARG_CHAT_TEMPLATE_FILE"),
		flags.New("--chat-template-kwargs JSON", "object of further variables for the template", flags.Func(o.setKwargs)).Env("LLAMA_ARG_CHAT_TEMPLATE_KWARGS"),
		flags.New("-cnv, --conversation | -no-cnv, --no-conversation", "use the chat template, or send the prompt as it stands (default: use it)", flags.Switch(&o.conversation)),
		flags.New("--context-shift | --no-context-shift", "forget the oldest half when the context is full (default: end)", flags.Switch(&o.shift)).Env("LLAMA_ARG_CONTEXT_SHIFT"),
		flags.New("--keep N", "tokens that a context shift keeps at the beginning (default: 0)", flags.Int(&o.keep, 0, 1<<30)),
		flags.New("--json", "one JSON object a line: text, tokens, at the end timings and stop reason", flags.Switch(&o.json)),
		flags.New("-v, --verbose", "say on stderr what was loaded", flags.Switch(&o.verbose)),
	)
	return &cli.Command{
		Name:      name,
		Usage:     "talk to a model; without -m to a small embedded one",
		ArgsUsage: "[PROMPT]",
		Flags:     append(append(own, o.ModelFlags()...), o.SamplingFlags()...),
		Action: func(ctx context.Context, c *cli.Command) error {
			return o.run(ctx, c.Args().Slice(), streams{c.Root().Reader, c.Root().Writer, c.Root().ErrWriter})
		},
	}
}

// setPredict reads a number of tokens; -1 and -2 are llama.cpp's words for as many as fit.
func (o *options) setPredict(s string) error {
	if err := flags.Int(&o.predict, -2, 1<<30).Set(s); err != nil {
		return err
	}
	if o.predict == 0 {
		return fmt.Errorf("0 tokens are no answer: want 1 and up, or -1 for no limit")
	}
	return nil
}

func (o *options) setKwargs(s string) error {
	if err := json.Unmarshal([]byte(s), &o.kwargs); err != nil || o.kwargs == nil {
		return fmt.Errorf("%q is not a JSON object", s)
	}
	return nil
}

// streams are the command's own, so that tests can replace them.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && isatty.IsTerminal(f.Fd()) && os.Getenv("TERM") != "dumb"
}

func (o *options) run(ctx context.Context, args []string, s streams) error {
	prompt, err := o.firstMessage(args, s.in)
	if err != nil {
		return err
	}
	if !o.conversation && prompt == "" {
		return run.Usagef("--no-conversation needs a prompt")
	}
	m, err := o.Open(ctx, s.err)
	if err != nil {
		return err
	}
	defer m.Close()
	if o.verbose {
		describe(s.err, m)
	}
	notes := o.notes(m)
	if prompt == "" && isTerminal(s.in) && isTerminal(s.out) && !o.json && !o.single {
		return tuichat.Run(ctx, m, o.request(m), o.messages(""), notes...)
	}
	for _, note := range notes {
		fmt.Fprintln(s.err, "note:", note)
	}
	if prompt == "" && o.single && isTerminal(s.in) {
		fmt.Fprint(s.err, "> ")
		if prompt, err = bufio.NewReader(s.in).ReadString('\n'); err != nil && prompt == "" {
			return err
		}
		prompt = strings.TrimSpace(prompt)
	}
	if prompt == "" {
		return run.Usagef("no prompt; give one as an argument, with -p or -f, or on standard input")
	}
	return o.answer(ctx, m, prompt, s)
}

// notes are what a user should know of the model before the first answer.
func (o *options) notes(m *engine.Model) []string {
	if m.Template().Builtin && o.conversation {
		return []string{"the model has no chat template; ChatML is used"}
	}
	return nil
}

// firstMessage takes the prompt from the one place that the command line names, or from a pipe.
func (o *options) firstMessage(args []string, stdin io.Reader) (string, error) {
	sources := 0
	for _, given := range []bool{len(args) > 0, o.prompt != "", o.file != ""} {
		if given {
			sources++
		}
	}
	switch {
	case sources > 1 || len(args) > 1:
		return "", run.Usagef("give one prompt: as one argument, with -p, or with -f")
	case len(args) == 1:
		return args[0], nil
	case o.prompt != "":
		return o.prompt, nil
	case o.file != "":
		data, err := flags.ReadFile(o.file)
		return strings.TrimSuffix(string(data), "\n"), err
	case isTerminal(stdin):
		return "", nil
	}
	data, err := flags.ReadAll("standard input", stdin)
	if errors.Is(err, os.ErrClosed) {
		err = nil
	}
	return strings.TrimSuffix(string(data), "\n"), err
}

// messages is a conversation with the system message, where there is one, and a prompt, where there is one.
func (o *options) messages(prompt string) []enginechat.Message {
	var out []enginechat.Message
	if o.system != "" {
		out = append(out, enginechat.Message{Role: "system", Content: o.system})
	}
	if prompt != "" {
		out = append(out, enginechat.Message{Role: "user", Content: prompt})
	}
	return out
}

// request is what all requests of a conversation have in common.
func (o *options) request(m *engine.Model) engine.Request {
	thinking := map[string]engine.Thinking{"auto": engine.ThinkingAuto, "on": engine.ThinkingOn, "off": engine.ThinkingOff}
	return engine.Request{
		Sampling: o.Params(m.DefaultSampling()), MaxTokens: o.predict, IgnoreEOG: o.IgnoreEOS,
		ContextShift: o.shift, Keep: o.keep,
		Template: engine.TemplateOptions{Kwargs: o.kwargs, Thinking: thinking[o.thinking]},
	}
}

func describe(w io.Writer, m *engine.Model) {
	i := m.Info()
	fmt.Fprintf(w, "model: %s, %s, %v, %.1f M parameters, %d layers\ncontext: %d of %d tokens, cache %d MiB\nthreads: %d\n", printable.Line(i.Name), i.Architecture,
		i.Type, float64(i.Parameters)/1e6, i.Layers, i.Context, i.TrainContext, i.Memory.Cache>>20, i.Threads)
	for _, name := range i.Unused {
		fmt.Fprintln(w, "tensor not used:", printable.Line(name))
	}
}
