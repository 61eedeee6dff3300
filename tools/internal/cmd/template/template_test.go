package template

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/tools/internal/run"
)

func exec(stdin string, args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = run.Exec(context.Background(), Command("template"), run.Streams{In: strings.NewReader(stdin), Out: &out, Err: &err}, args)
	return code, out.String(), err.String()
}

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.jinja")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRender(t *testing.T) {
	file := write(t, "{{ bos_token }}{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}{{ tools | tojson }}{{ strftime_now('%d %b') }}{{ x }}")
	input := `{"messages":[{"role":"user","content":"a<b"}],"tools":[{"z":1,"a":"<&"}],"extra":{"x":"!"}}`
	code, stdout, stderr := exec(input, "--template", file, "--input", "-", "--date", "2026-10-15T09:30:00Z")
	if want := `<s>[user]a<b[{"z": 1, "a": "<&"}]15 Oct!`; code != run.Done || stdout != want || stderr != "" {
		t.Errorf("code %d, %q, %q; want %q", code, stdout, stderr, want)
	}
	demo := filepath.Join("..", "..", "..", "..", "engine", "demo", "demo.gguf")
	code, stdout, stderr = exec(`{"messages":[{"role":"user","content":"Hi"}],"add_generation_prompt":true}`, "-m", demo, "--input", "-")
	if want := "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n"; code != run.Done || stdout != want {
		t.Errorf("demo model: code %d, %q, %q; want %q", code, stdout, stderr, want)
	}
}

func TestErrors(t *testing.T) {
	good := `{"messages":[{"role":"user","content":"a"}]}`
	for _, c := range []struct {
		template, stdin string
		code            int
		want            string
	}{
		{"{{ raise_exception('No second user turn') }}", good, run.Failed, "No second user turn"},
		{"line\n{% if %}", good, run.Failed, "2:7"},
		{"x", `{"messages":{}}`, run.Failed, "messages"},
		{"x", `[1]`, run.Failed, "object"},
		{"x", `{`, run.Failed, "-: "},
		{"{% for i in range(999999999) %}{% endfor %}", good, run.Failed, "1:"},
	} {
		code, stdout, stderr := exec(c.stdin, "--template", write(t, c.template), "--input", "-")
		if code != c.code || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: code %d, %q, %q; want %q", c.template, code, stdout, stderr, c.want)
		}
	}
	if code, _, _ := exec("", "--template", "x", "-m", "y", "--input", "-"); code != run.WrongUse {
		t.Errorf("two templates: code %d", code)
	}
}

func TestSample(t *testing.T) {
	file := write(t, "{% for m in messages %}[{{ m.role }}]{% endfor %}{{ tools is defined }}")
	// The template shows no tools, so they are told in the messages.
	for name, want := range map[string]string{"question": "[user]False", "turns": "[system][user][assistant][user]False", "tools": "[user][assistant][user]False"} {
		if code, stdout, stderr := exec("", "--template", file, "--sample", name); code != run.Done || stdout != want {
			t.Errorf("%s: code %d, %q, %s", name, code, stdout, stderr)
		}
	}
	for _, args := range [][]string{{"--sample", "none"}, {"--sample", "turns", "--input", "-"}, nil} {
		if code, _, _ := exec("", append(args, "--template", file)...); code != run.WrongUse {
			t.Errorf("%q: code %d", args, code)
		}
	}
}
