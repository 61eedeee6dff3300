// Package assert asks questions about runs that are true or false: tests of prompts.
//
// An assertion is an expression in the language of github.com/expr-lang/expr (https://expr-lang.org/docs/language-definition) over
//
//	text          the answer, without reasoning and stop text
//	reasoning     what the model thought before it
//	json          the text as JSON; nil where it is none
//	tokens        the answer's tokens, each with id, text, logprob, p, rank and margin
//	stop          why it ended: "eos", "stop", "limit", "context" or "grammar"
//	stop_text     the stop text that came
//	tool_calls    the calls, each with name and arguments
//	prompt_tokens the number of tokens of the prompt
//	logprob(i)    natural logarithm of the probability of token i; negative numbers count from the end
//	margin(i)     by how many logits token i leads; negative where another was likelier
//
// as in `json.amount == 320`, `text contains "Paris" and stop == "eos"`, `margin(4) >= 3.0`. An expression that cannot be evaluated
// on a run, such as a field of an answer that is no JSON, does not hold there, and tells why.
package assert

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"

	"github.com/llamakit/llamakit/engine/debug"
)

// Assertion is a compiled expression.
type Assertion struct {
	Source  string
	program *vm.Program
}

// Compile reads an expression. Names that do not exist are an error, with the place.
func Compile(source string) (*Assertion, error) {
	program, err := expr.Compile(source, expr.Env(env(&debug.Run{})), expr.AsBool())
	if err != nil {
		return nil, fmt.Errorf("assertion %q: %s", source, firstLine(err))
	}
	return &Assertion{source, program}, nil
}

// Check evaluates the assertion. reason tells why it does not hold, where that is not plain from the expression.
func (a *Assertion) Check(run *debug.Run) (holds bool, reason string) {
	out, err := expr.Run(a.program, env(run))
	if err != nil {
		return false, firstLine(err)
	}
	holds, _ = out.(bool) // AsBool
	return holds, ""
}

// firstLine leaves out the drawing of the place that the library adds.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// names are what an expression can use.
type names struct {
	Text         string                     `expr:"text"`
	Reasoning    string                     `expr:"reasoning"`
	JSON         any                        `expr:"json"`
	Tokens       []token                    `expr:"tokens"`
	Stop         string                     `expr:"stop"`
	StopText     string                     `expr:"stop_text"`
	ToolCalls    []call                     `expr:"tool_calls"`
	PromptTokens int                        `expr:"prompt_tokens"`
	Logprob      func(int) (float64, error) `expr:"logprob"`
	Margin       func(int) (float64, error) `expr:"margin"`
}

type token struct {
	ID      int     `expr:"id"`
	Text    string  `expr:"text"`
	P       float64 `expr:"p"`
	Rank    int     `expr:"rank"`
	Logprob float64 `expr:"logprob"`
	Margin  float64 `expr:"margin"`
}

type call struct {
	Name      string `expr:"name"`
	Arguments any    `expr:"arguments"`
}

func env(run *debug.Run) names {
	n := names{Text: run.Content, Reasoning: run.Reasoning, JSON: parse(run.Content), Stop: run.Stop.Reason, StopText: stopText(run), PromptTokens: len(run.Prompt)}
	for i := range run.Answer {
		t := &run.Answer[i]
		n.Tokens = append(n.Tokens, token{int(t.ID), t.Text, t.P(), t.Rank, value(t.Logprob), value(t.Margin)})
	}
	for _, c := range run.ToolCalls {
		n.ToolCalls = append(n.ToolCalls, call{c.Name, parse(string(c.Arguments))})
	}
	n.Logprob = func(i int) (float64, error) {
		return at(run, i, "log-probability", func(t *debug.Token) *float32 { return t.Logprob })
	}
	n.Margin = func(i int) (float64, error) {
		return at(run, i, "margin", func(t *debug.Token) *float32 { return t.Margin })
	}
	return n
}

func stopText(run *debug.Run) string {
	if run.Stop.Reason == "stop" {
		return run.Stop.Text
	}
	return ""
}

// value is NaN where nothing was measured: no comparison holds for it.
func value(p *float32) float64 {
	if p == nil {
		return math.NaN()
	}
	return float64(*p)
}

func at(run *debug.Run, i int, what string, field func(*debug.Token) *float32) (float64, error) {
	n := len(run.Answer)
	index := i
	if index < 0 {
		index += n
	}
	if index < 0 || index >= n {
		return 0, fmt.Errorf("there is no token %d, the answer has %d", i, n)
	}
	p := field(&run.Answer[index])
	switch {
	case p != nil:
		return float64(*p), nil
	case run.Answer[index].Logprob == nil:
		return 0, fmt.Errorf("the %s of token %d was not measured", what, i)
	}
	return math.Inf(1), nil // nothing else could come
}

// parse is JSON as expressions take it, or nil.
func parse(text string) (v any) {
	if json.Unmarshal([]byte(text), &v) != nil {
		return nil
	}
	return v
}
