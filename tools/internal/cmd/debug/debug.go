// Package debug is the command that shows how a prompt becomes an answer.
//
//	llama debug -m model.gguf                                        the view: template, tokens, alternatives, why, compare
//	llama debug -m model.gguf -p "What is GGUF?" --json              everything that is known of one answer
//	llama debug -m model.gguf -p "What is GGUF?" --render            what the model sees, without an answer
//	llama debug -m model.gguf -p "What is GGUF?" --record run.json   a file that reproduces the answer
//	llama debug -m model.gguf --replay run.json                      which this does
//	llama debug -m model.gguf -f p.txt --assert 'json.amount == 320' --seeds 1..20 --need 16
//	llama debug --assert 'stop == "eos"' run.json other.json         the same of recordings, without a model
//	llama debug -m a.gguf -p "What is GGUF?" --against b.gguf        two models, and how far they are apart along the answer
//
// Exit codes are 0, 1 for an error, 2 for wrong use, and 100 when an assertion does not hold.
package debug

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/debug"
	"github.com/llamakit/llamakit/engine/demo"
	"github.com/llamakit/llamakit/tools/internal/flags"
	"github.com/llamakit/llamakit/tools/internal/run"
	"github.com/llamakit/llamakit/tools/internal/terminal"
)

// usualCandidates is how many candidates of every token are kept.
const usualCandidates = 5

// options are what the command line says.
type options struct {
	flags.Model
	flags.Sampling
	input

	url, key       string
	candidates     int
	noSurprise     bool
	render         bool
	json, noTUI    bool
	record, replay string
	against        string
	branch         string

	assert, operands    []string
	cases, junit, seeds string
	need                int

	stdin          io.Reader
	stdout, stderr io.Writer
}

// Command returns the command under the given name.
func Command(name string) *cli.Command {
	o := &options{candidates: usualCandidates}
	o.Embedded, o.EmbeddedName = demo.Model(), demo.Name
	return &cli.Command{
		Name:      name,
		Usage:     "look into prompts and answers: template, tokens, alternatives; record, replay and test them",
		ArgsUsage: "[RECORDING...]",
		Description: "On a terminal this is a view, unless --json, --no-tui or what prints a result is given. Without -m the model is a small embedded one.\n" +
			"Exit codes: 1 an error, 2 wrong use, 100 an assertion that does not hold.",
		Flags: slices.Concat(o.input.flags(), o.flags(), o.ModelFlags(), o.SamplingFlags()),
		Action: func(ctx context.Context, c *cli.Command) error {
			o.stdin, o.stdout, o.stderr, o.operands = c.Root().Reader, c.Root().Writer, c.Root().ErrWriter, c.Args().Slice()
			mode, err := o.mode()
			if err = cmp.Or(err, checkFolder(o.record), checkFolder(o.junit)); err != nil {
				return err
			}
			return mode(ctx)
		},
	}
}

func (o *options) flags() []cli.Flag {
	return slices.Concat(flags.Group("Result",
		flags.New("--render", "what the model sees, and no answer", flags.Switch(&o.render)),
		flags.New("--json", "print as JSON", flags.Switch(&o.json)),
		flags.New("--no-tui", "print as text, also on a terminal", flags.Switch(&o.noTUI)),
		flags.New("--candidates N", "candidates of every token that are kept (default: 5)", flags.Int(&o.candidates, 0, 1000)),
		flags.New("--no-surprise", "do not measure the prompt's own tokens, which computes it once more", flags.Switch(&o.noSurprise)),
		flags.New("--branch AT:TOKEN", "answer, then go on from token AT with another in its place", flags.Text(&o.branch)),
		flags.New("--against FILE", "compare with another model, or with a recording", flags.Text(&o.against)),
	), flags.Group("Record and replay",
		flags.New("--record FILE", "write the run to a file that reproduces it", flags.Text(&o.record)),
		flags.New("--replay FILE", "make a recorded run again, and fail where it is another", flags.Text(&o.replay)),
	), flags.Group("Assertions",
		flags.New("--assert EXPRESSION", "must hold of the answer: text, json, tokens, stop, tool_calls, logprob(i), margin(i); may be given again", flags.Append(&o.assert)),
		flags.New("--seeds LIST", "a run for each of these seeds, such as 1..20", flags.Text(&o.seeds)),
		flags.New("--need N", "runs of a case that must pass (default: all)", flags.Int(&o.need, 1, 1<<30)),
		flags.New("--cases FILE", "JSON lines: name, prompt or messages, assert, seeds, need, and other fields of a recording's input", flags.Text(&o.cases)),
		flags.New("--junit FILE", "write the results in JUnit's format", flags.Text(&o.junit)),
	), flags.Group("Server",
		flags.New("--url ADDRESS", "ask a llama-server, this one's or llama.cpp's, instead of a model here", flags.Text(&o.url)),
		flags.New("--api-key KEY", "its API key", flags.Text(&o.key)).Env("LLAMA_API_KEY"),
	))
}

// mode is what the flags ask for.
func (o *options) mode() (func(context.Context) error, error) {
	tests := len(o.assert) > 0 || o.cases != ""
	switch {
	case len(o.operands) > 0 && !tests:
		return nil, run.Usagef("%q: recordings are operands of --assert; a prompt is given with -p", o.operands[0])
	case o.url != "" && o.Path != "":
		return nil, run.Usagef("give -m or --url, one of them")
	case o.need > 0 && !tests, o.junit != "" && !tests:
		return nil, run.Usagef("--need and --junit belong to --assert and --cases")
	case o.replay != "" && (o.given() || o.seeds != "" || o.render || o.branch != ""):
		return nil, run.Usagef("--replay takes everything from the recording; leave out the prompt, --seeds, --render and --branch")
	case o.record != "" && (tests || o.seeds != "" || o.render):
		return nil, run.Usagef("--record keeps one run; leave out --assert, --seeds and --render")
	case len(o.operands) > 0:
		return o.assertRecordings, nil
	case tests && o.replay != "":
		return nil, run.Usagef("to assert a recording, give it as an operand, without --replay")
	case tests:
		return o.assertRuns, nil
	case o.view():
		return o.show, nil
	case o.replay != "":
		return o.replayFile, nil
	case !o.given():
		return nil, run.Usagef("no prompt; give one with -p, -f or --messages")
	case o.render:
		return o.printPrompt, nil
	case o.seeds != "":
		return o.sweep, nil
	case o.against != "":
		return o.compare, nil
	}
	return o.once, nil
}

// view reports whether the flags leave it to the terminal.
func (o *options) view() bool {
	prints := o.json || o.noTUI || o.render || o.record != "" || o.branch != "" || o.seeds != ""
	return !prints && terminal.Is(o.stdin) && terminal.Draws(o.stdout)
}

// open opens the model, or asks the server.
func (o *options) open(ctx context.Context) (debug.Runner, func(), error) {
	if o.url != "" {
		r, err := o.connect(ctx)
		return r, func() {}, err
	}
	return o.openModel(ctx, o.Path)
}

func (o *options) openModel(ctx context.Context, path string) (*debug.Session, func(), error) {
	model := o.Model
	model.Path = path
	m, err := model.Open(ctx, o.stderr)
	if err != nil {
		return nil, nil, err
	}
	s, err := debug.New(m, fileName(path), run.Version())
	if err != nil {
		m.Close()
		return nil, nil, fmt.Errorf("%s: %w", fileName(path), err)
	}
	return s, func() { m.Close() }, nil
}

func fileName(path string) string {
	if path == "" {
		return demo.Name
	}
	return path
}

// keep says how much of runs is kept.
func (o *options) keep() debug.Options {
	return debug.Options{Candidates: o.candidates, Surprise: !o.noSurprise}
}

// parseBranch reads AT:TOKEN.
func parseBranch(text string) (at int, t engine.Token, err error) {
	place, id, ok := strings.Cut(text, ":")
	token := 0
	if err := flags.Int(&at, 0, 1<<30).Set(place); err != nil || !ok {
		return 0, 0, run.Usagef("--branch %s: want a place in the answer and the number of a token, such as 3:1500", text)
	}
	if err := flags.Int(&token, 0, 1<<30).Set(id); err != nil {
		return 0, 0, run.Usagef("--branch %s: %v", text, err)
	}
	return at, engine.Token(token), nil
}
