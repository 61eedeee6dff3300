//go:build !race

package cpu_test

import (
	"testing"

	"github.com/llamakit/llamakit/engine/backend"
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/engine/kv"
	"github.com/llamakit/llamakit/formats/quant"
)

// TestStepsDoNotAllocate: once warm, a token costs no garbage.
func TestStepsDoNotAllocate(t *testing.T) {
	m := newAttentionModel(graph.AttentionSpec{Heads: 6, HeadsKV: 2, DimK: 32, DimV: 32, Scale: 0.3})
	b := &backend.Batch{Tokens: []int32{3}, Spans: []backend.Span{{N: 1, Pages: []kv.Page{0}}}, Outputs: []int32{0}}
	for _, typ := range []quant.Type{quant.F16, quant.Q8_0, quant.Q4_0, quant.Q5_1, quant.IQ4_NL} {
		p := compile(t, m.g, 2, typ)
		p.Run(b)
		if n := testing.AllocsPerRun(100, func() { p.Run(b) }); n > 0 {
			t.Errorf("%v cache: %g allocations a step", typ, n)
		}
	}
}

func TestRecurrencesDoNotAllocate(t *testing.T) {
	for name, m := range recurrents() {
		p := stateful(t, m.g, 2)
		b := &backend.Batch{Tokens: text(3), Spans: []backend.Span{{N: 3, Past: 60, Pages: somePages}}, Outputs: []int32{0}}
		p.Run(b)
		if n := testing.AllocsPerRun(200, func() { p.Run(b) }); n > 0 {
			t.Errorf("%s: %g allocations a step", name, n)
		}
	}
}
