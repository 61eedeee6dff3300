package calls

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// got is what a splitter made of an answer.
type got struct {
	text   string
	calls  []string // name and arguments
	broken int
}

func (g *got) String() string { return fmt.Sprintf("%q %q, %d broken", g.text, g.calls, g.broken) }

// split pushes an answer in pieces.
func split(t testing.TB, s Splitter, pieces ...string) *got {
	g := &got{}
	take := func(text string, deltas []Delta) {
		g.text += text
		for _, d := range deltas {
			if d.Name != "" {
				if d.Index != len(g.calls) {
					t.Fatalf("%q: call %d has index %d", pieces, len(g.calls), d.Index)
				}
				g.calls = append(g.calls, d.Name+" ")
			}
			g.calls[d.Index] += d.Arguments
		}
	}
	for _, p := range pieces {
		take(s.Push(p))
	}
	g.text += s.Flush()
	for i, c := range g.calls { // white space within JSON is the model's
		name, arguments, _ := strings.Cut(c, " ")
		var b bytes.Buffer
		if json.Compact(&b, []byte(arguments)) == nil {
			arguments = b.String()
		}
		g.calls[i] = name + " " + arguments
	}
	g.broken = s.Broken
	return g
}

// splitAnywhere cuts an answer at every byte, and into single bytes: the result is the same.
func splitAnywhere(t *testing.T, s Splitter, answer string) *got {
	t.Helper()
	whole := split(t, s, answer)
	for i := range len(answer) {
		if g := split(t, s, answer[:i], answer[i:]); g.String() != whole.String() {
			t.Fatalf("%q, cut at %d: %v, whole %v", answer, i, g, whole)
		}
	}
	if g := split(t, s, strings.Split(answer, "")...); g.String() != whole.String() {
		t.Fatalf("%q, in single characters: %v, whole %v", answer, g, whole)
	}
	return whole
}

const (
	weatherSchema = `{"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}, "more": {"type": "object", "properties": {"exact": {"type": "boolean"}}}}, "required": ["city"], "additionalProperties": false}`
	addSchema     = `{"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": ["number", "null"]}}, "additionalProperties": false}`
	weather       = `{"city":"Pa\"r\nís <b>","days":3,"more":{"exact":true}}`
	add           = `{"a":-1.5,"b":null}`
)

var testTools = []Tool{{Name: "get_weather", Parameters: []byte(weatherSchema)}, {Name: "add", Parameters: []byte(addSchema)}}

var (
	one = []Call{{ID: "abcdefg12", Name: "get_weather", Arguments: []byte(weather)}}
	two = append(one, Call{ID: "hijklmn34", Name: "add", Arguments: []byte(add)})
)

// answered is calls as they stand in an answer, behind what the prompt has of them.
func (f *Format) answered(p *picture, list []Call) string {
	text := f.text(p, list)
	if !f.Raw {
		text = strings.TrimPrefix(text, f.prompt)
	}
	return text
}

// TestFormats reads a conversation in every format and every picture of it: no call, one, one after a text, two, and broken ones.
func TestFormats(t *testing.T) {
	for _, f := range Formats() {
		form, err := f.Compile(testTools, Options{})
		if err != nil {
			t.Fatal(f.Name, err)
		}
		for i := range f.pictures {
			p := &f.pictures[i]
			call, both := f.answered(p, one), f.answered(p, two)
			for _, c := range []struct {
				name, answer string
				want         got
			}{
				{"no call", f.plainText("It is <b> 5 {\"a\": 1} [x] ok.\n"), got{text: "It is <b> 5 {\"a\": 1} [x] ok.\n"}},
				{"one call", call, got{calls: []string{"get_weather " + weather}}},
				{"two calls", both, got{calls: []string{"get_weather " + weather, "add " + add}}},
				{"text and call", f.plainText("Well. ") + "\n" + f.text(p, one), got{text: "Well.", calls: []string{"get_weather " + weather}}},
			} {
				if c.name == "text and call" && f.first != "" && i == 0 {
					continue // it would be text
				}
				if g := splitAnywhere(t, form.Splitter(), c.answer); g.String() != c.want.String() {
					t.Errorf("%s %d, %s: %q: %v, want %v", f.Name, i, c.name, c.answer, g, &c.want)
				}
			}
			for n := range len(call) { // cut off: the beginning of a call, or text
				g := split(t, form.Splitter(), call[:n])
				switch {
				case len(g.calls) == 0 && strings.TrimSpace(g.text) != strings.TrimSpace(call[:n]) && strings.Contains(call[:n], "weather"):
					t.Errorf("%s %d: %q is lost: %v", f.Name, i, call[:n], g)
				case len(g.calls) > 1 || len(g.calls) == 1 && !strings.HasPrefix(g.calls[0], "get_weather {"):
					t.Errorf("%s %d: %q: %v", f.Name, i, call[:n], g)
				}
			}
			broken := f.open + p.head[0].literal + "\n!! nonsense"
			if g := splitAnywhere(t, form.Splitter(), f.plainText("So")+" "+broken); len(g.calls) > 0 || squeezed(g.text) != squeezed("So"+broken) || (g.broken > 0) == (f.plain != "" || f.first != "" && i == 0) {
				t.Errorf("%s %d: %q: %v", f.Name, i, broken, g)
			}
		}
	}
}

// plainText is a text as an answer has it.
func (f *Format) plainText(text string) string {
	if f.plain != "" {
		return strings.TrimPrefix(f.plain, f.prompt) + text
	}
	return text
}

// TestCuts reads parts of formats in random order: the result does not depend on the cuts, and nothing is lost where there is no
// call.
func TestCuts(t *testing.T) {
	parts := strings.Split("{ } \" \\ ' name x é < > ( ) = : , [ ] 1 true", " ")
	for _, f := range Formats() {
		parts = append(append(parts, " ", "\n", f.Text(one)), f.Literals()...)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		answer := ""
		for range 1 + r.IntN(12) {
			p := parts[r.IntN(len(parts))]
			if r.IntN(3) == 0 {
				p = p[:r.IntN(len(p)+1)]
			}
			answer += p
		}
		f, at := Formats()[r.IntN(len(Formats()))], r.IntN(len(answer)+1)
		whole, cut := split(t, f.Splitter(), answer), split(t, f.Splitter(), answer[:at], answer[at:])
		if whole.String() != cut.String() {
			t.Fatalf("%s, %q: %v, cut at %d: %v", f.Name, answer, whole, at, cut)
		}
		if len(whole.calls) == 0 && f.plain == "" && squeezed(whole.text) != squeezed(answer) {
			t.Fatalf("%s, %q: text %q", f.Name, answer, whole.text)
		}
	}
}
