// Package chat is the command that talks to a model: a conversation in the terminal, one answer in a pipe.
package chat

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/urfave/cli/v3"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/demo"
	"github.com/llamakit/llamakit/tools/internal/cmd/debug"
	"github.com/llamakit/llamakit/tools/internal/flags"
	"github.com/llamakit/llamakit/tools/internal/run"
	"github.com/llamakit/llamakit/tools/internal/terminal"
	tuichat "github.com/llamakit/llamakit/tui/chat"
	"github.com/llamakit/llamakit/tui/printable"
	"github.com/llamakit/llamakit/tui/session"
	"github.com/llamakit/llamakit/tui/source"
)

// options are what the command line says.
type options struct {
	flags.Model
	flags.Sampling
	flags.Grammar
	server
	keeping
	calling

	prompt, file, system              string
	kwargs                            map[string]any
	thinking                          engine.Thinking
	predict, keep, budget             int
	budgetEnd                         string
	specials                          bool
	single, json, conversation, shift bool
	verbose, echo, timings, plain     bool
	mouse                             bool
	stop                              []string
	escape                            bool // \n and the like in -p, -sys and -r stand for what they mean
}

// Command returns the command under the given name.
func Command(name string) *cli.Command {
	o := &options{predict: -1, conversation: true, timings: true, escape: true}
	o.Embedded, o.EmbeddedName = demo.Model(), demo.Name
	own := flags.Group("Chat",
		flags.New("-p, --prompt TEXT", "the first message; so is an argument, or a pipe on standard input", flags.Text(&o.prompt)),
		flags.New("-f, --file FILE", "file with the first message", flags.Text(&o.file)),
		flags.New("-sys, --system-prompt TEXT", "system message", flags.Text(&o.system)),
		flags.New("-sysf, --system-prompt-file FILE", "file with the system message", flags.File(&o.system)),
		flags.New("-e, --escape | --no-escape", `\n, \t, \", \\ and \x41 in the texts of -p, -sys and -r are escapes (default: they are)`, flags.Switch(&o.escape)),
		flags.New("-st, --single-turn", "one answer, then end", flags.Switch(&o.single)),
		flags.New("-n, --predict, --n-predict N", "tokens of an answer at most (default: -1, no limit)", flags.Func(o.setPredict)).Env("LLAMA_ARG_N_PREDICT"),
		flags.New("-r, --reverse-prompt TEXT", "end the answer before this text; may be given again", flags.Append(&o.stop)),
		flags.New("-rea, --reasoning on|off|auto", "ask the template for a reasoning phase or against it (default: auto)", flags.Reasoning(&o.thinking)).Env("LLAMA_ARG_REASONING"),
		flags.New("--reasoning-budget N", "tokens that the reasoning may take; 0: none at all (default: -1, any number)", flags.ReasoningBudget(&o.budget)).Env("LLAMA_ARG_THINK_BUDGET"),
		flags.New("--reasoning-budget-message TEXT", "what stands at the end of a reasoning that was cut", flags.Text(&o.budgetEnd)).Env("LLAMA_ARG_THINK_BUDGET_MESSAGE"),
		flags.New("--parse-user-specials", "messages may spell control tokens, and so end a turn (default: there they are characters)", flags.Switch(&o.specials)),
		flags.New("--chat-template TEMPLATE", "Jinja template instead of the model's", flags.Text(&o.Options.Template)).Env("LLAMA_ARG_CHAT_TEMPLATE"),
		flags.New("--chat-template-file FILE", "file with the template", flags.File(&o.Options.Template)).Env("LLAMA_ARG_CHAT_TEMPLATE_FILE"),
		flags.New("--chat-template-kwargs JSON", "object of further variables for the template", flags.Object(&o.kwargs)).Env("LLAMA_ARG_CHAT_TEMPLATE_KWARGS"),
		flags.New("-cnv, --conversation | -no-cnv, --no-conversation", "use the chat template, or send the prompt as it stands (default: use it)", flags.Switch(&o.conversation)),
		flags.New("--context-shift | --no-context-shift", "forget the oldest half when the context is full (default: end)", flags.Switch(&o.shift)).Env("LLAMA_ARG_CONTEXT_SHIFT"),
		flags.New("--keep N", "tokens that a context shift keeps at the beginning (default: 0)", flags.Int(&o.keep, 0, 1<<30)),
		flags.New("--json", "one JSON object a line: text, tokens, at the end timings and stop reason", flags.Switch(&o.json)),
		flags.New("--display-prompt | --no-display-prompt", "print the prompt before the answer (default: no)", flags.Switch(&o.echo)),
		flags.New("--show-timings | --no-show-timings", "print the speed on stderr after an answer (default: yes)", flags.Switch(&o.timings)).Env("LLAMA_ARG_SHOW_TIMINGS"),
		flags.New("--simple-io", "on a terminal: no full screen, a line is a message", flags.Switch(&o.plain)),
		flags.New("--mouse", "on a full screen: the wheel scrolls (and the terminal no longer selects text)", flags.Switch(&o.mouse)),
		flags.New("-v, --verbose", "say on stderr what was loaded", flags.Switch(&o.verbose)),
	)
	return &cli.Command{
		Name:      name,
		Usage:     "talk to a model; without -m to a small embedded one",
		ArgsUsage: "[PROMPT]",
		Flags:     slices.Concat(own, o.callFlags(), o.keepFlags(), o.serverFlags(), o.ModelFlags(), o.SamplingFlags(), o.GrammarFlags()),
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

// streams are the command's own, so that tests can replace them.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// fullScreen reports whether the conversation can have the terminal to itself.
func (o *options) fullScreen(s streams) bool {
	return terminal.Is(s.in) && terminal.Draws(s.out) && !o.json && !o.single && !o.plain
}

func (o *options) run(ctx context.Context, args []string, s streams) error {
	if o.list {
		return o.listSessions(s.out)
	}
	prompt, err := o.firstMessage(args, s.in)
	if err != nil {
		return err
	}
	talk, err := o.resumed()
	if err != nil {
		return err
	}
	switch {
	case prompt == "" && !o.conversation:
		return run.Usagef("--no-conversation needs a prompt")
	case talk != nil && !o.conversation:
		return run.Usagef("--no-conversation and --resume exclude each other")
	case prompt == "" && !terminal.Is(s.in) && (o.format == "" || talk == nil):
		return run.Usagef("no prompt; give one as an argument, with -p or -f, or on standard input")
	}
	if err := o.loadTools(); err != nil {
		return err
	}
	from, shut, err := o.open(ctx, s.err)
	if err != nil {
		return err
	}
	defer shut()
	switch {
	case o.format != "":
		return o.export(s.out, from, talk, prompt)
	case prompt == "" && o.fullScreen(s):
		return o.screen(ctx, from, talk)
	}
	for _, note := range o.notes(from) {
		fmt.Fprintln(s.err, "note:", note)
	}
	if prompt == "" {
		return o.talk(ctx, from, talk, s)
	}
	return o.once(ctx, from, talk, prompt, s)
}

// screen is the conversation on a full screen.
func (o *options) screen(ctx context.Context, from source.Source, talk *session.Session) error {
	store, history, err := o.kept()
	if err != nil {
		return err
	}
	beside := debug.Beside(ctx, tuichat.Name, from, o.Path)
	chat := tuichat.Options{Request: o.request(from), System: o.text(o.system), Session: talk, Tools: o.tools,
		Store: store, History: history, Key: o.key != "", Notes: o.notes(from), Mouse: o.mouse, Debugger: beside != nil}
	if beside == nil {
		return tuichat.Run(ctx, from, chat)
	}
	return tuichat.Run(ctx, from, chat, beside)
}

// once answers one prompt.
func (o *options) once(ctx context.Context, from source.Source, talk *session.Session, prompt string, s streams) error {
	if o.echo {
		if _, err := fmt.Fprint(s.out, prompt); err != nil {
			return err
		}
	}
	r := o.request(from)
	if !o.conversation {
		r.Prompt = prompt
		_, err := o.answer(ctx, from, r, s)
		return err
	}
	return o.turn(ctx, from, o.begun(from, talk), prompt, s)
}

// notes are what a user should know of the model before the first answer.
func (o *options) notes(from source.Source) []string {
	notes := o.Notes()
	if l, ok := from.(source.Local); ok && l.Model.Template().Builtin && o.conversation {
		notes = append(notes, "the model has no chat template; ChatML is used")
	}
	return notes
}

// request is what all requests of a conversation have in common.
func (o *options) request(from source.Source) source.Request {
	thinking := o.thinking
	if o.budget < 0 {
		thinking = engine.ThinkingOff
	}
	r := source.Request{GBNF: o.GBNF, Schema: o.Schema, Request: engine.Request{
		Sampling: o.Params(from.Info().Sampling), MaxTokens: o.predict, IgnoreEOG: o.IgnoreEOS,
		ContextShift: o.shift, Keep: o.keep, Stop: o.texts(o.stop), Grammar: o.Grammar.Grammar,
		Template:       engine.TemplateOptions{Kwargs: o.kwargs, Thinking: thinking, UserSpecials: o.specials},
		ReasoningLimit: o.budget, ReasoningEnd: o.budgetEnd,
	}}
	if o.conversation {
		r.Template.Tools = o.tools.JSON
	}
	return r
}

// memory says what the cache takes, and the states of recurrent layers where there are any.
func memory(i engine.Info) string {
	m := i.Memory
	if m.State == 0 {
		return fmt.Sprintf("%d MiB", m.Cache>>20)
	}
	return fmt.Sprintf("%d MiB, recurrent states %d MiB", m.Cache>>20, m.State>>20)
}

func describe(w io.Writer, m *engine.Model) {
	i := m.Info()
	fmt.Fprintf(w, "model: %s, %s, %v, %.1f M parameters, %d layers\ncontext: %d of %d tokens, cache %s\nthreads: %d\n", printable.Line(i.Name), i.Architecture,
		i.Type, float64(i.Parameters)/1e6, i.Layers, i.Context, i.TrainContext, memory(i), i.Threads)
	for _, name := range i.Unused {
		fmt.Fprintln(w, "tensor not used:", printable.Line(name))
	}
}
