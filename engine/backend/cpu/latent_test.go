package cpu_test

import (
	"fmt"
	"testing"

	"github.com/llamakit/llamakit/engine/backend"
	"github.com/llamakit/llamakit/engine/backend/cpu"
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/formats/quant"
)

// newLatent is attention to keys whose first columns are the values.
func newLatent(heads, dimK, dimV int) *recurrent {
	m, s := newRecurrent(9), sparse{heads: heads, headsKV: 1, dim: dimK}
	q, rowQ := m.input(heads * dimK)
	k, rowK := m.input(dimK)
	o := m.b.Attention(q, k, nil, graph.AttentionSpec{Heads: heads, HeadsKV: 1, DimK: dimK, DimV: dimV, Scale: 0.3})
	return m.finish(o, func(rows [][]float64) (out [][]float64) {
		keys := each64(rows, rowK)
		for i, x := range rows {
			all, y := s.attend(rowQ(x), keys[:i+1], keys[:i+1], nil), []float64(nil)
			for h := range heads {
				y = append(y, all[h*dimK:][:dimV]...)
			}
			out = append(out, y)
		}
		return out
	})
}

// TestLatent uses values that end within the columns that a cache of blocks turns at a time, and at their border.
func TestLatent(t *testing.T) {
	for typ, bound := range map[quant.Type]float64{quant.F32: 1e-11, quant.F16: 4e-6, quant.BF16: 4e-4, quant.Q8_0: 2e-3, quant.Q4_0: 0.3} {
		for _, dimV := range []int{40, 64, 96} {
			t.Run(fmt.Sprintf("%v/%d", typ, dimV), func(t *testing.T) {
				m, tokens := newLatent(5, 96, dimV), text(70)
				want := m.want(tokens)
				eachTier(t, func(t *testing.T) {
					p, err := (&cpu.Device{Threads: 2}).Compile(m.g, backend.Options{Rows: 70, Pages: 8, TypeK: typ, TypeV: typ})
					if err != nil {
						t.Fatal(err)
					}
					defer p.Close()
					for i, row := range outputs(p, &backend.Batch{Tokens: tokens, Spans: []backend.Span{{N: 70, Pages: somePages}}}) {
						close64(t, fmt.Sprintf("position %d", i), row, want[i], bound)
					}
				})
			})
		}
	}
}
