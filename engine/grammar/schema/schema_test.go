package schema_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/llamakit/llamakit/engine/grammar"
	"github.com/llamakit/llamakit/engine/grammar/schema"
)

// texts are separated by blanks; a blank inside is written as ~.
func texts(list string) []string {
	if list == "" {
		return nil
	}
	out := strings.Split(list, " ")
	for i := range out {
		out[i] = strings.ReplaceAll(out[i], "~", " ")
	}
	return out
}

func TestAccepted(t *testing.T) {
	for _, c := range []struct{ schema, yes, no string }{
		{`true`, `null true 12 -0.5e7 "a" [] [1,{"a":[]}] {"a":{}}`, `nul [1 {"a"} 01 'a' [1,] {,}`},
		{`{"type":"object","properties":{}}`, `{} {"x":1}`, `[] 1`},
		{`{"type":"integer"}`, `0 -1 12`, `1.0 1e2 -0 03`},
		{`{"type":"integer","minimum":3}`, `3 10 12`, `2 03 -3 3.5`},
		{`{"type":"integer","minimum":-9007199254740991,"maximum":9007199254740991}`, `-9007199254740991 0 9007199254740991`, `9007199254740992 -9007199254740992`},
		{`{"type":"integer","minimum":0,"maximum":20000000000}`, `0 19999999999 20000000000`, `20000000001 -1 30000000000`},
		{`{"minimum":1.5,"exclusiveMaximum":2}`, `1.5 1.50 1.99 1.999 "x"`, `2 2.0 1.4 1.49 -1.7`},
		{`{"type":"number","maximum":-0.25}`, `-0.25 -1 -0.3`, `-0.2 0 -0.24 1`},
		{`{"type":"number","multipleOf":0.05,"minimum":0,"maximum":1}`, `0 0.05 0.10 1 1.00`, `0.01 1.05 0.051`},
		{`{"type":"integer","multipleOf":60,"minimum":1,"maximum":100}`, `60`, `0 7 61 120`},
		{`{"const":1.50}`, `1.5`, `1.50 1 15`},
		{`{"enum":["a\\b","say \"hi\"","\t","é","",null,[1,{"b":2}]]}`, `"a\\b" "say~\"hi\"" "\t" "é" "" null [1,{"b":2}]`, `"a" "a\b" [1] [1,{}]`},
		{`{"type":"string","minLength":2,"maxLength":3}`, `"ab" "日本" "😀\n\u00e9"`, `"a" "abcd" "\ud800a"`},
		{`{"pattern":"^(anon-)?\\d{3,}$"}`, `"anon-123" "1234" 5`, `"12" "anon-12"`},
		{`{"type":"string","pattern":"\\S"}`, `"a" "~a~"`, `"" "~~" "\t"`},
		{`{"type":"string","pattern":"^a|b$"}`, `"ax" "xb"`, `"xa" "bx"`},
		{`{"type":"string","pattern":"^[\"\\\\]+$"}`, `"\"" "\\\""`, `"a"`},
		{`{"type":"string","format":"date-time"}`, `"2024-02-29T23:59:59Z" "2023-01-31t00:00:00.5+01:00"`, `"2023-02-29T00:00:00Z" "2023-01-01" "2023-13-01T00:00:00Z"`},
		{`{"type":"string","format":"ipv6"}`, `"::1" "1:2:3:4:5:6:7:8" "::ffff:1.2.3.4"`, `"1::2::3" ":1" "12345::"`},
		{`{"type":"string","format":"email"}`, `"a.b@c.de"`, `"a@" "@b" "a..b@c" "a@-b"`},
		{`{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"null"}},"required":["b"],"additionalProperties":false}`,
			`{"a":1,"b":null} {"b":null} {"b":~null} {"a":1,~"b":null}`, `{} {"a":1} {"b":null,"a":1} {"b":null,"b":null} {"b":null,"c":1}`},
		{`{"type":"object","properties":{"a":{"type":"integer"}},"additionalProperties":{"type":"string"}}`,
			`{} {"a":1} {"a":1,"ab":"x","":"y"} {"b":"x"}`, `{"a":"x"} {"b":1} {"a":1,"a":"x"} {"b":"x","a":1}`},
		{`{"properties":{"ключ":{"const":1},"naïve~名":{"const":2},"q\"x":{"const":3}},"required":["ключ","naïve 名","q\"x"]}`,
			``, `{"ключ":1}`},
		{`{"properties":{"ключ":{"const":1},"q\"x":{"const":3}},"required":["ключ","q\"x"]}`, `{"ключ":1,"q\"x":3}`, `{"ключ":1}`},
		{`{"properties":{"a-b":{"const":1},"a_b":{"const":2},"a b":{"const":3}}}`, `{"a-b":1,"a_b":2,"a~b":3}`, `{"a-b":2} {"a~b":1}`},
		{`{"patternProperties":{"^x":{"type":"integer"},"y$":{"minimum":5}},"additionalProperties":false}`, `{"x":1} {"xy":5} {"y":7}`, `{"xy":4} {"xy":5.5} {"z":1} {"y":1}`},
		{`{"propertyNames":{"pattern":"^[a-c]+$"}}`, `{"a":1,"bc":2} {}`, `{"d":1} {"":1}`},
		{`{"type":"object","minProperties":1,"maxProperties":2}`, `{"a":1} {"a":1,"b":2}`, `{} {"a":1,"b":2,"c":3}`},
		{`{"dependentRequired":{"a":["b"]},"type":"object"}`, `{} {"b":1} {"a":1,"b":1}`, `{"a":1}`},
		{`{"type":["array","null"],"items":{"type":"string"}}`, `null [] ["a","b"]`, `[1] {} "a"`},
		{`{"type":"array","prefixItems":[{"const":1},{"const":2}],"items":{"const":3},"minItems":1,"maxItems":3}`, `[1] [1,2] [1,2,3]`, `[] [2] [1,3] [1,2,3,3]`},
		{`{"type":"array","contains":{"const":1},"maxContains":2,"items":{"type":"integer"}}`, `[1] [2,1,3,1]`, `[] [2] [1,1,1]`},
		{`{"type":"array","items":{"enum":["a","b",1]},"uniqueItems":true}`, `[] ["a"] ["b",1,"a"]`, `["a","a"] [1,1] ["c"]`},
		{`{"properties":{"a":{"type":"integer"}},"required":["a"],"oneOf":[{"properties":{"b":{"type":"string"}},"required":["b"]},{"properties":{"c":{"type":"null"}},"required":["c"]}],"type":"object"}`,
			`{"a":1,"b":"x"} {"a":1,"c":null} {"a":1,"b":"x","c":5}`, `{"b":"x"} {"a":1} {"a":1,"b":"x","c":null}`},
		{`{"oneOf":[{"type":"integer"},{"minimum":2}]}`, `1 2.5 "x"`, `3 1.5`},
		{`{"allOf":[{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]},{"type":"object","properties":{"b":{"type":"string"}},"required":["b"]}]}`, `{"a":1,"b":""}`, `{"a":1} {"b":""}`},
		{`{"not":{"enum":["a",1]}}`, `"b" 2 null ["a"]`, `"a" 1 1.0`},
		{`{"not":{"type":["string","object","array"]}}`, `1 null true`, `"a" [] {}`},
		{`{"not":{"required":["a"]},"type":"object"}`, `{} {"b":1}`, `{"a":1}`},
		{`{"not":{"items":{"type":"integer"}},"type":"array"}`, `["x"] [1,"x"]`, `[] [1]`},
		{`{"type":"object","not":{"additionalProperties":{"type":"integer"}}}`, `{"a":"x"} {"b":1,"a":"x"}`, `{} {"a":1} {"a":"x","b":1}`},
		{`{"type":"object","if":{"properties":{"a":{"const":1}},"required":["a"]},"then":{"required":["b"]},"else":{"required":["c"]}}`, `{"a":1,"b":2} {"c":1} {"a":2,"c":1}`, `{"a":1} {} {"a":2}`},
		{`{"properties":{"l":{"anyOf":[{"type":"array","items":{"$ref":"#/properties/l/anyOf/1"}},{"$ref":"#/$defs/c~1d"}]}},"$defs":{"c/d":{"const":1}},"required":["l"]}`, `{"l":1} {"l":[1,1]}`, `{"l":2} {"l":[2]}`},
		{`{"type":"object","properties":{"n":{"anyOf":[{"$ref":"#"},{"type":"null"}]}},"additionalProperties":false}`, `{} {"n":null} {"n":{"n":{}}}`, `{"n":1} {"n":{"n":1}}`},
		{`{"allOf":[{"properties":{"a":true}},{"properties":{"b":true}}],"unevaluatedProperties":false,"type":"object"}`, `{"a":1,"b":2} {}`, `{"c":1}`},
		{`{"$schema":"http://json-schema.org/draft-04/schema#","type":"integer","minimum":3,"exclusiveMinimum":true}`, `4`, `3`},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","type":"array","items":[{"const":1}],"additionalItems":false}`, `[] [1]`, `[2] [1,2]`},
	} {
		g, err := grammar.FromSchema([]byte(c.schema), schema.Options{})
		if err != nil {
			t.Errorf("%s: %v", c.schema, err)
			continue
		}
		for i, list := range []string{c.yes, c.no} {
			for _, s := range texts(list) {
				m := g.Matcher(nil)
				if _, err := m.AcceptBytes([]byte(s)); (err == nil && m.CanStop()) != (i == 0) {
					t.Errorf("%s on %s: accepted %v", c.schema, s, i != 0)
				}
			}
		}
	}
}

func TestRefused(t *testing.T) {
	for _, c := range []struct{ schema, want string }{
		{`{"properties":{"a":{"pattern":"^(a$"}}}`, `schema: #/properties/a: pattern: pattern "^(a$": at offset 1: this parenthesis is not closed`},
		{`{"items":{"pattern":"(?<=a)b"}}`, "#/items: pattern: "},
		{`{"type":"string","pattern":"(a)\\1"}`, "#: pattern: "},
		{`{"type":"strin"}`, `#: type: unknown type "strin"`},
		{`{"$ref":"#"}`, "#: $ref: the reference leads back to itself"},
		{`{"$ref":"#/nowhere"}`, "#: $ref: there is nothing at #/nowhere"},
		{`{"$ref":"http://example.com/s"}`, "#: $ref: remote references are not fetched"},
		{`{"properties":{"a/b":{"type":"array","uniqueItems":true}}}`, "#/properties/a~1b: uniqueItems: "},
		{`{"type":"integer","minimum":4,"maximum":3}`, "#: type: no value satisfies the schema"},
		{`{"type":"object","required":["a"],"properties":{"a":{"type":"object","required":["b"],"properties":{"b":{"$ref":"#/properties/a"}}}}}`, "#/properties/a/properties/b: $ref: no value"},
		{`{"minLength":-1}`, "#: minLength: this is no count"},
		{`{"multipleOf":0}`, "#: multipleOf: "},
		{`{"format":"regex"}`, "#: format: "},
		{`{"anyOf":[]}`, "#: anyOf: "},
		{`{"type":"object","minProperties":3}`, "#: type: no value"},
		{`[1]`, "a schema is an object or a boolean"},
		{`{"a":`, "schema: at byte 5"},
		{strings.Repeat(`{"not":`, 5000), "nested more than 200 deep"},
	} {
		_, err := grammar.FromSchema([]byte(c.schema), schema.Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.80s: %v, want %s", c.schema, err, c.want)
		}
	}
}

func TestNotices(t *testing.T) {
	text := []byte(`{"properties":{"a":{"type":"string","format":"host-no-port","nullable":true},"b":{"type":"array","uniqueItems":true}}}`)
	var bad *schema.Error
	if _, err := grammar.FromSchema(text, schema.Options{}); !errors.As(err, &bad) || bad.Keyword != "uniqueItems" {
		t.Errorf("strict: %v", err)
	}
	g, err := grammar.FromSchema(text, schema.Options{Lenient: true})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range g.Notices() {
		got = append(got, n.Pointer+" "+n.Keyword)
	}
	if want := "#/properties/a nullable,#/properties/a format,#/properties/b uniqueItems"; strings.Join(got, ",") != want {
		t.Errorf("%s, want %s", strings.Join(got, ","), want)
	}
}

func TestLayout(t *testing.T) {
	text := []byte(`{"type":"array","items":{"type":"object"}}`)
	for _, c := range []struct {
		o    schema.Options
		text string
		want bool
	}{
		{schema.Options{}, "[\n  {\n    \"a\": [1, 2]\n  }\n]", true},
		{schema.Options{}, "[\n\n{}]", false},
		{schema.Options{}, "[ {}]", true},
		{schema.Options{}, "[  {}]", false},
		{schema.Options{}, "[{} ,{}]", false},
		{schema.Options{MaxIndent: 2}, "[\n   {}]", false},
		{schema.Options{Compact: true}, `[{"a":[1,2]}]`, true},
		{schema.Options{Compact: true}, `[{"a": 1}]`, false},
	} {
		g, err := grammar.FromSchema(text, c.o)
		if err != nil {
			t.Fatal(err)
		}
		m := g.Matcher(nil)
		if _, err := m.AcceptBytes([]byte(c.text)); (err == nil && m.CanStop()) != c.want {
			t.Errorf("%+v on %q: %v", c.o, c.text, err)
		}
	}
}

// TestHostile has schemas that could take long. The bound is generous: it is there for those that would take minutes.
func TestHostile(t *testing.T) {
	start := time.Now()
	for _, text := range []string{
		`{"type":"array","maxItems":50,"items":{"type":"string","maxLength":10000}}`,
		`{"type":"array","minItems":100000,"maxItems":100000}`,
		`{"type":"string","minLength":10000,"pattern":"^([a-z][0-9])+$"}`,
		`{"type":"string","pattern":"(x+x+)+y(a|b)*a(a|b){30}"}`,
		`{"allOf":[` + strings.Repeat(`{"anyOf":[{"required":["a"]},{"required":["b"]}]},`, 40) + `{}]}`,
		`{"type":"integer","multipleOf":999999937,"minimum":1,"maximum":2000000000}`,
	} {
		g, err := grammar.FromSchema([]byte(text), schema.Options{})
		var bad *schema.Error
		if err != nil && !errors.As(err, &bad) {
			t.Errorf("%.60s: %v", text, err)
		}
		if g != nil {
			m := g.Matcher(nil)
			_, _ = m.AcceptBytes([]byte(`["` + strings.Repeat("x", 2000)))
		}
	}
	if d := time.Since(start); d > 60*time.Second {
		t.Errorf("took %v", d)
	}
}

func FuzzCompile(f *testing.F) {
	for _, s := range []string{`{"type":"object","properties":{"a":{"$ref":"#"}}}`, `{"oneOf":[{"type":"integer"},{"minimum":2,"multipleOf":0.5}]}`,
		`{"not":{"items":{"pattern":"^a"}},"contains":{"const":[1]},"maxContains":2}`, `{"if":{"required":["x"]},"then":false,"minProperties":2}`} {
		f.Add(s, `{"a":[1]}`)
	}
	f.Fuzz(func(t *testing.T, text, s string) {
		if len(text) > 300 || len(s) > 50 {
			return
		}
		if g, err := grammar.FromSchema([]byte(text), schema.Options{}); err == nil {
			_, _ = g.Matcher(nil).AcceptBytes([]byte(s))
		}
	})
}
