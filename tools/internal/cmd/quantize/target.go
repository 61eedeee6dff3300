package quantize

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/mixture"
	"github.com/llamakit/llamakit/formats/quant"
	"github.com/llamakit/llamakit/tools/internal/outfile"
	"github.com/llamakit/llamakit/tools/internal/parallel"
	"github.com/llamakit/llamakit/tools/internal/progress"
)

// Choosing types for a size. Every matrix is measured, on a sample of rows, in every type that fits its shape: bytes and
// squared error, weighted by importance where there is a matrix. Then the types that leave the least error in all within
// the budget are looked for: from a starting point, the upgrade that removes the most error for a byte is taken until
// nothing fits any more. Starting points are the smallest types, and every standard mixture that fits; the best end
// wins, so that the result is never worse than a standard mixture of that size.

// targetTypes are those that any standard mixture chooses, beside the type that a tensor has.
var targetTypes = []quant.Type{quant.Q1_0, quant.IQ1_S, quant.TQ1_0, quant.IQ1_M, quant.IQ2_XXS, quant.TQ2_0, quant.Q2_0, quant.IQ2_XS, quant.IQ2_S,
	quant.Q2_K, quant.IQ3_XXS, quant.IQ3_S, quant.Q3_K, quant.IQ4_XS, quant.MXFP4, quant.IQ4_NL, quant.Q4_0, quant.Q4_K, quant.Q4_1,
	quant.Q5_0, quant.Q5_K, quant.Q5_1, quant.Q6_K, quant.Q8_0, quant.BF16, quant.F16}

// choice is a type that a tensor may take.
type choice struct {
	typ   quant.Type
	bytes int64
	cost  float64 // relative squared error times elements: what a tensor adds to the error of the model's output
}

// budget returns the bytes of tensor data that the target leaves, beside rest for the header.
func (o *options) budget(p *plan) (data, rest int64, err error) {
	_, after, elements := p.totals()
	if o.targetBPW > 0 {
		return int64(float64(o.targetBPW) * float64(elements) / 8), 0, nil
	}
	whole, err := gguf.Size(p.metadata, infos(p.tensors))
	rest = whole - after + 32*int64(len(p.tensors)) // padding may grow
	return o.targetSize - rest, rest, err
}

// fitTarget replaces the types of a plan by the best ones within the budget.
func (o *options) fitTarget(ctx context.Context, p *plan) error {
	before, _, elements := p.totals()
	bar := progress.Bytes(o.stderr, before, "measuring types")
	choices, err := p.measureChoices(ctx, o.threads, func(n int) { _ = bar.Add(n) })
	_ = bar.Clear()
	if err != nil {
		return err
	}
	budget, rest, err := o.budget(p)
	if err != nil {
		return err
	}
	smallest := p.smallest(choices)
	if least := p.bytesOf(choices, smallest); least > budget && o.targetBPW > 0 {
		return fmt.Errorf("no types come to %g bits per weight, the smallest to %.3f", o.targetBPW, bits(least, elements))
	} else if least > budget {
		return fmt.Errorf("no types make a file of %s, the smallest makes %s", outfile.Size(o.targetSize), outfile.Size(least+rest))
	}
	p.take(choices, p.best(choices, smallest, budget))
	return nil
}

// best begins from the smallest types, and from each standard mixture that fits.
func (p *plan) best(choices [][]choice, smallest []int, budget int64) []int {
	best := smallest
	upgrade(choices, best, budget-p.bytesOf(choices, best))
	for _, standard := range mixture.FileTypes {
		picks, ok := p.startFrom(standard, choices)
		if !ok || p.bytesOf(choices, picks) > budget {
			continue
		}
		upgrade(choices, picks, budget-p.bytesOf(choices, picks))
		if costOf(choices, picks) < costOf(choices, best) {
			best = picks
		}
	}
	return best
}

// take makes the picks the types of the plan.
func (p *plan) take(choices [][]choice, picks []int) {
	used, elements := map[quant.Type]int{}, 0
	for i, k := range picks {
		if k < 0 {
			continue
		}
		t := &p.tensors[i]
		t.to, t.wanted, t.lacking = choices[i][k].typ, choices[i][k].typ, false
		t.why = fmt.Sprintf("relative error %.4f", math.Sqrt(choices[i][k].cost/float64(max(1, t.in.Elements()))))
		used[t.to]++
		elements += t.in.Elements()
	}
	var types []string
	for _, t := range slices.SortedFunc(maps.Keys(used), func(a, b quant.Type) int { return cmp.Compare(used[b], used[a]) }) {
		types = append(types, fmt.Sprintf("%d %s", used[t], t))
	}
	p.settings.file.Name = "chosen types"
	p.note("chosen were %s: relative error %.4f", strings.Join(types, ", "), math.Sqrt(costOf(choices, picks)/float64(max(1, elements))))
}

// measureChoices finds what each tensor that is free could become, smallest first.
func (p *plan) measureChoices(ctx context.Context, threads int, progress func(int)) ([][]choice, error) {
	all := make([][]choice, len(p.tensors))
	err := parallel.Do(ctx, threads, len(all), func(_ context.Context, i int) (err error) {
		if p.tensors[i].free {
			all[i], err = p.choicesOf(&p.tensors[i])
		}
		progress(int(p.tensors[i].in.Size))
		return err
	})
	return all, err
}

// choicesOf measures one tensor.
func (p *plan) choicesOf(t *planned) ([]choice, error) {
	list := []choice{{typ: t.from(), bytes: t.in.Size}} // as it is
	for _, typ := range targetTypes {
		trial := *t
		trial.to = typ
		if !trial.changes() || t.in.Dim(0)%typ.BlockSize() != 0 || t.importance == nil && p.needsImportance(&trial) {
			continue
		}
		plain, weighted, err := p.errorOf(&trial, false)
		if err != nil {
			return nil, err
		}
		e := plain
		if t.importance != nil {
			e = weighted
		}
		list = append(list, choice{typ, trial.size(), e * e * float64(t.in.Elements())})
	}
	slices.SortFunc(list, func(a, b choice) int { return cmp.Or(cmp.Compare(a.bytes, b.bytes), cmp.Compare(a.cost, b.cost)) })
	return hull(list), nil
}

// hull drops choices that a smaller one beats.
func hull(list []choice) (out []choice) {
	for _, c := range list {
		if len(out) == 0 || c.cost < out[len(out)-1].cost {
			out = append(out, c)
		}
	}
	return out
}

// smallest returns the first choice of each tensor, -1 where there is none to make.
func (p *plan) smallest(choices [][]choice) []int {
	picks := make([]int, len(choices))
	for i := range choices {
		if len(choices[i]) == 0 {
			picks[i] = -1
		}
	}
	return picks
}

// startFrom returns, for each tensor, the best choice that is not larger than a standard mixture's.
func (p *plan) startFrom(file mixture.FileType, choices [][]choice) ([]int, bool) {
	s := *p.settings
	s.file = file
	standard, err := makePlan(p.model, p.matrix, &s)
	if err != nil {
		return nil, false
	}
	picks := p.smallest(choices)
	for i, list := range choices {
		for k, c := range list {
			if c.bytes <= standard.tensors[i].size() {
				picks[i] = k
			}
		}
	}
	return picks, true
}

// bytesOf sums the tensors under the picks.
func (p *plan) bytesOf(choices [][]choice, picks []int) (total int64) {
	for i, k := range picks {
		if k < 0 {
			total += p.tensors[i].size()
		} else {
			total += choices[i][k].bytes
		}
	}
	return total
}

// costOf sums the error that the picks leave.
func costOf(choices [][]choice, picks []int) (total float64) {
	for i, k := range picks {
		if k >= 0 {
			total += choices[i][k].cost
		}
	}
	return total
}

// upgrade spends the bytes that are left on the upgrades that remove the most cost for a byte.
func upgrade(choices [][]choice, picks []int, left int64) {
	for {
		tensor, to, rate := -1, 0, 0.0
		for i, k := range picks {
			if k < 0 {
				continue
			}
			now := choices[i][k]
			for n := k + 1; n < len(choices[i]); n++ {
				c := choices[i][n]
				gain := (now.cost - c.cost) / float64(c.bytes-now.bytes)
				if c.bytes-now.bytes <= left && gain > rate {
					tensor, to, rate = i, n, gain
				}
			}
		}
		if tensor < 0 {
			return
		}
		left -= choices[tensor][to].bytes - choices[tensor][picks[tensor]].bytes
		picks[tensor] = to
	}
}
