package debug

import (
	"fmt"

	"github.com/llamakit/llamakit/engine"
)

// Parting is where two runs part. An index is -1 where they do not.
type Parting struct {
	Prompt     int         `json:"prompt"` // first token of the prompts that differs
	Answer     int         `json:"answer"` // likewise, of the answers
	A          *PartToken  `json:"a,omitempty"`
	B          *PartToken  `json:"b,omitempty"`
	Inputs     []string    `json:"inputs,omitempty"` // names of the settings that differ
	Common     int         `json:"common_tokens"`    // of the answers
	Divergence *Divergence `json:"divergence,omitempty"`
}

// PartToken is what a run has at the place where the two part, and how likely it found both tokens there.
type PartToken struct {
	ID    engine.Token `json:"id"`
	Text  string       `json:"text"`
	P     float64      `json:"p"`     // of its own token, -1: not measured
	Other float64      `json:"other"` // of the other run's token, -1: not among the candidates that were kept
}

// Compare finds where two runs part.
func Compare(a, b *Run) Parting {
	p := Parting{Prompt: parts(a.Prompt, b.Prompt), Answer: parts(a.Answer, b.Answer), Inputs: differing(a, b)}
	if p.Common = p.Answer; p.Answer < 0 {
		p.Common = len(a.Answer)
		return p
	}
	p.A, p.B = partToken(a, b, p.Answer), partToken(b, a, p.Answer)
	return p
}

// parts is the first index at which two lists have different tokens, or one has none; -1: they are equal.
func parts(a, b []Token) int {
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i].ID != b[i].ID {
			return i
		}
	}
	return -1
}

func partToken(own, other *Run, at int) *PartToken {
	if at >= len(own.Answer) {
		return nil
	}
	t := &own.Answer[at]
	out := &PartToken{ID: t.ID, Text: t.Text, P: t.P(), Other: -1}
	if at < len(other.Answer) {
		for _, c := range t.Candidates {
			if c.ID == other.Answer[at].ID {
				out.Other = float64(c.P)
			}
		}
	}
	return out
}

// differing names what is different in model and input.
func differing(a, b *Run) (names []string) {
	same := func(name string, x, y any) {
		if fmt.Sprint(x) != fmt.Sprint(y) {
			names = append(names, name)
		}
	}
	x, y := &a.Input, &b.Input
	m, n := a.Model, b.Model
	if m.Digest == "" || n.Digest == "" { // not both were recorded
		m.Digest, n.Digest = "", ""
	}
	same("model", m, n)
	same("prompt", x.Prompt, y.Prompt)
	same("messages", string(x.Messages), string(y.Messages))
	same("tools", string(x.Tools), string(y.Tools))
	same("chat_template_kwargs", string(x.Kwargs), string(y.Kwargs))
	same("template", x.Template, y.Template)
	same("grammar", x.Grammar+string(x.Schema), y.Grammar+string(y.Schema))
	same("stop", x.Stop, y.Stop)
	same("max_tokens", x.MaxTokens, y.MaxTokens)
	xs, ys := x.Sampling, y.Sampling
	same("seed", xs.Seed, ys.Seed)
	xs.Seed, ys.Seed = 0, 0
	same("sampling", xs, ys)
	return names
}
