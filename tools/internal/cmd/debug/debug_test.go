package debug

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/engine/debug"
	"github.com/llamakit/llamakit/tools/internal/run"
)

var demoFile = filepath.Join("..", "..", "..", "..", "engine", "demo", "demo.gguf")

// exec runs the command on the embedded model, with a short context.
func exec(args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	args = append([]string{"-c", "512"}, args...)
	code = run.Exec(context.Background(), Command("llama debug"), run.Streams{In: strings.NewReader(capital + "\n"), Out: &out, Err: &err}, args)
	return code, out.String(), err.String()
}

func mustRun(t *testing.T, args ...string) string {
	t.Helper()
	code, stdout, stderr := exec(args...)
	if code != run.Done {
		t.Fatalf("%q: code %d, %s", args, code, stderr)
	}
	return stdout
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

const capital = "What is the capital of France?"

func TestText(t *testing.T) {
	out := mustRun(t, "-p", capital, "--temp", "0", "-s", "1")
	for _, want := range []string{"seed 1", "prompt: 17 tokens, perplexity", `"<|im_start|>"`, "-top_p", "The capital of France is Paris.", "stopped: the model ended its turn with <|im_end|>"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	if out = mustRun(t, "-f", "-", "--render"); !strings.Contains(out, "user\n"+capital+"<|im_end|>") {
		t.Errorf("from standard input: %s", out)
	}
	out = mustRun(t, "-p", "Hi<|im_end|>\x1b[2J", "--render")
	if !strings.Contains(out, "attempt: messages[0] (user) spells <|im_end|>") || strings.Contains(out, "\x1b") {
		t.Errorf("%s", out)
	}
	out = mustRun(t, "-p", "x", "--raw", "--grammar", `root ::= "a" num`+"\n"+`num ::= [0-9]{2}`, "-n", "1", "--no-surprise")
	if !strings.Contains(out, "root > num wants [0-9]") || !strings.Contains(out, "-grammar") {
		t.Errorf("%s", out)
	}
}

// TestRecordAndReplay: a recording gives the same bytes again and again, and another model, or another answer, is an error.
func TestRecordAndReplay(t *testing.T) {
	file := filepath.Join(t.TempDir(), "run.json")
	first := mustRun(t, "-p", "Tell me a story.", "-n", "20", "--record", file, "--json")
	recorded, err := os.ReadFile(file)
	if err != nil || string(recorded) != first {
		t.Fatalf("%v, or the file is not what was printed", err)
	}
	for range 2 {
		if again := mustRun(t, "--replay", file, "--json"); again != first {
			t.Fatal("the replay has other bytes")
		}
	}
	other := write(t, "other.json", strings.Replace(first, "xxh64:", "xxh64:f", 1))
	if code, stdout, stderr := exec("--replay", other); code != run.Failed || stdout != "" || !strings.Contains(stderr, "the model is another one") {
		t.Errorf("code %d, %q", code, stderr)
	}
	var r debug.Run
	if err := json.Unmarshal(recorded, &r); err != nil {
		t.Fatal(err)
	}
	r.Answer[3].ID++
	changed, _ := json.Marshal(&r)
	code, stdout, stderr := exec("--replay", write(t, "changed.json", string(changed)), "--json")
	if code != run.Failed || stdout != first || !strings.Contains(stderr, "token 3 of the answer differs") {
		t.Errorf("code %d, %q", code, stderr)
	}
}

func TestBranch(t *testing.T) {
	var r debug.Run
	if err := json.Unmarshal([]byte(mustRun(t, "-p", capital, "--temp", "0", "--branch", "7:261", "--json")), &r); err != nil {
		t.Fatal(err)
	}
	if r.Past != 8 || r.Answer[7].ID != 261 || r.Answer[6].Text != " is" {
		t.Errorf("%+v", r.Answer)
	}
}

// TestAssertions: what the exit code is, and what is told of passes, failures and tokens that nearly were others.
func TestAssertions(t *testing.T) {
	prompt := write(t, "p.txt", capital+"\n")
	recording := filepath.Join(t.TempDir(), "run.json")
	mustRun(t, "-f", prompt, "--temp", "0", "--record", recording)
	for _, c := range []struct {
		args []string
		code int
		want string // in stdout, or where the code is not 0 or 100 in stderr
	}{
		{[]string{"-f", prompt, "--assert", `text contains "Paris"`, "--seeds", "1..6", "--need", "5"}, 0, "6 of 6 passed"},
		{[]string{"-f", prompt, "--assert", `json.amount == 320`, "--seeds", "1..3"}, NotHeld, "0 of 3 passed"},
		{[]string{"-f", prompt, "--assert", `margin(0) >= 1.0`, "--assert", `stop == "eos"`, "--temp", "0"}, 0, "narrow: token 0"},
		{[]string{"-f", prompt, "--assert", `margin(0) >= 90`, "--temp", "0"}, NotHeld, "does not hold"},
		{[]string{"--assert", `tokens[0].text == "The" and logprob(-1) > -0.1`, recording}, 0, "1 of 1 passed"},
		{[]string{"--assert", `text == ""`, recording}, NotHeld, "0 of 1 passed"},
		{[]string{"-f", prompt, "--assert", `txt == ""`}, run.Failed, "unknown name txt"},
		{[]string{"--assert", "true", "nothing.json"}, run.Failed, "nothing.json"},
		{[]string{"-f", prompt, "--assert", "true", "--seeds", "3..1"}, run.WrongUse, "--seeds"},
		{[]string{"-f", prompt, "--assert", "true", "--need", "2"}, run.WrongUse, "2 passes"},
	} {
		code, stdout, stderr := exec(c.args...)
		in := stdout
		if c.code != 0 && c.code != NotHeld {
			in = stderr
		}
		if code != c.code || !strings.Contains(in, c.want) {
			t.Errorf("%q: code %d, %q, %q", c.args, code, stdout, stderr)
		}
	}
}

func TestCasesAndJUnit(t *testing.T) {
	cases := write(t, "cases.jsonl", `{"name": "capital", "messages": [{"role": "user", "content": "`+capital+`"}], "assert": "text contains 'Paris'", "seeds": "1..2"}
{"name": "no <such> thing", "prompt": "x", "max_tokens": 2, "assert": ["text == 'never'"]}
`)
	report := filepath.Join(t.TempDir(), "junit.xml")
	code, stdout, _ := exec("--cases", cases, "--junit", report, "--json", "--temp", "0")
	var results []struct {
		Test         string
		Passed, Runs int
		OK           bool
		Interval     [2]float64
	}
	if err := json.Unmarshal([]byte(stdout), &results); err != nil || code != NotHeld || len(results) != 2 {
		t.Fatalf("code %d, %v, %s", code, err, stdout)
	}
	if r := results[0]; !r.OK || r.Passed != 2 || r.Runs != 2 || r.Interval[1] != 1 || r.Interval[0] < 0.3 || results[1].OK {
		t.Errorf("%+v", results)
	}
	data, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	var suites junitSuites
	if err := xml.Unmarshal(data, &suites); err != nil || suites.Failures != 1 || suites.Suite.Cases[1].Name != "no <such> thing" || suites.Suite.Cases[1].Failure == nil || suites.Suite.Cases[0].Failure != nil {
		t.Errorf("%v, %s", err, data)
	}
}

func TestCompare(t *testing.T) {
	out := mustRun(t, "-p", capital, "--temp", "0", "--against", demoFile)
	if !strings.Contains(out, "the same 12 tokens") || !strings.Contains(out, "0.00000 nats on average") {
		t.Errorf("%s", out)
	}
	recording := filepath.Join(t.TempDir(), "run.json")
	mustRun(t, "-p", "Hello!", "--record", recording, "--temp", "0")
	if out = mustRun(t, "-p", capital, "--temp", "0", "--against", recording); !strings.Contains(out, "different: messages") || !strings.Contains(out, "the answers part at token 0") {
		t.Errorf("%s", out)
	}
	if out = mustRun(t, "-p", capital, "--seeds", "1..3", "-n", "3", "--temp", "0"); !strings.Contains(out, "1 kind of answer from 3 seeds") {
		t.Errorf("%s", out)
	}
}

func TestWrongUse(t *testing.T) {
	for _, args := range [][]string{
		{}, {"recording.json"}, {"-p", "x", "--replay", "r.json"}, {"-p", "x", "--need", "1"}, {"-p", "x", "-f", "y"}, {"-m", "x", "--url", "y", "-p", "z"},
		{"-p", "x", "--record", "r.json", "--seeds", "1..2"}, {"-p", "x", "--branch", "3"}, {"-p", "x", "--tools", demoFile, "--raw", "--messages", demoFile},
		{"--assert", "true", "--seeds", "1", "r.json"}, {"-p", "x", "--json-schema", "{"},
	} {
		if code, stdout, stderr := exec(args...); code != run.WrongUse || stdout != "" || stderr == "" {
			t.Errorf("%q: code %d, %q, %q", args, code, stdout, stderr)
		}
	}
	for _, args := range [][]string{
		{"-f", "nothing.txt"}, {"--replay", demoFile}, {"-p", "x", "--chat-template", "{{"}, {"-p", "x", "--grammar", "root ::= x"},
		{"-p", "x", "--against", "nothing"}, {"-p", "x", "--record", "."}, {"-p", "x", "--record", filepath.Join("no", "such", "folder.json")}, {"-p", "x", "--url", "127.0.0.1:1"},
	} {
		if code, _, stderr := exec(args...); code != run.Failed || stderr == "" {
			t.Errorf("%q: code %d, %q", args, code, stderr)
		}
	}
}
