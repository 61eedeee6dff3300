//go:build !amd64 || purego

package quant

func (t *trials) run(x, w []float32, lo, hi float32) { t.runGeneric(x, w, lo, hi) }

func (e *extent) take(x, w []float32) { e.takeGeneric(x, w) }

func roundCodes(q []byte, x []float32, shift, inv, lo, hi float32, zero int) {
	roundCodesGeneric(q, x, shift, inv, lo, hi, zero)
}
