package tokenize

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/tools/internal/flags"
	"github.com/llamakit/llamakit/tools/internal/run"
)

var demo = filepath.Join("..", "..", "..", "..", "engine", "demo", "demo.gguf")

func exec(stdin string, args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = run.Exec(context.Background(), Command("llama-tokenize"), run.Streams{In: strings.NewReader(stdin), Out: &out, Err: &err}, args)
	return code, out.String(), err.String()
}

func TestShapes(t *testing.T) {
	for _, c := range []struct {
		stdin string
		args  []string
		want  string
	}{
		{"", []string{"Hello <|im_end|>"}, "  1341 -> 'Hello'\n   220 -> ' '\n  4093 -> '<|im_end|>'\n"},
		{"Hello <|im_end|>", []string{"--stdin", "--ids"}, "[1341, 220, 4093]\n"},
		{"", []string{"-p", "Hello <|im_end|>", "--ids", "--no-parse-special"}, "[1341, 416, 91, 656, 62, 1504, 91, 29]\n"},
		{"", []string{"--ids", "--show-count", "Hello"}, "[1341]\nTotal number of tokens: 1\n"},
		{"", []string{"--json", "日"}, `{"id":4030,"piece":"日","kind":"normal","offset":0,"length":3}` + "\n"},
		{"", []string{"--json", "--show-count", "a <|im_end|>é"}, `{"id":64,"piece":"a","kind":"normal","offset":0,"length":1}
{"id":220,"piece":" ","kind":"normal","offset":1,"length":1}
{"id":4093,"piece":"<|im_end|>","kind":"control","offset":2,"length":10}
{"id":127,"piece":"\ufffd","bytes":[195],"kind":"normal","offset":12,"length":1}
{"id":102,"piece":"\ufffd","bytes":[169],"kind":"normal","offset":13,"length":1}
{"count":5}
`},
		{"", []string{"-p", "", "--ids"}, "[]\n"},
		{"", []string{"-p", "", "--show-count"}, "Total number of tokens: 0\n"},
		{"", []string{"-p", `a\\b`}, "    64 -> 'a'\n    59 -> '\\'\n    65 -> 'b'\n"},
		{"", []string{"--ids", "--stdin"}, "[]\n"},
		{"", []string{"--ids", "-p", `a\nb`}, "[64, 198, 65]\n"},
		{"", []string{"--ids", "-p", `a\nb`, "--no-escape"}, "[64, 59, 77, 65]\n"},
		{`a\nb`, []string{"--ids", "--stdin"}, "[64, 59, 77, 65]\n"},
	} {
		code, stdout, stderr := exec(c.stdin, append([]string{"-m", demo}, c.args...)...)
		if code != run.Done || stdout != c.want || stderr != "" {
			t.Errorf("%q: code %d, %q, %q; want %q", c.args, code, stdout, stderr, c.want)
		}
	}
}

func TestForeignBytes(t *testing.T) {
	code, stdout, _ := exec("\x1b[2J\xff\xfe", "-m", demo, "--stdin")
	if code != run.Done || strings.Contains(stdout, "\x1b") || !strings.HasPrefix(stdout, "  ") {
		t.Errorf("code %d, %q", code, stdout)
	}
}

func TestWrongUse(t *testing.T) {
	for _, args := range [][]string{{"text"}, {"-m", demo}, {"-m", demo, "a", "b"}, {"-m", demo, "a", "--stdin"}} {
		if code, stdout, stderr := exec("", args...); code != run.WrongUse || stdout != "" || stderr == "" {
			t.Errorf("%q: code %d, %q, %q", args, code, stdout, stderr)
		}
	}
	if code, _, stderr := exec("", "-m", "none.gguf", "a"); code != run.Failed || !strings.Contains(stderr, "none.gguf") {
		t.Errorf("no file: code %d, %q", code, stderr)
	}
}

func TestColours(t *testing.T) {
	v, err := flags.OpenVocab(demo)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := (&options{colours: true}).print(&b, v, "Hello <|im_end|>"); err != nil {
		t.Fatal(err)
	}
	want := "  1341 -> '\x1b[30;46mHello\x1b[0m'\n   220 -> '\x1b[30;47m \x1b[0m'\n  4093 -> '\x1b[30;43m<|im_end|>\x1b[0m'\n"
	if b.String() != want {
		t.Errorf("%q", b.String())
	}
}
