package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/tools/internal/run"
)

// exec runs the command as a process would, with nothing of a terminal.
func exec(stdin string, args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = run.Exec(context.Background(), Command("llama-chat"), run.Streams{In: strings.NewReader(stdin), Out: &out, Err: &err}, args)
	return code, out.String(), err.String()
}

const hello = "Hello! How can I help you?\n"

func TestWaysToAsk(t *testing.T) {
	file := filepath.Join(t.TempDir(), "prompt.txt")
	if err := os.WriteFile(file, []byte("Hello!\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	greedy := []string{"--temp", "0", "-rea", "off", "-st"}
	for name, c := range map[string]struct {
		stdin string
		args  []string
	}{
		"argument": {"", []string{"Hello!"}},
		"-p":       {"", []string{"-p", "Hello!"}},
		"-f":       {"", []string{"-f", file}},
		"pipe":     {"Hello!\n", nil},
		"raw":      {"", []string{"-no-cnv", "-p", "<|im_start|>user\nHello!<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n"}},
	} {
		code, stdout, stderr := exec(c.stdin, append(c.args, greedy...)...)
		if code != run.Done || stdout != hello {
			t.Errorf("%s: code %d, %q, %q", name, code, stdout, stderr)
		}
		if !strings.Contains(stderr, "[ Prompt: ") || !strings.Contains(stderr, " t/s | Generation: ") {
			t.Errorf("%s: stderr %q has no speed", name, stderr)
		}
		if strings.Contains(stdout+stderr, "\x1b") {
			t.Errorf("%s: escape codes without a terminal", name)
		}
	}
}

func TestReasoning(t *testing.T) {
	_, stdout, _ := exec("", "What is 12 + 30?", "--temp", "0", "-rea", "on")
	if !strings.HasPrefix(stdout, "[Start thinking]\n") || !strings.Contains(stdout, "\n[End thinking]\n\n") || !strings.HasSuffix(stdout, "42\n") {
		t.Errorf("got %q", stdout)
	}
}

// TestForm asks for answers of a form; a form that cannot be enforced is wrong use.
func TestForm(t *testing.T) {
	file := filepath.Join(t.TempDir(), "form")
	if err := os.WriteFile(file, []byte(`root ::= "yes" | "no"`), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		flag, value, stdout, stderr string
		code                        int
	}{
		{"--grammar", `root ::= "maybe"`, "maybe\n", "", run.Done},
		{"--grammar-file", file, "", "", run.Done},
		{"-j", `{"const": "x y"}`, "\"x y\"\n", "", run.Done},
		{"-j", `{"const": 7, "x-unit": "kg"}`, "7\n", "keyword x-unit at # is not enforced", run.Done},
		{"--json-schema", `{"type": "strin"}`, "", "type", run.WrongUse},
		{"--grammar", `root ::= other`, "", "line 1", run.WrongUse},
		{"--grammar", `root ::= <think> "a" </think> "maybe"`, "[Start thinking]\na\n[End thinking]\n\nmaybe\n", "", run.Done},
		{"--grammar", `root ::= <nothing>`, "", "<nothing> is no token of the vocabulary", run.Failed},
		{"-jf", file, "", "at byte 0", run.WrongUse},
	} {
		code, stdout, stderr := exec("", "Hello!", "--temp", "0", "-rea", "off", c.flag, c.value)
		if code != c.code || c.stdout != "" && stdout != c.stdout || !strings.Contains(stderr, c.stderr) {
			t.Errorf("%s %s: code %d, %q, %q", c.flag, c.value, code, stdout, stderr)
		}
		if c.flag == "--grammar-file" && stdout != "yes\n" && stdout != "no\n" {
			t.Errorf("%q is not of the grammar", stdout)
		}
	}
}

func TestJSON(t *testing.T) {
	code, stdout, stderr := exec("", "Hello!", "--temp", "0", "-rea", "off", "--json", "-n", "4")
	if code != run.Done || stderr != "" {
		t.Fatalf("code %d, stderr %q", code, stderr)
	}
	text, tokens, lines := "", 0, strings.Split(strings.TrimSpace(stdout), "\n")
	for _, line := range lines {
		var e struct {
			Text    string
			Tokens  []int
			Stop    string
			Timings struct {
				PredictedN int `json:"predicted_n"`
			}
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		text += e.Text
		tokens += len(e.Tokens)
		if line == lines[len(lines)-1] && (e.Stop != "limit" || e.Timings.PredictedN != 4) {
			t.Errorf("last line %q", line)
		}
	}
	if tokens != 4 || !strings.HasPrefix(hello, text) {
		t.Errorf("%d tokens, %q", tokens, text)
	}
}

func TestSeedAndSamplers(t *testing.T) {
	ask := func(args ...string) string {
		_, stdout, _ := exec("", append([]string{"-p", "Tell me a story", "-n", "30", "--temp", "1.5", "-rea", "off"}, args...)...)
		return stdout
	}
	first := ask("-s", "7")
	if again := ask("-s", "7"); again != first {
		t.Errorf("the same seed gives %q and %q", first, again)
	}
	if other := ask("-s", "8"); other == first {
		t.Errorf("two seeds give %q", first)
	}
	if ask("-s", "7", "--samplers", "top_k", "--top-k", "1") != ask("-s", "8", "--sampler-seq", "k", "--top-k", "1") {
		t.Error("top_k 1 is not greedy")
	}
}

func TestWrongUse(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "bad.gguf"), []byte("GGUF\x03\x00"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string // cut at blanks
		code int
		want string
	}{
		{"", run.WrongUse, "no prompt"},
		{"a b", run.WrongUse, "one prompt"},
		{"a -p b", run.WrongUse, "one prompt"},
		{"a --temp x", run.WrongUse, "--temp"},
		{"a --top-p 2", run.WrongUse, "--top-p"},
		{"a --samplers bogus", run.WrongUse, "bogus"},
		{"a --bogus", run.WrongUse, "bogus"},
		{"a --mlock", run.WrongUse, "--mlock"},
		{"a -l 5", run.WrongUse, "-l"},
		{"a --chat-template {%if%}", run.Failed, "1:5"},
		{"a --chat-template-kwargs [1]", run.WrongUse, "JSON object"},
		{"a -m " + filepath.Join(dir, "none.gguf"), run.Failed, "none.gguf"},
		{"a -m " + filepath.Join(dir, "bad.gguf"), run.Failed, "bad.gguf"},
		{"a -m " + dir, run.Failed, dir},
		{"a -c 4", run.Failed, "the context holds 4"},
	} {
		code, stdout, stderr := exec("", strings.Fields(c.args)...)
		if code != c.code || !strings.Contains(stderr, c.want) || stdout != "" || strings.Count(strings.TrimSpace(stderr), "\n") > 0 {
			t.Errorf("%q: code %d, stdout %q, stderr %q; want code %d and one line with %q", c.args, code, stdout, stderr, c.code, c.want)
		}
	}
}
