package grammar

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/tools/internal/run"
)

var demo = filepath.Join("..", "..", "..", "..", "engine", "demo", "demo.gguf")

func exec(args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = run.Exec(context.Background(), Command("llama-grammar"), run.Streams{In: strings.NewReader(""), Out: &out, Err: &err}, args)
	return code, out.String(), err.String()
}

// folder writes files into a new folder and changes to it.
func folder(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCheck(t *testing.T) {
	folder(t, map[string]string{
		"s.json": `{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],"nullable":true}`,
		"g.gbnf": `root ::= "a"+`, "yes.json": "{\"a\": 1}\n", "no.json": `{"a": "<"}`, "half.json": `{"a": 1`, "aa": "aa", "line": "a\n", "twice": "[1, 1]",
		"bad.json": `{"type":"array","uniqueItems":true}`, "left.gbnf": "root ::= root \"a\"",
	})
	const notice = `,"not_enforced":[{"pointer":"#","keyword":"nullable","reason":"unknown keyword"}]}` + "\n"
	for _, c := range []struct {
		args         []string
		code         int
		stdout, want string
	}{
		{[]string{"check", "--schema", "s.json", "yes.json"}, run.Done, `{"file":"yes.json","accepted":true` + notice, ""},
		{[]string{"check", "--schema", "s.json", "no.json", "half.json"}, run.Failed,
			`{"file":"no.json","accepted":false,"offset":6,"reason":"grammar: not allowed here: '\"' after 6 bytes"` + notice +
				`{"file":"half.json","accepted":false,"offset":7,"reason":"the text is not complete"` + notice, "2 of 2 texts are not accepted"},
		{[]string{"check", "--grammar", "g.gbnf", "aa"}, run.Done, `{"file":"aa","accepted":true}` + "\n", ""},
		{[]string{"check", "--grammar", "g.gbnf", "line"}, run.Failed, `{"file":"line","accepted":false,"offset":1,"reason":"grammar: not allowed here: '\\n' after 1 bytes"}` + "\n", "1 of 1"},
		{[]string{"check", "--schema", "bad.json", "aa"}, run.Failed, "", "schema: #: uniqueItems: "},
		{[]string{"check", "--schema", "bad.json", "--lenient", "twice"}, run.Done, `{"file":"twice","accepted":true,"not_enforced":[{"pointer":"#","keyword":"uniqueItems","reason":"items are compared only when they are of at most 64 scalar values"}]}` + "\n", ""},
		{[]string{"check", "--grammar", "left.gbnf", "aa"}, run.Failed, "", "line 1, column 10"},
		{[]string{"check", "--schema", "none.json", "aa"}, run.Failed, "", "none.json"},
		{[]string{"check", "aa"}, run.WrongUse, "", "--schema"},
		{[]string{"check", "--schema", "s.json"}, run.WrongUse, "", "at least one file"},
	} {
		code, stdout, stderr := exec(c.args...)
		if code != c.code || stdout != c.stdout || !strings.Contains(stderr, c.want) || c.want == "" && stderr != "" {
			t.Errorf("%q: code %d, %s, %s", c.args, code, stdout, stderr)
		}
	}
}

func TestBench(t *testing.T) {
	model, err := filepath.Abs(demo)
	if err != nil {
		t.Fatal(err)
	}
	folder(t, map[string]string{
		"a.json": `{"schema":{"type":"string","maxLength":3},"tests":[{"valid":true,"data":"abc"},{"valid":false,"data":"abcd"}]}`,
		"b.json": `{"schema":{"type":"object","properties":{"x":true,"y":true}},"tests":[{"valid":true,"data":{"y":1,"x":[2,3]}}]}`,
		"c.json": `{"schema":{"type":"array","uniqueItems":true},"tests":[]}`,
		"d.json": `{"schema":{"type":"null"},"tests":[]}`,
	})
	code, stdout, stderr := exec("bench", "-m", model, ".")
	for _, want := range []string{"b.json: 0 wrong data accepted, 1 valid refused\n", "c.json: refused: #: uniqueItems: ", "with tests        1 of    2 pass      50.0%",
		"without tests     1 of    2 compile   50.0%", "wrong data accepted: 0, valid data refused: 1\n", "up to us"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is missing in %s", want, stdout)
		}
	}
	if code != run.Done || stderr != "" {
		t.Errorf("code %d, %s", code, stderr)
	}
	if _, stdout, _ := exec("bench", "-m", model, "--json", "."); !strings.Contains(stdout, `{"case":"a.json","tests":2,"passed":true,"false_accepts":0,"false_refusals":0}`) {
		t.Error(stdout)
	}
	if code, _, stderr := exec("bench", "-m", model, "none"); code != run.Failed || !strings.Contains(stderr, "no .json files") {
		t.Errorf("code %d, %s", code, stderr)
	}
}
