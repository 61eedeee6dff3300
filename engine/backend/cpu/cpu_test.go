package cpu_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/llamakit/llamakit/engine/backend"
	"github.com/llamakit/llamakit/engine/backend/cpu"
	"github.com/llamakit/llamakit/engine/backend/cpu/kernel"
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/formats/quant"
)

const vocab = 50

// weights makes a random F32 matrix; several experts one after another.
func weights(r *rand.Rand, in, out, experts int) *graph.Weight {
	v := make([]float32, in*out*experts)
	for i := range v {
		v[i] = float32(r.NormFloat64() / math.Sqrt(float64(in)) * 1.5)
	}
	data := unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), 4*len(v))
	return &graph.Weight{Name: "w", Type: quant.F32, In: in, Out: out, Experts: experts, Data: data}
}

func linear(r *rand.Rand, in, out, experts int) graph.Linear {
	return graph.Linear{W: weights(r, in, out, experts)}
}

// values returns row n of a weight in float64.
func values(w *graph.Weight, n int) []float64 {
	row := make([]float32, w.In)
	quant.Decode(w.Type, row, w.Row(n))
	out := make([]float64, w.In)
	for i, v := range row {
		out[i] = float64(v)
	}
	return out
}

func times(w *graph.Weight, expert int, x []float64) []float64 {
	y := make([]float64, w.Out)
	for n := range y {
		for k, v := range values(w, expert*w.Out+n) {
			y[n] += v * x[k]
		}
	}
	return y
}

// eachTier runs a test with every set of kernels that this machine has.
func eachTier(t *testing.T, test func(t *testing.T)) {
	for _, tier := range []kernel.Tier{kernel.Generic, kernel.AVX2, kernel.AVX512} {
		if restore, ok := kernel.Use(tier); ok {
			t.Run(tier.String(), test)
			restore()
		}
	}
}

func compile(t *testing.T, g *graph.Graph, threads int, cache quant.Type) backend.Program {
	t.Helper()
	p, err := (&cpu.Device{Threads: threads}).Compile(g, backend.Options{Rows: 64, Pages: 16, TypeK: cache, TypeV: cache})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func close64(t *testing.T, what string, got []float32, want []float64, bound float64) {
	t.Helper()
	var diff, sum float64
	for i := range want {
		diff += (float64(got[i]) - want[i]) * (float64(got[i]) - want[i])
		sum += want[i] * want[i]
	}
	if !(diff <= bound*sum) {
		t.Errorf("%s: NMSE %.2g, want at most %.0g", what, diff/sum, bound)
	}
}

func TestWrongOptions(t *testing.T) {
	g := newAttentionModel(graph.AttentionSpec{Heads: 1, HeadsKV: 1, DimK: 8, DimV: 8}).g
	if _, err := (&cpu.Device{}).Compile(g, backend.Options{Rows: 1, Pages: 1}); err == nil {
		t.Error("no threads: accepted")
	}
	if _, err := (&cpu.Device{Threads: 1}).Compile(g, backend.Options{Rows: 1, Pages: 1, TypeK: quant.Q2_K}); err == nil {
		t.Error("q2_K cache: accepted")
	}
}
