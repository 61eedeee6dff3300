package assert

import (
	"cmp"
	"slices"

	"github.com/llamakit/llamakit/engine/debug"
)

// Test is a case: assertions that all must hold, on as many runs as Need says.
type Test struct {
	Name       string
	Assertions []*Assertion
	Need       int // runs that must pass; 0: all
}

// Result is how a test went.
type Result struct {
	Test     string    `json:"test"`
	Passed   int       `json:"passed"`
	Runs     int       `json:"runs"`
	Need     int       `json:"need"`
	OK       bool      `json:"ok"`
	Failures []Failure `json:"failures,omitempty"`
	Narrow   []Narrow  `json:"narrow,omitempty"` // tokens that nearly were others, the nearest first
}

// Failure is a run on which an assertion did not hold.
type Failure struct {
	Seed      int64  `json:"seed"`
	Assertion string `json:"assertion"`
	Reason    string `json:"reason,omitempty"`
	Text      string `json:"text"`
	Stop      string `json:"stop"`
}

// Narrow is a token that led, or trailed, by few logits: another processor, quantisation or version may choose differently there.
type Narrow struct {
	Seed   int64   `json:"seed"` // of the first such run
	Runs   int     `json:"runs"` // that have it
	Token  int     `json:"token"`
	Text   string  `json:"text"`
	Other  string  `json:"other,omitempty"` // the candidate that it led before, where candidates were kept
	Margin float64 `json:"margin"`
}

// narrowest is how many narrow tokens are told of a test.
const narrowest = 3

// Check evaluates a test on runs.
func (t *Test) Check(runs []*debug.Run) *Result {
	r := &Result{Test: t.Name, Runs: len(runs), Need: t.Need}
	if r.Need == 0 {
		r.Need = r.Runs
	}
	for _, run := range runs {
		if failures := t.checkOne(run); len(failures) > 0 {
			r.Failures = append(r.Failures, failures...)
		} else {
			r.Passed++
		}
		r.Narrow = addNarrow(r.Narrow, run)
	}
	r.OK = r.Passed >= r.Need
	slices.SortStableFunc(r.Narrow, func(a, b Narrow) int { return cmp.Compare(max(a.Margin, -a.Margin), max(b.Margin, -b.Margin)) })
	r.Narrow = r.Narrow[:min(len(r.Narrow), narrowest)]
	return r
}

func (t *Test) checkOne(run *debug.Run) (failures []Failure) {
	for _, a := range t.Assertions {
		if holds, reason := a.Check(run); !holds {
			failures = append(failures, Failure{run.Input.Sampling.Seed, a.Source, reason, run.Content, run.Stop.Reason})
		}
	}
	return failures
}

// addNarrow adds the tokens that a run chose, as far as their margins are known. What seeds have in common is there once.
func addNarrow(list []Narrow, run *debug.Run) []Narrow {
	for i := run.Past; i < len(run.Answer); i++ {
		t := &run.Answer[i]
		if t.Margin == nil {
			continue
		}
		n := Narrow{Seed: run.Input.Sampling.Seed, Token: i, Text: t.Text, Other: rival(t), Margin: float64(*t.Margin)}
		same := func(x Narrow) bool {
			return x.Token == n.Token && x.Text == n.Text && x.Other == n.Other && x.Margin == n.Margin
		}
		at := slices.IndexFunc(list, same)
		if at < 0 {
			at, list = len(list), append(list, n)
		}
		list[at].Runs++
	}
	return list
}

// rival is the likeliest candidate beside the token, of those that the grammar left.
func rival(t *debug.Token) string {
	for _, c := range t.Candidates {
		if c.ID != t.ID && c.Removed != "grammar" {
			return c.Text
		}
	}
	return ""
}
