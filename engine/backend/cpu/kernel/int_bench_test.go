package kernel

import (
	"fmt"
	"testing"
)

func BenchmarkIntMatMul(b *testing.B) {
	for _, typ := range intTestTypes {
		for tier := Generic; tier < tierCount; tier++ {
			for _, s := range [][3]int{{1, 1 << 14, 1024}, {2, 1024, 1024}, {3, 1024, 1024}, {4, 1024, 1024}, {8, 1024, 1024}, {512, 256, 1024}, {512, 256, 4096}} {
				m, n, k := s[0], s[1], s[2]
				if tier == Generic {
					m, n = min(m, 4), 64
				}
				b.Run(fmt.Sprintf("type=%v/m=%d/k=%d/tier=%v", typ, m, k, tier), func(b *testing.B) {
					useTier(b, tier)
					r := newRandom(7)
					p := newIntProblem(r, typ, plainWeights, m, n, k)
					if m == 1 { // from memory, not from cache: 64 MB of weights
						for len(p.w) < 1<<26 {
							p.w = append(p.w, p.w...)
						}
						p.n = len(p.w) / typ.RowBytes(k)
					}
					y := make([]float32, m*p.n)
					b.SetBytes(int64(len(p.w)))
					for b.Loop() {
						p.mul.Rows(y, p.n, p.w, p.acts, m, k)
					}
					b.ReportMetric(float64(m)*float64(p.n)*float64(k)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GMAC/s")
				})
			}
		}
	}
}
