package arch_test

import (
	"fmt"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/llamakit/llamakit/bench/model"
	"github.com/llamakit/llamakit/engine/arch"
	"github.com/llamakit/llamakit/engine/backend"
	"github.com/llamakit/llamakit/engine/backend/cpu"
	"github.com/llamakit/llamakit/engine/kv"
	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/quant"
)

// BenchmarkForward computes batches of a few layers of a Qwen3-0.6B: one row as in decoding, 512 as in a prompt.
func BenchmarkForward(b *testing.B) {
	for _, typ := range []quant.Type{quant.F16, quant.Q8_0} {
		for _, rows := range []int{1, 4, 512} {
			b.Run(fmt.Sprintf("type=%v/rows=%d", typ, rows), func(b *testing.B) { benchmarkForward(b, typ, rows) })
		}
	}
}

func benchmarkForward(b *testing.B, typ quant.Type, rows int) {
	shape, _ := model.Named("qwen3-0.6b")
	shape.Layers, shape.Vocab = 4, 1000
	path := filepath.Join(b.TempDir(), "m.gguf")
	if err := model.Write(path, shape, typ, 1); err != nil {
		b.Fatal(err)
	}
	f, err := gguf.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	m, err := arch.Build(f, arch.Options{})
	if err != nil {
		b.Fatal(err)
	}
	p, err := (&cpu.Device{Threads: runtime.NumCPU()}).Compile(m.Graph, backend.Options{Rows: rows, Pages: 20, TypeK: quant.F16, TypeV: quant.F16})
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	batch := &backend.Batch{Tokens: make([]int32, rows), Outputs: []int32{int32(rows - 1)}, Spans: []backend.Span{{N: rows}}}
	for i := range 20 {
		batch.Spans[0].Pages = append(batch.Spans[0].Pages, kv.Page(i))
	}
	for b.Loop() {
		p.Run(batch)
	}
	b.ReportMetric(float64(rows*b.N)/b.Elapsed().Seconds(), "tok/s")
}
