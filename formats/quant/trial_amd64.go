//go:build !purego

package quant

import "golang.org/x/sys/cpu"

// Which bodies may run; tests switch them off.
var (
	useAVX2   = cpu.X86.HasAVX2
	useAVX512 = cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ
)

//go:noescape
func trialsAVX512(t *trials, x, w *float32, n int, lo, hi float32)

//go:noescape
func trialsAVX2(t *trials, x, w *float32, n int, lo, hi float32)

func (t *trials) run(x, w []float32, lo, hi float32) {
	switch w = w[:len(x)]; {
	case len(x) == 0 || !useAVX2:
		t.runGeneric(x, w, lo, hi)
	case useAVX512:
		trialsAVX512(t, &x[0], &w[0], len(x), lo, hi)
	default:
		trialsAVX2(t, &x[0], &w[0], len(x), lo, hi)
	}
}
