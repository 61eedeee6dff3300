package debug

import (
	"context"
	"fmt"

	"github.com/llamakit/llamakit/engine/debug"
	"github.com/llamakit/llamakit/engine/debug/assert"
	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/tools/internal/asjson"
	"github.com/llamakit/llamakit/tools/internal/run"
	"github.com/llamakit/llamakit/tui/printable"
)

// sweep prints which seeds give which answers.
func (o *options) sweep(ctx context.Context) error {
	seeds, err := assert.ParseSeeds(o.seeds)
	if err != nil {
		return run.Usagef("--seeds: %v", err)
	}
	r, in, done, err := o.started(ctx)
	if err != nil {
		return err
	}
	defer done()
	runs, err := debug.Sweep(ctx, r, in, seeds, debug.Options{}, nil)
	if err != nil {
		return err
	}
	groups := debug.Groups(runs)
	if o.json {
		return asjson.Write(o.stdout, groups)
	}
	l := &lines{w: o.stdout}
	kinds := "kinds"
	if len(groups) == 1 {
		kinds = "kind"
	}
	l.print("%d %s of answer from %d seeds", len(groups), kinds, len(seeds))
	for _, g := range groups {
		parts := ""
		if g.Parts >= 0 {
			parts = fmt.Sprintf(", parts from the first at token %d", g.Parts)
		}
		l.print("\n%d of %d seeds (%s), stopped by %s%s:\n%s", len(g.Seeds), len(seeds), seedList(g.Seeds), g.Stop, parts, printable.Text(g.Answer))
	}
	return l.err
}

// seedList names some of the seeds.
func seedList(seeds []int64) string {
	text := ""
	for i, s := range seeds {
		if i == 8 {
			return text + ", ..."
		}
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprint(s)
	}
	return text
}

// comparison is A and B and where they part.
type comparison struct {
	A       *debug.Run    `json:"run_a"`
	B       *debug.Run    `json:"run_b"`
	Parting debug.Parting `json:"parting"`
}

// compare runs the input on two models, or on one and looks at a recording beside it.
func (o *options) compare(ctx context.Context) error {
	r, in, done, err := o.started(ctx)
	if err != nil {
		return err
	}
	defer done()
	a, err := r.Run(ctx, in, o.keep(), nil)
	if err != nil {
		return err
	}
	c := comparison{A: a}
	recording, other, doneOther, err := o.openAgainst(ctx)
	if err != nil {
		return err
	}
	defer doneOther()
	if recording != nil {
		c.B = recording
		c.Parting = debug.Compare(c.A, c.B)
		return o.printComparison(&c)
	}
	if c.B, err = other.Run(ctx, a.Input, o.keep(), nil); err != nil {
		return err
	}
	c.Parting = debug.Compare(c.A, c.B)
	if s, ok := r.(*debug.Session); ok {
		text := append(a.Prompt[:len(a.Prompt):len(a.Prompt)], a.Answer...)
		if c.Parting.Divergence, err = debug.Diverge(ctx, s, other, text); err != nil {
			fmt.Fprintln(o.stderr, "note: the distributions are not compared:", err)
		}
	}
	return o.printComparison(&c)
}

// openAgainst reads a recording, or opens a model.
func (o *options) openAgainst(ctx context.Context) (*debug.Run, *debug.Session, func(), error) {
	f, err := gguf.Open(o.against)
	if err != nil {
		r, err := load(o.against)
		if err != nil {
			err = fmt.Errorf("neither a model nor a recording: %w", err)
		}
		return r, nil, func() {}, err
	}
	f.Close()
	s, done, err := o.openModel(ctx, o.against)
	return nil, s, done, err
}

func (o *options) printComparison(c *comparison) error {
	if o.json {
		return asjson.Write(o.stdout, c)
	}
	l := &lines{w: o.stdout}
	l.print("A: %s\n%s\n", printable.Line(c.A.Model.Name+" "+c.A.Model.File), printable.Text(c.A.Raw()))
	l.print("B: %s\n%s\n", printable.Line(c.B.Model.Name+" "+c.B.Model.File), printable.Text(c.B.Raw()))
	for _, name := range c.Parting.Inputs {
		l.print("different: %s", name)
	}
	if at := c.Parting.Prompt; at >= 0 {
		l.print("the prompts part at token %d", at)
	}
	l.parting(&c.Parting)
	if d := c.Parting.Divergence; d != nil {
		l.print("along prompt and answer of A: KL divergence of B from A %.5f nats on average, %.5f at most, after token %d (%s); the same likeliest token at %.1f%% of %d places",
			d.Mean, d.Max, d.At, printable.Quoted(d.Tokens[d.At].Text), 100*d.SameTop, len(d.Tokens))
	}
	return l.err
}

func (l *lines) parting(p *debug.Parting) {
	if p.Answer < 0 {
		l.print("the answers have the same %d tokens", p.Common)
		return
	}
	l.print("the answers part at token %d", p.Answer)
	for _, side := range []struct {
		name string
		t    *debug.PartToken
	}{{"A", p.A}, {"B", p.B}} {
		switch t := side.t; {
		case t == nil:
			l.print("  %s ends there", side.name)
		case t.Other < 0:
			l.print("  %s has %s with p %.4f; the other's token is none of its candidates", side.name, printable.Quoted(t.Text), t.P)
		default:
			l.print("  %s has %s with p %.4f, and gives the other's %.4f", side.name, printable.Quoted(t.Text), t.P, t.Other)
		}
	}
}
