//go:build !amd64 || purego

package quant

func (t *trials) run(x, w []float32, lo, hi float32) { t.runGeneric(x, w, lo, hi) }
