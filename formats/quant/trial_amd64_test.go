//go:build !purego

package quant

func trialBodies() (bodies []trialBody) {
	bodies = append(bodies, trialBody{"dispatch", (*trials).run})
	for _, b := range []struct {
		name string
		has  bool
		run  func(t *trials, x, w *float32, n int, lo, hi float32)
	}{{"avx2", useAVX2, trialsAVX2}, {"avx512", useAVX512, trialsAVX512}} {
		if b.has {
			bodies = append(bodies, trialBody{b.name, func(t *trials, x, w []float32, lo, hi float32) {
				if len(x) == 0 {
					t.runGeneric(x, w, lo, hi)
					return
				}
				b.run(t, &x[0], &w[0], len(x), lo, hi)
			}})
		}
	}
	return bodies
}
