package debug

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/llamakit/llamakit/engine/debug"
	"github.com/llamakit/llamakit/engine/debug/assert"
	"github.com/llamakit/llamakit/tools/internal/asjson"
	"github.com/llamakit/llamakit/tools/internal/progress"
	"github.com/llamakit/llamakit/tools/internal/run"
	"github.com/llamakit/llamakit/tools/internal/score"
	"github.com/llamakit/llamakit/tui/printable"
)

// NotHeld is the exit code of assertions that do not hold.
const NotHeld = 100

// outcome is a result with the interval of its share of passes.
type outcome struct {
	*assert.Result
	Interval [2]float64 `json:"interval"` // 95%, Wilson's
}

// assertRecordings checks recordings, each a case by itself. There is no model.
func (o *options) assertRecordings(context.Context) error {
	if o.cases != "" || o.seeds != "" || o.given() || o.url != "" {
		return run.Usagef("recordings have their prompts and seeds; leave out --cases, --seeds, prompts and --url")
	}
	test, err := (&assert.Case{Name: "recordings", Assert: o.assert, Need: o.need}).Test()
	if err != nil {
		return err
	}
	var results []*assert.Result
	for _, path := range o.operands {
		r, err := load(path)
		if err != nil {
			return err
		}
		one := *test
		one.Name = path
		results = append(results, one.Check([]*debug.Run{r}))
	}
	return o.reportAssertions(results)
}

// assertRuns runs the cases and checks their answers.
func (o *options) assertRuns(ctx context.Context) error {
	r, in, done, err := o.started(ctx)
	if err != nil {
		return err
	}
	defer done()
	cases, err := o.readCases(in)
	if err != nil {
		return err
	}
	var tests []*assert.Test // all are compiled before anything runs
	total := 0
	for i := range cases {
		t, err := cases[i].Test()
		if err != nil {
			return err
		}
		if t.Need > len(cases[i].Seeds) {
			return run.Usagef("%s: %d passes are needed of %d runs", cases[i].Name, t.Need, len(cases[i].Seeds))
		}
		tests, total = append(tests, t), total+len(cases[i].Seeds)
	}
	bar := progress.Steps(o.stderr, total, "runs")
	defer bar.Clear()
	var results []*assert.Result
	for i, c := range cases {
		runs, err := debug.Sweep(ctx, r, c.Input, c.Seeds, debug.Options{Candidates: min(o.candidates, 3)}, func(*debug.Run) { _ = bar.Add(1) })
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		results = append(results, tests[i].Check(runs))
	}
	bar.Clear()
	return o.reportAssertions(results)
}

// readCases are the lines of --cases, or the one case of the command line.
func (o *options) readCases(in debug.Input) ([]assert.Case, error) {
	base := assert.Case{Name: cmp.Or(o.file, "prompt"), Input: in, Assert: o.assert, Need: o.need}
	seeds, err := assert.ParseSeeds(cmp.Or(o.seeds, fmt.Sprint(max(0, in.Sampling.Seed))))
	if err != nil {
		return nil, run.Usagef("--seeds: %v", err)
	}
	base.Seeds = seeds
	if o.cases == "" {
		if !o.given() {
			return nil, run.Usagef("no prompt; give one with -p, -f, --messages or --cases")
		}
		return []assert.Case{base}, nil
	}
	f, err := os.Open(o.cases)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	cases, err := assert.ReadCases(f, base)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", o.cases, err)
	case len(cases) == 0:
		return nil, fmt.Errorf("%s: there are no cases", o.cases)
	}
	return cases, nil
}

// reportAssertions prints the results, and is an error where one is not as it must be.
func (o *options) reportAssertions(results []*assert.Result) error {
	outcomes, failed := make([]outcome, len(results)), 0
	for i, r := range results {
		low, high := score.Wilson(r.Passed, r.Runs)
		outcomes[i] = outcome{r, [2]float64{low, high}}
		if !r.OK {
			failed++
		}
	}
	if o.junit != "" {
		if err := writeJUnit(o.junit, outcomes); err != nil {
			return err
		}
	}
	if err := o.printOutcomes(outcomes); err != nil {
		return err
	}
	if failed > 0 {
		return run.WithCode(NotHeld, fmt.Errorf("%d of %d cases failed", failed, len(results)))
	}
	return nil
}

func (o *options) printOutcomes(outcomes []outcome) error {
	if o.json {
		return asjson.Write(o.stdout, outcomes)
	}
	l := &lines{w: o.stdout}
	for _, r := range outcomes {
		verdict := "ok  "
		if !r.OK {
			verdict = "FAIL"
		}
		l.print("%s  %s: %d of %d passed (95%%: %.0f%% to %.0f%%), %d needed", verdict, printable.Line(r.Test), r.Passed, r.Runs, 100*r.Interval[0], 100*r.Interval[1], r.Need)
		for _, f := range r.Failures[:min(len(r.Failures), maxFailures)] {
			l.print("      %s", printable.Line(failureText(f)))
		}
		if more := len(r.Failures) - maxFailures; more > 0 {
			l.print("      and %d more", more)
		}
		for _, n := range r.Narrow {
			l.print("      %s", printable.Line(narrowText(n)))
		}
	}
	return l.err
}

// maxFailures is how many failures of a case are printed as text.
const maxFailures = 5

func failureText(f assert.Failure) string {
	text := fmt.Sprintf("seed %d: %s does not hold", f.Seed, f.Assertion)
	if f.Reason != "" {
		text += " (" + f.Reason + ")"
	}
	return text + fmt.Sprintf(": %q, stopped by %s", shortened(f.Text), f.Stop)
}

func narrowText(n assert.Narrow) string {
	text := fmt.Sprintf("narrow: token %d: %q leads by %.2f logits", n.Token, n.Text, n.Margin)
	if n.Margin < 0 {
		text = fmt.Sprintf("narrow: token %d: %q was drawn %.2f logits behind", n.Token, n.Text, -n.Margin)
	}
	if n.Other != "" {
		text += fmt.Sprintf(" (%q)", n.Other)
	}
	if n.Runs > 1 {
		return text + fmt.Sprintf(", in %d runs", n.Runs)
	}
	return text + fmt.Sprintf(", with seed %d", n.Seed)
}

// shortened bounds an answer in a line.
func shortened(text string) string {
	if r := []rune(text); len(r) > 100 {
		return strings.TrimSpace(string(r[:100])) + "…"
	}
	return text
}
