package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"

	"github.com/urfave/cli/v3"
)

// demo is a tool with a command of its own and two below it. Its action prints what it was given.
func demo() *cli.Command {
	echo := func(_ context.Context, c *cli.Command) error {
		_, err := fmt.Fprintf(c.Root().Writer, "n=%d p=%q v=%t args=%q\n", c.Int("n-gpu-layers"), c.String("p"), c.Bool("verbose"), c.Args().Slice())
		return err
	}
	flags := func() []cli.Flag {
		return []cli.Flag{
			&cli.IntFlag{Name: "n-gpu-layers", Aliases: []string{"ngl"}, Usage: "layers to keep on the device"},
			&cli.StringFlag{Name: "p", Usage: "the `PROMPT`"},
			&cli.BoolFlag{Name: "verbose", Usage: "say more"},
		}
	}
	return &cli.Command{Name: "demo", Usage: "a tool", Version: "1.2", Commands: []*cli.Command{
		{Name: "echo", Usage: "prints its arguments", ArgsUsage: "[TEXT]", Flags: flags(), Action: echo},
		{Name: "fail", Usage: "fails", Flags: flags(), Action: func(context.Context, *cli.Command) error {
			return errors.New("model.gguf: \x1b[2J is no tensor")
		}},
		{Name: "misuse", Usage: "finds its own use wrong", Action: func(context.Context, *cli.Command) error {
			return Usagef("give %s or %s", "a", "b")
		}},
		{Name: "pipe", Usage: "meets a closed pipe", Action: func(context.Context, *cli.Command) error {
			return fmt.Errorf("stdout: %w", syscall.EPIPE)
		}},
	}}
}

// exec runs the demo tool and returns what came out.
func exec(ctx context.Context, args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = Exec(ctx, demo(), Streams{strings.NewReader(""), &out, &err}, args)
	return code, out.String(), err.String()
}

func TestExec(t *testing.T) {
	for _, c := range []struct {
		args           string // cut at blanks; _ stands for an empty argument
		code           int
		stdout, stderr string
	}{
		{"echo", 0, `n=0 p="" v=false args=[]`, ""},
		{"echo -ngl 20 a b", 0, `n=20 p="" v=false args=["a" "b"]`, ""},
		{"echo --ngl=20", 0, `n=20 p="" v=false args=[]`, ""},
		{"echo --n_gpu_layers 20", 0, `n=20 p="" v=false args=[]`, ""},
		{"echo --n_gpu_layers=20", 0, `n=20 p="" v=false args=[]`, ""},
		{"echo -ngl -1 x", 0, `n=-1 p="" v=false args=["x"]`, ""},
		{"echo -p -ngl", 0, `n=0 p="-ngl" v=false args=[]`, ""},
		{"echo -p --no_such_flag", 0, `n=0 p="--no_such_flag" v=false args=[]`, ""},
		{"echo -p _", 0, `n=0 p="" v=false args=[]`, ""},
		{"echo a --verbose b", 0, `n=0 p="" v=true args=["a" "b"]`, ""},
		{"echo --verbose=false", 0, `n=0 p="" v=false args=[]`, ""},
		{"echo -1 --verbose", 0, `n=0 p="" v=true args=["-1"]`, ""},
		{"echo - _", 0, `n=0 p="" v=false args=["-" ""]`, ""},
		{"echo help", 0, `n=0 p="" v=false args=["help"]`, ""},
		{"echo fail echo", 0, `n=0 p="" v=false args=["fail" "echo"]`, ""},
		{"echo a -- --verbose -x", 0, `n=0 p="" v=false args=["a" "--verbose" "-x"]`, ""},
		{"--version", 0, "demo version 1.2", ""},

		{"fail", 1, "", "demo fail: model.gguf: ␛[2J is no tensor"},
		{"misuse", 2, "", "demo misuse: give a or b (demo misuse --help explains)"},
		{"pipe", BrokenPipe, "", ""},
		{"bogus -m x", 2, "", `demo: unknown command "bogus" (demo --help explains)`},
		{"echo --bogus", 2, "", "demo echo: unknown flag --bogus (demo echo --help explains)"},
		{"echo --n-gpu-layer 3", 2, "", "demo echo: unknown flag --n-gpu-layer: did you mean --n-gpu-layers? (demo echo --help explains)"},
		{"echo -ngl", 2, "", "demo echo: -ngl needs a value (demo echo --help explains)"},
		{"echo --lora x", 2, "", "demo echo: --lora is a flag of llama.cpp that is not supported here yet (demo echo --help explains)"},
		{"echo --mlock", 2, "", "demo echo: --mlock was removed from llama.cpp: use --load-mode mlock (demo echo --help explains)"},
		{"echo --no_mmap", 2, "", "demo echo: --no_mmap was removed from llama.cpp: use --load-mode none (demo echo --help explains)"},
		{"echo --draft-max=8", 2, "", "demo echo: --draft-max was removed from llama.cpp: use --spec-draft-n-max or --spec-ngram-mod-n-max (demo echo --help explains)"},
	} {
		args := strings.Fields(c.args)
		for i := range args {
			if args[i] == "_" {
				args[i] = ""
			}
		}
		code, stdout, stderr := exec(t.Context(), args...)
		if code != c.code || strings.TrimSpace(stdout) != c.stdout || strings.TrimSpace(stderr) != c.stderr {
			t.Errorf("demo %s: exit code %d, stdout %q, stderr %q", c.args, code, stdout, stderr)
		}
	}
}

// TestOperandsBesideCommands is a command that has operands of its own: what is no name of a command below it.
func TestOperandsBesideCommands(t *testing.T) {
	for args, want := range map[string]string{
		"file":        "own [file]",
		"file sub":    "own [file sub]",
		"sub file":    "sub [file]",
		"sub sub":     "sub [sub]",
		"--json sub2": "own [sub2]",
	} {
		say := func(what string) cli.ActionFunc {
			return func(_ context.Context, c *cli.Command) error {
				_, err := fmt.Fprint(c.Root().Writer, what, " ", c.Args().Slice())
				return err
			}
		}
		cmd := &cli.Command{Name: "both", ArgsUsage: "FILE", Action: say("own"), Flags: []cli.Flag{&cli.BoolFlag{Name: "json"}},
			Commands: []*cli.Command{{Name: "sub", Action: say("sub")}}}
		var out bytes.Buffer
		if code := Exec(t.Context(), cmd, Streams{strings.NewReader(""), &out, io.Discard}, strings.Fields(args)); code != 0 || out.String() != want {
			t.Errorf("both %s: exit code %d, %q, want %q", args, code, out.String(), want)
		}
		all := &cli.Command{Name: "all", Commands: []*cli.Command{cmd}}
		out.Reset()
		if code := Exec(t.Context(), all, Streams{strings.NewReader(""), &out, io.Discard}, strings.Fields("both "+args)); code != 0 || out.String() != want {
			t.Errorf("all both %s: exit code %d, %q, want %q", args, code, out.String(), want)
		}
		for args, want := range map[string]string{"--json sub x": "--json goes behind the name of the command sub", "sub --json": "unknown flag --json"} {
			var errs bytes.Buffer
			if code := Exec(t.Context(), cmd, Streams{strings.NewReader(""), io.Discard, &errs}, strings.Fields(args)); code != WrongUse || !strings.Contains(errs.String(), want) {
				t.Errorf("both %s: exit code %d, %s", args, code, errs.String())
			}
		}
	}
}

func TestParseErrorIsWrongUse(t *testing.T) {
	code, stdout, stderr := exec(t.Context(), "echo", "-ngl", "many")
	if code != WrongUse || stdout != "" || !strings.Contains(stderr, `"many"`) || strings.Count(stderr, "\n") != 1 {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cmd := &cli.Command{Name: "wait", Action: func(ctx context.Context, _ *cli.Command) error {
		cancel()
		<-ctx.Done()
		return fmt.Errorf("loading: %w", ctx.Err())
	}}
	var stderr bytes.Buffer
	if code := Exec(ctx, cmd, Streams{strings.NewReader(""), io.Discard, &stderr}, nil); code != Interrupted || stderr.Len() > 0 {
		t.Errorf("exit code %d, stderr %q", code, stderr.String())
	}
}

func TestHelp(t *testing.T) {
	code, stdout, _ := exec(t.Context(), "echo", "--help")
	const want = `demo echo: prints its arguments

usage: demo echo [FLAGS] [TEXT]

General
  --n-gpu-layers, --ngl N       layers to keep on the device
  -p PROMPT                     the PROMPT
  --verbose                     say more
  --help, -h, --usage           print this help
`
	if code != 0 || stdout != want {
		t.Errorf("exit code %d, help:\n%s", code, stdout)
	}
	for _, args := range [][]string{nil, {"-h"}, {"--usage"}} {
		code, stdout, stderr := exec(t.Context(), args...)
		if code != 0 || !strings.Contains(stdout, "usage: demo COMMAND") || stderr != "" {
			t.Errorf("demo %q: exit code %d, stdout %q, stderr %q", args, code, stdout, stderr)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "", 3}, {"", "ab", 2}, {"temp", "temp", 0}, {"tmep", "temp", 2}, {"top-k", "top-p", 1}} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
