package schema_test

import (
	"testing"

	"github.com/llamakit/llamakit/engine/grammar"
	"github.com/llamakit/llamakit/engine/grammar/pushdown"
	"github.com/llamakit/llamakit/engine/grammar/schema"
)

var (
	tags   = schema.Arguments{Before: "<p=", Colon: ">\n", After: "\n</p>\n", Verbatim: true}
	marked = schema.Arguments{Before: `<p name="`, Colon: `" string="false">`, TextColon: `" string="true">`, After: "</p>", Verbatim: true}
	python = schema.Arguments{Colon: "=", Comma: ", "}
)

// TestArguments writes objects in other forms.
func TestArguments(t *testing.T) {
	words, quotes := schema.Style{Null: "None", True: "True", False: "False"}, schema.Style{Quote: `<|"|>`}
	const object = `{"type": "object", "properties": {"s": {"type": "string", "maxLength": 9}, "n": {"type": ["integer", "boolean"]}, "o": {"type": "object", "properties": {"x y": {"enum": ["a\"b"]}, "z": {"type": "array"}}, "additionalProperties": false}}, "required": ["s"], "additionalProperties": false}`
	const mixed = `{"type": "object", "properties": {"m": {"type": ["string", "integer"], "pattern": "^[^x]*$"}}, "additionalProperties": false}`
	for _, c := range []struct {
		name   string
		form   schema.Arguments
		style  schema.Style
		schema string
		yes    []string
		no     []string
	}{
		{"tags", tags, schema.Style{}, object,
			[]string{"<p=s>\na \"b\"\n<c>\n</p>\n", "<p=s>\n12\n</p>\n<p=n>\ntrue\n</p>\n", "<p=s>\n\n</p>\n<p=o>\n{\"x y\": \"a\\\"b\"}\n</p>\n"},
			[]string{"", "<p=s>\n0123456789\n</p>\n", "<p=n>\n1\n</p>\n", "<p=s>\na</p>b\n</p>\n", "<p=s>\na\n</p>\n<p=n>\n\"1\"\n</p>\n"}},
		{"mixed", tags, schema.Style{}, mixed,
			[]string{"", "<p=m>\n12\n</p>\n", "<p=m>\nabc\n</p>\n", "<p=m>\n\"12\"\n</p>\n", "<p=m>\ntrue story\n</p>\n"},
			[]string{"<p=m>\n12 a\n</p>\n", "<p=m>\n[\n</p>\n", "<p=m>\ntrue\n</p>\n", "<p=m>\nax\n</p>\n"}},
		{"marked", marked, schema.Style{}, mixed,
			[]string{`<p name="m" string="true">12</p>`, `<p name="m" string="false">12</p>`, `<p name="m" string="true">true</p>`},
			[]string{`<p name="m" string="false">"12"</p>`, `<p name="m" string="false">a</p>`}},
		{"python", python, words, object,
			[]string{`s="a\"b"`, `s="a", n=True, o={"z": [None, {"k": False}]}`, `s="a", n=-1`}, []string{`s=a`, `s="a",n=1`, `s="a", n=true`}},
		{"quotes", schema.Arguments{Colon: ":", Comma: ","}, quotes, object,
			[]string{`s:<|"|>a "b"<|"|>,n:1`, `s:<|"|><|"|>,o:{<|"|>x y<|"|>:<|"|>a"b<|"|>,z:[<|"|>c<|"|>,{q:null}]}`}, []string{`s:"a"`, `s:<|"|>a`, `s:<|"|>a<|"|>,o:{x y:<|"|>a"b<|"|>}`}},
		{"any", tags, schema.Style{}, `{"type": "object"}`, []string{"", "<p=a>\nb\n</p>\n<p=c d>\n1\n</p>\n"}, []string{"<p=a>b>\nc\n</p>\n"}},
	} {
		b := pushdown.NewBuilder()
		e, _, _, err := schema.CompileArguments(b, []byte(c.schema), schema.Options{Style: c.style, Compact: c.style.Quote != ""}, c.form)
		if err != nil {
			t.Fatal(c.name, err)
		}
		g, err := grammar.New(b, e)
		if err != nil {
			t.Fatal(c.name, err)
		}
		accepts := func(text string) bool {
			m := g.Matcher(nil)
			_, err := m.AcceptBytes([]byte(text))
			return err == nil && m.CanStop()
		}
		for _, text := range c.yes {
			if !accepts(text) {
				t.Errorf("%s refuses %q", c.name, text)
			}
		}
		for _, text := range c.no {
			if accepts(text) {
				t.Errorf("%s accepts %q", c.name, text)
			}
		}
	}
}

// TestKinds: what the values of members can be.
func TestKinds(t *testing.T) {
	const text = `{"type": "object", "properties": {"s": {"anyOf": [{"const": "a"}, {"$ref": "#/$defs/d"}]}, "n": {"type": ["null", "array"]}, "m": {}, "e": {"enum": [1, "b"]}},
		"additionalProperties": {"type": "string"}, "$defs": {"d": {"type": "string", "format": "date"}}}`
	_, kinds, _, err := schema.CompileArguments(pushdown.NewBuilder(), []byte(text), schema.Options{}, tags)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]schema.Kind{"s": schema.Text, "n": schema.Other, "m": schema.Mixed, "e": schema.Mixed, "else": schema.Text} {
		if got := kinds.Of(name); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
	const bad = `{"type": "object", "properties": {"a>b": {}}, "additionalProperties": false}`
	if _, _, _, err := schema.CompileArguments(pushdown.NewBuilder(), []byte(bad), schema.Options{}, tags); err == nil {
		t.Error("a name that ends early is taken")
	}
}
