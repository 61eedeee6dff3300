package assert

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/engine/debug"
	"github.com/llamakit/llamakit/engine/sample"
)

func f32(x float32) *float32 { return &x }

func sampleRun() *debug.Run {
	return &debug.Run{
		Content: `{"amount": 320, "tags": ["a", "b"]}`,
		Stop:    debug.Stop{Reason: "stop", Text: "END"},
		Prompt:  make([]debug.Token, 7),
		Answer: []debug.Token{
			{ID: 5, Text: "{", Logprob: f32(-0.5), Rank: 1, Margin: f32(2.5)},
			{ID: 6, Text: "x", Logprob: f32(-3), Rank: 2, Margin: f32(-0.25), Candidates: []debug.Candidate{{ID: 8, Text: "y"}, {ID: 6, Text: "x"}}},
			{ID: 7, Text: "}", Logprob: f32(0)},
			{ID: 9, Text: "?"},
		},
		ToolCalls: []debug.ToolCall{{Name: "add", Arguments: json.RawMessage(`{"a": 1}`)}},
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		source string
		want   bool
		reason string
	}{
		{`json.amount == 320`, true, ""},
		{`json.amount > 400`, false, ""},
		{`json.tags[1] == "b" and len(json.tags) == 2`, true, ""},
		{`json.missing.deeper == 1`, false, "cannot fetch deeper"},
		{`text contains "320" and stop == "stop" and stop_text == "END"`, true, ""},
		{`text matches "amount.*3[0-9]{2}"`, true, ""},
		{`margin(0) >= 2 and margin(-3) < 0`, true, ""},
		{`margin(2) > 1000`, true, ""}, // nothing else could come
		{`margin(3) > 0`, false, "not measured"},
		{`logprob(9) > -1`, false, "no token 9"},
		{`tokens[1].text == "x" and tokens[1].rank == 2 and len(tokens) == 4`, true, ""},
		{`tool_calls[0].name == "add" and tool_calls[0].arguments.a == 1`, true, ""},
		{`prompt_tokens == 7 and reasoning == ""`, true, ""},
		{`all(tokens[:3], .logprob > -4)`, true, ""},
	} {
		a, err := Compile(c.source)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		if got, reason := a.Check(sampleRun()); got != c.want || !strings.Contains(reason, c.reason) || (c.reason == "") != (reason == "") {
			t.Errorf("%s: %t %q", c.source, got, reason)
		}
	}
}

func TestCompileFaults(t *testing.T) {
	for _, source := range []string{"", "texd == 1", "text ==", "text", "margin() > 1", `margin("a") > 1`} {
		if a, err := Compile(source); err == nil {
			t.Errorf("%q compiles: %v", source, a)
		}
	}
}

func TestResult(t *testing.T) {
	a, err := Compile(`json.amount == 320`)
	if err != nil {
		t.Fatal(err)
	}
	bad := sampleRun()
	bad.Content, bad.Input.Sampling.Seed = "no", 4
	test := &Test{Name: "n", Assertions: []*Assertion{a}, Need: 2}
	r := test.Check([]*debug.Run{sampleRun(), sampleRun(), bad})
	if !r.OK || r.Passed != 2 || len(r.Failures) != 1 || r.Failures[0].Seed != 4 || r.Failures[0].Text != "no" {
		t.Errorf("%+v", r)
	}
	if n := r.Narrow; len(n) != 2 || n[0].Margin != -0.25 || n[0].Other != "y" || n[0].Token != 1 || n[0].Runs != 3 {
		t.Errorf("%+v", n)
	}
	test.Need = 0
	if r := test.Check([]*debug.Run{sampleRun(), bad}); r.OK || r.Need != 2 {
		t.Errorf("%+v", r)
	}
}

func TestParseSeeds(t *testing.T) {
	for text, want := range map[string][]int64{"7": {7}, "1..3": {1, 2, 3}, "5,1..2, 9": {5, 1, 2, 9}, "0": {0}} {
		if got, err := ParseSeeds(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "a", "3..1", "1..", "-4", "1.5", "0..4294967295", "1..90000,1..90000", "+1", "99999999999"} {
		if got, err := ParseSeeds(text); err == nil {
			t.Errorf("%q is %d seeds", text, len(got))
		}
	}
}

func TestReadCases(t *testing.T) {
	base := Case{Input: debug.NewInput(sample.DefaultParams()), Assert: []string{"stop == 'eos'"}, Seeds: []int64{1, 2}, Need: 1}
	cases, err := ReadCases(strings.NewReader(`{"name": "x", "prompt": "Hi", "assert": "text == ''", "seeds": "3..4", "need": 2, "sampling": {"temperature": 0}}
{"messages": [{"role": "user", "content": "Hi"}], "assert": ["true", "1 == 1"]}
`), base)
	if err != nil || len(cases) != 2 {
		t.Fatalf("%+v, %v", cases, err)
	}
	x, y := cases[0], cases[1]
	if x.Name != "x" || x.Input.Prompt != "Hi" || x.Need != 2 || !slices.Equal(x.Seeds, []int64{3, 4}) || x.Input.Sampling.Temperature != 0 || x.Input.Sampling.TopK != 40 || len(x.Assert) != 2 {
		t.Errorf("%+v", x)
	}
	if y.Name != "case 2" || y.Input.Prompt != "" || y.Need != 1 || !slices.Equal(y.Seeds, base.Seeds) || len(y.Assert) != 3 || y.Input.Sampling.Temperature != 0.8 {
		t.Errorf("%+v", y)
	}
	for _, text := range []string{"{", `{"promt": "x"}`, `{"seeds": "x"}`, "[]", `{"assert": 3}`} {
		if _, err := ReadCases(strings.NewReader(text), base); err == nil || !strings.Contains(err.Error(), "case 1") {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := (&Case{Name: "n"}).Test(); err == nil {
		t.Error("a case without assertions")
	}
}

func FuzzReadCases(f *testing.F) {
	f.Add(`{"prompt":"x","assert":"true","sampling":{"logit_bias":[[1,false]]}}`)
	f.Fuzz(func(t *testing.T, text string) {
		cases, err := ReadCases(strings.NewReader(text), Case{})
		if err == nil && len(cases) == 0 && strings.TrimSpace(text) != "" {
			t.Errorf("%q is nothing", text)
		}
	})
}
