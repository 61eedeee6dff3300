package cpu_test

import (
	"fmt"
	"testing"

	"github.com/llamakit/llamakit/engine/backend"
	"github.com/llamakit/llamakit/engine/backend/cpu"
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/formats/quant"
)

// BenchmarkRecurrence computes one recurrent op of the size that a layer of a common model has, with the small projections
// that feed it here, for one row as in decoding and for 256 as in a prompt.
func BenchmarkRecurrence(b *testing.B) {
	for name, m := range map[string]*recurrent{
		"conv":       newConv(8192, 4, true),
		"mamba":      newScan(4096, 1, 16, 1, true),
		"mamba2":     newScan(64, 64, 128, 1, true),
		"delta-rule": newDelta(graph.DeltaSpec{Heads: 32, KeyHeads: 16}, 128, 128, false),
		"delta-kda":  newDelta(graph.DeltaSpec{Heads: 32, KeyHeads: 32}, 128, 128, true),
	} {
		for _, rows := range []int{1, 256} {
			b.Run(fmt.Sprintf("op=%s/rows=%d", name, rows), func(b *testing.B) {
				p, err := (&cpu.Device{Threads: 1}).Compile(m.g, backend.Options{Rows: rows, States: 1, TypeK: quant.F32, TypeV: quant.F32})
				if err != nil {
					b.Fatal(err)
				}
				defer p.Close()
				batch := &backend.Batch{Tokens: text(rows), Spans: []backend.Span{{N: rows, Past: 1}}}
				for b.Loop() {
					p.Run(batch)
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(rows*b.N), "us/row")
			})
		}
	}
}
