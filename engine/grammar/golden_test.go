package grammar_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/bench/golden"
	"github.com/llamakit/llamakit/engine/grammar"
	"github.com/llamakit/llamakit/engine/grammar/schema"
)

type suiteGroup struct {
	Description string
	Schema      json.RawMessage
	Tests       []suiteTest
}

type suiteTest struct {
	Description string
	Data        json.RawMessage
	Valid       bool
}

// outcome counts what became of tests.
type outcome struct{ refused, right, strict, lax int }

// TestSuite runs the JSON Schema test suite (2020-12). Data that is not valid must never be accepted; valid data may be refused where
// it is written in a way that we do not write, and schemas may be refused. The counts are in docs/structured-output.md.
func TestSuite(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(golden.Shared(t, "golden", "schema", "suite"), "*.json"))
	all := outcome{}
	for _, file := range files {
		var groups []suiteGroup
		readJSON(t, file, &groups)
		var o outcome
		for _, g := range groups {
			compiled, err := grammar.FromSchema(g.Schema, schema.Options{})
			for _, test := range g.Tests {
				o.count(t, filepath.Base(file)+": "+g.Description+": "+test.Description, compiled, err, test)
			}
		}
		t.Logf("%-28s %3d right, %3d refused as text, %3d as schema", filepath.Base(file), o.right, o.strict, o.refused)
		all = outcome{all.refused + o.refused, all.right + o.right, all.strict + o.strict, all.lax + o.lax}
	}
	t.Logf("%-28s %3d right, %3d refused as text, %3d as schema", "all", all.right, all.strict, all.refused)
}

func (o *outcome) count(t *testing.T, name string, g *grammar.Grammar, err error, test suiteTest) {
	switch {
	case err != nil && strings.HasSuffix(err.Error(), "no value satisfies the schema"):
		if test.Valid {
			t.Errorf("%s: %v", name, err)
		}
		o.right++
	case err != nil:
		o.refused++
	case accepts(g, test.Data) == test.Valid:
		o.right++
	case test.Valid:
		o.strict++
		if testing.Verbose() {
			t.Logf("refused: %s %s", name, test.Data)
		}
	default:
		o.lax++
		t.Errorf("%s: accepted %s", name, test.Data)
	}
}

// accepts reports whether data is of g, with a blank after commas and colons.
func accepts(g *grammar.Grammar, data []byte) bool {
	m := g.Matcher(nil)
	_, err := m.AcceptBytes(spaced(data))
	return err == nil && m.CanStop()
}

func readJSON(t *testing.T, file string, v any) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// spaced writes JSON with a blank after commas and colons, numbers as they are.
func spaced(data []byte) []byte {
	var out []byte
	quoted := false
	for i := 0; i < len(data); i++ {
		c := data[i]
		switch {
		case quoted && c == '\\':
			out = append(out, c)
			i++
			c = data[i]
		case c == '"':
			quoted = !quoted
		case !quoted && strings.IndexByte(" \t\r\n", c) >= 0:
			continue
		}
		if out = append(out, c); !quoted && (c == ',' || c == ':') {
			out = append(out, ' ')
		}
	}
	return out
}

// TestBench runs the cases of MaskBench, a byte at a time.
func TestBench(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(golden.Shared(t, "golden", "schema", "bench"), "*.json"))
	tested, passed, untested, compiled := 0, 0, 0, 0
	for _, file := range files {
		var c suiteGroup
		readJSON(t, file, &c)
		g, err := grammar.FromSchema(c.Schema, schema.Options{})
		if len(c.Tests) == 0 {
			untested++
			if err == nil {
				compiled++
			}
			continue
		}
		tested++
		var o outcome
		for _, test := range c.Tests {
			o.count(t, filepath.Base(file)+": "+test.Description, g, err, test)
		}
		if o.right == len(c.Tests) {
			passed++
		}
	}
	t.Logf("%d of %d with tests pass, %d of %d without compile", passed, tested, compiled, untested)
	if 100*passed < 95*tested || 100*compiled < 88*untested {
		t.Error("that is less than it was")
	}
}
