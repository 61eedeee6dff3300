//go:build unix

package cpu_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/llamakit/llamakit/engine/backend"
	"github.com/llamakit/llamakit/engine/backend/cpu"
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/engine/kv"
	"github.com/llamakit/llamakit/formats/quant"
)

// BenchmarkAttentionAtDepth measures one layer of Qwen3-0.6B's shape after 8192 tokens, in processor time: other work on the
// machine counts little.
func BenchmarkAttentionAtDepth(b *testing.B) {
	const depth = 8192
	m := newAttentionModel(graph.AttentionSpec{Heads: 16, HeadsKV: 8, DimK: 128, DimV: 128, Scale: 0.09})
	for _, typ := range []quant.Type{quant.F16, quant.Q8_0, quant.Q4_0} {
		for _, rows := range []int{1, 64} {
			for _, threads := range []int{1, 2} {
				b.Run(fmt.Sprintf("type=%v/rows=%d/threads=%d", typ, rows, threads), func(b *testing.B) {
					p, err := (&cpu.Device{Threads: threads}).Compile(m.g, backend.Options{Rows: 64, Pages: depth/kv.PageSize + 2, TypeK: typ, TypeV: typ})
					if err != nil {
						b.Fatal(err)
					}
					defer p.Close()
					batch := atDepth(p, depth, rows)
					before := processorTime()
					for b.Loop() {
						p.Run(batch)
					}
					b.ReportMetric(float64((processorTime()-before).Microseconds())/float64(b.N), "cpu-µs/op")
				})
			}
		}
	}
}

// atDepth fills the cache with copies of a page and returns a batch of rows that stands behind them.
func atDepth(p backend.Program, depth, rows int) *backend.Batch {
	pages := make([]kv.Page, depth/kv.PageSize+2)
	for i := range pages {
		pages[i] = kv.Page(i)
	}
	p.Run(&backend.Batch{Tokens: text(kv.PageSize), Spans: []backend.Span{{N: kv.PageSize, Pages: pages}}})
	for _, to := range pages[1:] {
		p.Copy(kv.Copy{From: 0, To: to, Tokens: kv.PageSize})
	}
	return &backend.Batch{Tokens: text(rows), Spans: []backend.Span{{N: rows, Past: depth, Pages: pages}}, Outputs: []int32{int32(rows) - 1}}
}

func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano())
}
