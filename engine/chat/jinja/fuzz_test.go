package jinja

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"
)

// addSeeds adds the templates of the tables.
func addSeeds(f *testing.F) {
	for _, path := range []string{"testdata/features.jsonl", "testdata/semantics.jsonl", "testdata/random.jsonl"} {
		for _, r := range readRows(f, path) {
			f.Add(r.Template)
		}
	}
	data, err := os.ReadFile("testdata/hostile.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, source := range strings.Split(string(data), "\n") {
		f.Add(source)
	}
	for _, source := range hostile {
		if len(source) < 1000 {
			f.Add(source)
		}
	}
}

// FuzzParse: any text is a template or an *Error that points into it.
func FuzzParse(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, source string) {
		_, err := Parse("fuzz", source)
		var e *Error
		if err != nil && (!errors.As(err, &e) || e.Kind != SyntaxError || e.Line < 1 || e.Line > strings.Count(normalize(source), "\n")+1 || e.Column < 1) {
			t.Errorf("%q: %#v", source, err)
		}
	})
}

const fuzzVars = `{"messages": [{"role": "user", "content": "hé <b>"}, {"role": "assistant", "content": null, "tool_calls": [{"function": {"name": "f", "arguments": {"a": 1}}}]}],
	"a": 1, "s": "héllo Wörld", "l": [3, 1, 2], "d": {"b": 1, "a": [1, {"c": "x"}]}, "n": null, "f": 2.5, "big": 12345678901234567890, "tools": []}`

// FuzzRender: rendering ends within its limits, with text or an *Error, and gives the same twice.
func FuzzRender(f *testing.F) {
	addSeeds(f)
	limits := Limits{Steps: 20_000, Output: 1 << 20, Size: 1 << 20, Memory: 8 << 20, Depth: 500}
	f.Fuzz(func(t *testing.T, source string) {
		tmpl, err := Parse("fuzz", source)
		if err != nil {
			return
		}
		var texts [2]string
		var errs [2]error
		for i := range 2 {
			vars, err := FromJSON([]byte(fuzzVars))
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			texts[i], errs[i] = tmpl.Render(context.Background(), vars.(*Dict), &Options{Limits: limits, Now: testNow, Lenient: true})
			if d := time.Since(start); d > 30*time.Second {
				t.Errorf("%q took %v", source, d)
			}
			var e *Error
			if errs[i] != nil && !errors.As(errs[i], &e) {
				t.Errorf("%q: %#v", source, errs[i])
			}
		}
		if texts[0] != texts[1] || (errs[0] == nil) != (errs[1] == nil) {
			t.Errorf("%q gave %q, %v and then %q, %v", source, texts[0], errs[0], texts[1], errs[1])
		}
	})
}
