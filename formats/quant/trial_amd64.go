//go:build !purego

package quant

import "golang.org/x/sys/cpu"

// Which bodies may run; tests switch them off.
var (
	useAVX2   = cpu.X86.HasAVX2
	useAVX512 = cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ
)

func (t *trials) run(x, w []float32, lo, hi float32) {
	switch w = w[:len(x)]; {
	case len(x) == 0 || !useAVX2:
		t.runGeneric(x, w, lo, hi)
	case useAVX512:
		trialsAVX512(&t.first, &x[0], &w[0], len(x), lo, hi)
	default:
		trialsAVX2(&t.first, &x[0], &w[0], len(x), lo, hi)
	}
}

// take measures the block x with weights w (as many), a multiple of eight.
func (e *extent) take(x, w []float32) {
	if w = w[:len(x)]; !useAVX2 {
		e.takeGeneric(x, w)
		return
	}
	extentAVX2(&e.lo, &x[0], &w[0], len(x))
}

// roundCodes is roundCodesGeneric.
func roundCodes(q []byte, x []float32, shift, inv, lo, hi float32, zero int) {
	switch q = q[:len(x)]; {
	case !useAVX2:
		roundCodesGeneric(q, x, shift, inv, lo, hi, zero)
	case useAVX512:
		roundCodesAVX512(&q[0], &x[0], len(x), shift, inv, lo, hi, int32(zero))
	default:
		roundCodesAVX2(&q[0], &x[0], len(x), shift, inv, lo, hi, int32(zero))
	}
}
