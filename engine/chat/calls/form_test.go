package calls

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/engine/grammar"
	"github.com/llamakit/llamakit/engine/grammar/schema"
)

func accepts(g *grammar.Grammar, text string) bool {
	m := g.Matcher(nil)
	_, err := m.AcceptBytes([]byte(text))
	return err == nil && m.CanStop()
}

// TestGroup: what a format writes is of its grammar, with the tools that there are and arguments of their schemas, and as many
// calls as may be.
func TestGroup(t *testing.T) {
	for _, f := range Formats() {
		many, err := f.Compile(testTools, Options{})
		if err != nil {
			t.Fatal(f.Name, err)
		}
		single, err := f.Compile(testTools, Options{Single: true, Required: true})
		if err != nil {
			t.Fatal(f.Name, err)
		}
		for i := range f.pictures {
			p := &f.pictures[i]
			call, both := f.text(p, one), f.text(p, two)
			if !accepts(many.Group, call) || !accepts(single.First, call) {
				t.Errorf("%s %d: not accepted: %q", f.Name, i, call)
			}
			if f.open != "" && (!accepts(many.Group, both) || accepts(single.Group, both)) {
				t.Errorf("%s %d: two calls in a group: %q", f.Name, i, both)
			}
			for _, wrong := range []string{strings.Replace(call, "get_weather", "get_whether", 1), strings.Replace(call, "3", "null", 1),
				strings.ReplaceAll(strings.Replace(call, "days", "nights", 1), "3", "5"), call[:len(call)-1] + "!", " " + call} {
				if accepts(many.Group, wrong) {
					t.Errorf("%s %d accepts %q", f.Name, i, wrong)
				}
			}
			if !startsWithOne(call, append(many.Triggers, many.Beginning)) {
				t.Errorf("%s %d: none of %q begins %q", f.Name, i, many.Triggers, call)
			}
		}
		if f.reasoning[0] != "" && !accepts(single.First, f.reasoning[0]+"hm <|"+f.reasoning[1]+f.Text(one)) {
			t.Errorf("%s: no call after reasoning", f.Name)
		}
	}
}

func startsWithOne(text string, list []string) bool {
	for _, l := range list {
		if l != "" && strings.HasPrefix(text, l) {
			return true
		}
	}
	return false
}

// wideSchema has all kinds of values, with short texts, so that random ones come to an end.
const wideSchema = `{"type": "object", "properties": {
	"s": {"type": "string", "maxLength": 6}, "e": {"enum": ["a b", "c\"d", "é", "<x>"]}, "i": {"type": "integer", "minimum": -99, "maximum": 99},
	"m": {"type": ["string", "integer", "null"], "maxLength": 3, "minimum": 0, "maximum": 9}, "b": {"type": "boolean"}, "n": {"const": null},
	"l": {"type": "array", "items": {"anyOf": [{"type": "boolean"}, {"type": "string", "maxLength": 2}]}, "maxItems": 3},
	"o": {"type": "object", "properties": {"x y": {"type": "string", "maxLength": 2}, "z": {"type": "null"}}, "additionalProperties": false}},
	"required": ["i"], "additionalProperties": false}`

// singleBytes is a vocabulary of all bytes.
type singleBytes struct{}

func (singleBytes) Size() int                            { return 257 }
func (singleBytes) Piece(t grammar.Token, _ bool) []byte { return []byte{byte(t)} }
func (singleBytes) IsEOG(t grammar.Token) bool           { return t == 256 }

var byteWords = grammar.NewVocabulary(singleBytes{})

// walk is a random text of a grammar; "" where it has come to no end.
func walk(t *testing.T, r *rand.Rand, g *grammar.Grammar) string {
	m, mask := g.Matcher(byteWords), grammar.NewMask(257)
	var b strings.Builder
	for range 5000 {
		if err := m.Mask(mask); err != nil {
			t.Fatal(err)
		}
		var open []grammar.Token
		for c := range grammar.Token(257) {
			if mask.Has(c) && (c == 256 || c >= ' ' && c < 0x7f || c == '\n' || mask.Count() < 70) {
				open = append(open, c)
			}
		}
		c := open[r.IntN(len(open))]
		if c == 256 || m.Accept(c) != nil {
			return b.String()
		}
		b.WriteByte(byte(c))
	}
	return ""
}

// TestRoundTrip: a random text of a format's grammar is read as calls; these, written, are of the grammar, and read as the same.
func TestRoundTrip(t *testing.T) {
	tools := []Tool{{Name: "wide", Parameters: []byte(wideSchema)}, {Name: "none_at-all", Parameters: []byte(`{"type": "object", "additionalProperties": false}`)},
		{Name: "free", Parameters: []byte(`{"type": "object", "additionalProperties": {"type": "integer", "maximum": 9, "minimum": 0}, "maxProperties": 1, "propertyNames": {"maxLength": 4}}`)}}
	arguments, err := grammar.FromSchema([]byte(wideSchema), schema.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range Formats() {
		form, err := f.Compile(tools, Options{})
		if err != nil {
			t.Fatal(f.Name, err)
		}
		r, ends := rand.New(rand.NewPCG(1, 2)), 0
		for range 60 {
			text := walk(t, r, form.Group)
			if text == "" {
				continue
			}
			ends++
			list := readCalls(t, form, text)
			if len(list) == 0 {
				t.Fatalf("%s: %q is no call", f.Name, text)
			}
			for _, c := range list {
				if c.Name == "wide" && !accepts(arguments, string(c.Arguments)) {
					t.Errorf("%s: %q has arguments %s", f.Name, text, c.Arguments)
				}
			}
			again := f.Text(list)
			if !accepts(form.Group, again) && (f.open != "" || len(list) == 1) && !strings.Contains(again, "</") {
				t.Errorf("%s: not accepted: %q, of %q", f.Name, again, text)
			}
			for i, c := range readCalls(t, form, again) {
				if c.Name != list[i].Name || !bytes.Equal(c.Arguments, list[i].Arguments) {
					t.Errorf("%s: %s %s, before %s %s", f.Name, c.Name, c.Arguments, list[i].Name, list[i].Arguments)
				}
			}
		}
		if ends < 40 {
			t.Errorf("%s: only %d of 60 walks end", f.Name, ends)
		}
	}
}

// readCalls is the calls of an answer without text.
func readCalls(t *testing.T, form *Form, answer string) (list []Call) {
	if f := form.Format; !f.Raw {
		answer = strings.TrimPrefix(answer, f.prompt)
	}
	g := split(t, form.Splitter(), answer)
	if strings.TrimSpace(g.text) != "" || g.broken > 0 {
		t.Fatalf("%s: %q: %v", form.Format.Name, answer, g)
	}
	for _, c := range g.calls {
		name, arguments, _ := strings.Cut(c, " ")
		if !json.Valid([]byte(arguments)) {
			t.Fatalf("%s: %q: no JSON: %s", form.Format.Name, answer, arguments)
		}
		list = append(list, Call{Name: name, ID: "abcdefg12", Arguments: []byte(arguments)})
	}
	return list
}

// TestTools: what cannot be written is an error that names the tool.
func TestTools(t *testing.T) {
	for _, c := range []struct{ format, name, schema string }{
		{"qwen3-coder", "f>g", `{"type": "object"}`},
		{"kimi-k2", "a b", `{"type": "object"}`},
		{"lfm2", "f", `{"type": "object", "properties": {"a=b": {}}}`},
		{"hermes", "f", `{"type": "object", "properties": {"a": {"pattern": "("}}}`},
	} {
		for _, f := range Formats() {
			if f.Name != c.format {
				continue
			}
			var bad *Error
			_, err := f.Compile(append(testTools, Tool{Name: c.name, Parameters: []byte(c.schema)}), Options{})
			if !errors.As(err, &bad) || bad.Tool != 2 {
				t.Errorf("%s: %v", c.format, err)
			}
		}
	}
}

// FuzzSplitter: in every format the result does not depend on the cuts, and nothing is lost where there is no call.
func FuzzSplitter(f *testing.F) {
	for i, format := range Formats() {
		f.Add("So. "+format.Text(two)+" end", i, 20)
		f.Add(format.Text(one)[:12]+"!", i, 3)
	}
	f.Fuzz(func(t *testing.T, answer string, n, at int) {
		format := Formats()[uint(n)%uint(len(Formats()))]
		at = max(0, min(at, len(answer)))
		whole, cut := split(t, format.Splitter(), answer), split(t, format.Splitter(), answer[:at], answer[at:])
		if whole.String() != cut.String() {
			t.Errorf("%s, %q: %v, cut at %d: %v", format.Name, answer, whole, at, cut)
		}
		if len(whole.calls) == 0 && format.plain == "" && squeezed(whole.text) != squeezed(answer) {
			t.Errorf("%s, %q: text %q", format.Name, answer, whole.text)
		}
	})
}
