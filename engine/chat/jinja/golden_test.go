package jinja

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/llamakit/llamakit/bench/golden"
)

// TestGoldenTemplates renders the public chat templates with the recorded conversations, as Jinja2 did.
func TestGoldenTemplates(t *testing.T) {
	dir := golden.Shared(t, "golden", "templates")
	f, err := os.Open(filepath.Join(dir, "renders.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	equal, total := 0, 0
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var r struct {
			Template, Conversation string
			Input                  json.RawMessage
			Output                 *string
		}
		if err := json.Unmarshal(in.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		got, err := renderGolden(t, filepath.Join(dir, r.Template), r.Input)
		if d := time.Since(start); d > 30*time.Second {
			t.Errorf("%s %s: took %v", r.Template, r.Conversation, d)
		}
		if r.Output == nil {
			continue
		}
		total++
		switch {
		case err != nil:
			t.Errorf("%s %s: %v", r.Template, r.Conversation, err)
		case got != *r.Output:
			t.Errorf("%s %s:\n got  %q\n want %q", r.Template, r.Conversation, got, *r.Output)
		default:
			equal++
		}
	}
	t.Logf("%d of %d renders are equal", equal, total)
}

func renderGolden(t *testing.T, path string, input []byte) (string, error) {
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	tmpl, err := Parse(filepath.Base(path), string(source))
	if err != nil {
		return "", err
	}
	v, err := FromJSON(input)
	if err != nil {
		t.Fatal(err)
	}
	vars := v.(*Dict).clone()
	if extra, ok := vars.Get("extra"); ok {
		(&state{limits: Limits{}.withDefaults(), fuel: 1 << 20}).updateDict(vars, extra)
	}
	for name, text := range map[string]string{"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"} {
		vars.Set(name, text)
	}
	if _, ok := vars.Get("add_generation_prompt"); !ok {
		vars.Set("add_generation_prompt", true)
	}
	return tmpl.Render(context.Background(), vars, &Options{Now: testNow})
}
