package kernel

import (
	"fmt"
	"testing"

	"github.com/llamakit/llamakit/formats/quant"
)

// BenchmarkRow measures the operations on rows of a usual width, in bytes read.
func BenchmarkRow(b *testing.B) {
	const n = 4096
	r := newRandom(1)
	x, y, z, bytes := r.normal(n), r.normal(n), make([]float32, n), make([]byte, 2*n)
	for _, c := range []struct {
		name string
		read int
		f    func()
	}{
		{"Add", 8 * n, func() { Add(z, x, y) }},
		{"RMSNorm", 8 * n, func() { RMSNorm(z, x, y, 1e-5) }},
		{"LayerNorm", 8 * n, func() { LayerNorm(z, x, y, nil, 1e-5) }},
		{"SiLUMul", 8 * n, func() { SiLUMul(z, x, y) }},
		{"GELUMul", 8 * n, func() { GELUMul(z, x, y) }},
		{"SoftCap", 4 * n, func() { SoftCap(z, x, 30) }},
		{"MaxOf", 4 * n, func() { MaxOf(x) }},
		{"Softmax", 4 * n, func() { Softmax(z) }},
		{"RopeNorm", 8 * n, func() { RopeNorm(z, x, y[:n/2], y[n/2:]) }},
		{"RopeNeox", 8 * n, func() { RopeNeox(z, x, y[:n/2], y[n/2:]) }},
		{"StoreF16", 4 * n, func() { StoreF16(bytes, x) }},
		{"StoreBF16", 4 * n, func() { StoreBF16(bytes, x) }},
		{"LoadF16", 2 * n, func() { LoadF16(z, bytes) }},
	} {
		for tier := range tierCount {
			b.Run(fmt.Sprintf("op=%s/n=%d/tier=%v", c.name, n, tier), func(b *testing.B) {
				useTier(b, tier)
				b.SetBytes(int64(c.read))
				for range b.N {
					c.f()
				}
			})
		}
	}
}

// BenchmarkAccumulate measures the weighted sum over a page of 32 rows, for one query head and for several that share it.
func BenchmarkAccumulate(b *testing.B) {
	for _, typ := range sumTypes {
		for _, m := range []int{1, 2, 7, 8} {
			for tier := range tierCount {
				b.Run(fmt.Sprintf("type=%v/n=32/d=128/m=%d/tier=%v", typ, m, tier), func(b *testing.B) {
					useTier(b, tier)
					benchmarkAccumulate(b, typ, m, 32, 128)
				})
			}
		}
	}
}

func benchmarkAccumulate(b *testing.B, typ quant.Type, m, n, d int) {
	s, f := newWeightedSum(b, newRandom(1), typ, m, n, d), AccumulateFor(typ)
	b.SetBytes(int64(len(s.v)))
	b.ResetTimer()
	for range b.N {
		f(s.acc, d, s.p, n, s.v, nil, d, m, n, d)
	}
	b.ReportMetric(float64(m*n*d)*float64(b.N)/1e9/b.Elapsed().Seconds(), "GMAC/s")
}
