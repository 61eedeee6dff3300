package kernel

import (
	"fmt"
	"syscall"
	"testing"

	"github.com/llamakit/llamakit/formats/quant"
)

func cpuSeconds() float64 {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return float64(u.Utime.Sec) + float64(u.Utime.Usec)/1e6 + float64(u.Stime.Sec) + float64(u.Stime.Usec)/1e6
}

func TestZZ(t *testing.T) {
	for _, c := range []struct {
		typ     quant.Type
		m, n, k int
		reps    int
	}{{quant.F16, 1, 65536, 1024, 10}, {quant.F16, 1, 16384, 4096, 10}, {quant.F32, 1, 16384, 4096, 5}} {
		for _, tier := range []Tier{AVX512} {
			restore, _ := Use(tier)
			mm := MatMulFor(c.typ)
			size := mm.ActBytes(c.k)
			x, acts := newRandom(1).normal(c.k), make([]byte, c.m*size)
			for i := range c.m {
				mm.Prepare(acts[i*size:][:size], x)
			}
			w, y := make([]byte, c.typ.RowBytes(c.n*c.k)), make([]float32, c.m*c.n)
			row := encodeRows(t, newRandom(2), c.typ, 1, c.k)
			for j := range c.n {
				copy(w[j*len(row):], row)
			}
			mm.Rows(y, c.n, w, acts, c.m, c.k)
			best := 1e9
			for try := 0; try < 5; try++ {
				t0 := cpuSeconds()
				for range c.reps {
					mm.Rows(y, c.n, w, acts, c.m, c.k)
				}
				best = min(best, (cpuSeconds()-t0)/float64(c.reps))
			}
			fmt.Printf("%v m=%d n=%d k=%d %v: %.1f GMAC/s %.1f GB/s\n", c.typ, c.m, c.n, c.k, tier, float64(c.m*c.n*c.k)/best/1e9, float64(len(w))/best/1e9)
			restore()
		}
	}
}
