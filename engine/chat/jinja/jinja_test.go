package jinja

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"testing"
	"time"
)

// testNow is the time that recorded answers were made at.
var testNow = time.Date(2026, 10, 15, 9, 30, 0, 0, time.UTC)

// row is one recorded template: testdata/*.jsonl, made with Jinja2 3.1.6 set up as transformers sets it up.
type row struct {
	Template string          `json:"template"`
	Vars     json.RawMessage `json:"vars"`
	Out      string          `json:"out"`
	Err      string          `json:"err"`
}

func readRows(t testing.TB, path string) []row {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows []row
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var r row
		if err := json.Unmarshal(in.Bytes(), &r); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		rows = append(rows, r)
	}
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
	return rows
}

// run parses and renders with the variables in a JSON object, which may be empty.
func run(source string, vars []byte) (string, error) {
	tmpl, err := Parse("test", source)
	if err != nil {
		return "", err
	}
	d := NewDict()
	if len(vars) > 0 {
		v, err := FromJSON(vars)
		if err != nil {
			return "", err
		}
		d = v.(*Dict)
	}
	return tmpl.Render(context.Background(), d, &Options{Now: testNow})
}

func checkRows(t *testing.T, path string) {
	for _, r := range readRows(t, path) {
		got, err := run(r.Template, r.Vars)
		switch {
		case r.Err != "" && err == nil:
			t.Errorf("%s\n rendered %q, Jinja2 fails: %s", r.Template, got, r.Err)
		case r.Err == "" && err != nil:
			t.Errorf("%s\n error %v, want %q", r.Template, err, r.Out)
		case r.Err == "" && got != r.Out:
			t.Errorf("%s\n got  %q\n want %q", r.Template, got, r.Out)
		}
	}
}

func TestFeatures(t *testing.T) { checkRows(t, "testdata/features.jsonl") }
