package quantize

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/mixture"
	"github.com/llamakit/llamakit/formats/quant"
	"github.com/llamakit/llamakit/tools/internal/progress"
)

// Choosing types for a size. Every matrix is measured, on a sample of rows, in every type that fits its shape: bytes and
// squared error, weighted by importance where there is a matrix. Then the types that leave the least error in all within
// the budget are looked for: from a starting point, the upgrade that removes the most error for a byte is taken until
// nothing fits any more. Starting points are the smallest types, and every standard mixture that fits; the best end
// wins, so that the result is never worse than a standard mixture of that size.

// targetTypes are the types that are tried, beside those that the standard mixtures choose.
var targetTypes = []quant.Type{quant.IQ1_M, quant.IQ2_XXS, quant.IQ2_XS, quant.IQ2_S, quant.IQ3_XXS, quant.IQ3_S, quant.Q2_K, quant.Q3_K,
	quant.IQ4_XS, quant.IQ4_NL, quant.Q4_K, quant.Q5_0, quant.Q5_K, quant.Q6_K, quant.Q8_0}

// choice is a type that a tensor may take.
type choice struct {
	typ   quant.Type
	bytes int64
	cost  float64 // relative squared error times elements: what a tensor adds to the error of the model's output
}

// budget returns the bytes of tensor data that the target leaves.
func (o *options) budget(p *plan) int64 {
	_, _, elements := p.totals()
	if o.targetBPW > 0 {
		return int64(float64(o.targetBPW) * float64(elements) / 8)
	}
	var infos []gguf.TensorInfo
	var data int64
	for i := range p.tensors {
		infos = append(infos, p.tensors[i].info())
		data += p.tensors[i].size()
	}
	whole, err := gguf.Size(p.metadata, infos)
	if err != nil {
		return o.targetSize
	}
	return o.targetSize - (whole - data) - 32*int64(len(infos)) // padding may grow
}

// fitTarget replaces the types of a plan by the best ones within the budget.
func (o *options) fitTarget(ctx context.Context, p *plan) error {
	before, _, _ := p.totals()
	bar := progress.Bar(o.stderr, before, "measuring types")
	choices, err := p.measureChoices(ctx, o.threads, func(n int) { _ = bar.Add(n) })
	_ = bar.Clear()
	if err != nil {
		return err
	}
	budget := o.budget(p)
	best, least, from := []int(nil), math.Inf(1), ""
	for _, start := range append([]mixture.FileType{{Name: "the smallest types"}}, mixture.FileTypes...) {
		picks, ok := p.startFrom(start, choices)
		if !ok || p.bytesOf(choices, picks) > budget {
			continue
		}
		upgrade(choices, picks, budget-p.bytesOf(choices, picks))
		if cost := costOf(choices, picks); cost < least {
			best, least, from = picks, cost, start.Name
		}
	}
	if best == nil {
		smallest, _ := p.startFrom(mixture.FileType{Name: "the smallest types"}, choices)
		return fmt.Errorf("no types make the tensors fit %s; the smallest is %s%s", sizeText(budget), sizeText(p.bytesOf(choices, smallest)), hintMatrix(p))
	}
	for i, k := range best {
		if k >= 0 {
			t := &p.tensors[i]
			t.to, t.wanted = choices[i][k].typ, choices[i][k].typ
			t.why = fmt.Sprintf("relative error %.4f", math.Sqrt(choices[i][k].cost/float64(t.in.Elements())))
			t.lacking = false
		}
	}
	p.settings.file.Name = "chosen types"
	p.note("types were chosen for %s of tensors, beginning from %s", sizeText(budget), from)
	return nil
}

func hintMatrix(p *plan) string {
	if p.matrix != nil {
		return ""
	}
	return " (with --imatrix there are smaller types)"
}

// measureChoices finds what each tensor that the plan changes could become, smallest first.
func (p *plan) measureChoices(ctx context.Context, threads int, progress func(int)) ([][]choice, error) {
	all := make([][]choice, len(p.tensors))
	next := make(chan int)
	var mu sync.Mutex
	var failed error
	var wg sync.WaitGroup
	for range threads {
		wg.Go(func() {
			for i := range next {
				list, err := p.choicesOf(&p.tensors[i])
				mu.Lock()
				all[i], failed = list, cmp.Or(failed, err)
				progress(int(p.tensors[i].in.Size))
				mu.Unlock()
			}
		})
	}
	for i := range p.tensors {
		if p.tensors[i].changes() && ctx.Err() == nil {
			next <- i
		}
	}
	close(next)
	wg.Wait()
	return all, cmp.Or(failed, ctx.Err())
}

// choicesOf measures one tensor.
func (p *plan) choicesOf(t *planned) ([]choice, error) {
	var list []choice
	for _, typ := range targetTypes {
		trial := *t
		trial.to = typ
		if t.in.Dim(0)%typ.BlockSize() != 0 || t.importance == nil && p.needsImportance(&trial) {
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
		list = append(list, choice{typ, sizeAs(t.in, typ), e * e * float64(t.in.Elements())})
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

// startFrom returns the choice of each tensor, -1 where there is none to make: the smallest, or a standard mixture's.
func (p *plan) startFrom(start mixture.FileType, choices [][]choice) ([]int, bool) {
	picks := make([]int, len(choices))
	var types []planned
	if start.Base != 0 || start.Number != 0 {
		s := *p.settings
		s.file = start
		standard, err := makePlan(p.model, p.matrix, &s)
		if err != nil {
			return nil, false
		}
		types = standard.tensors
	}
	for i, list := range choices {
		picks[i] = -1
		if len(list) == 0 {
			continue
		}
		picks[i] = 0
		if types == nil {
			continue
		}
		// The best choice that is not larger than the mixture's.
		for k, c := range list {
			if c.bytes <= types[i].size() {
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
