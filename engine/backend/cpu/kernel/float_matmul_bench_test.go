package kernel

import (
	"fmt"
	"testing"

	"github.com/llamakit/llamakit/formats/quant"
)

// BenchmarkMatMul measures products whose weights come from the cache (n=1024) and from memory (n=65536).
func BenchmarkMatMul(b *testing.B) {
	shapes := []struct{ n, m int }{{1024, 1}, {1024, 4}, {1024, 16}, {1024, 512}, {65536, 1}, {65536, 4}}
	for _, typ := range floatTypes[:3] {
		for _, s := range shapes {
			for tier := range tierCount {
				if tier == Generic && s.n > 1024 {
					continue
				}
				b.Run(fmt.Sprintf("type=%v/n=%d/k=1024/m=%d/tier=%v", typ, s.n, s.m, tier), func(b *testing.B) {
					useTier(b, tier)
					benchmarkMatMul(b, typ, s.m, s.n, 1024)
				})
			}
		}
	}
}

// benchmarkMatMul reports the bytes of weights read and the multiply-adds done.
func benchmarkMatMul(b *testing.B, typ quant.Type, m, n, k int) {
	mm := MatMulFor(typ)
	size := mm.ActBytes(k)
	x, acts := newRandom(1).normal(k), make([]byte, m*size)
	for i := range m {
		mm.Prepare(acts[i*size:][:size], x)
	}
	w, y := make([]byte, typ.RowBytes(n*k)), make([]float32, m*n)
	row := encodeRows(b, newRandom(2), typ, 1, k)
	for j := range n {
		copy(w[j*len(row):], row)
	}
	b.SetBytes(int64(len(w)))
	b.ResetTimer()
	for range b.N {
		mm.Rows(y, n, w, acts, m, k)
	}
	b.ReportMetric(float64(m*n*k)*float64(b.N)/1e9/b.Elapsed().Seconds(), "GMAC/s")
}
