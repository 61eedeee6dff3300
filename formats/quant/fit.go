package quant

// fitAffine finds scale and minimum for x ≈ scale q - minimum, q from 0 to top, minimum ≥ 0, so that the error weighted
// by w is small. (The minimum is subtracted because K types store it so; a block above zero has minimum 0.)
//
// Guesses stretch or shrink the range between the smallest and the largest element, each by another fraction of a step.
// The second round starts from the minimum that came out of the first.
func fitAffine(x, w []float32, top float32, first, step float32) (scale, minimum float32) {
	f := affineFit{x: x, w: w, top: top}
	f.extent.take(x, w)
	if !(f.lo < 0) {
		f.lo = 0
	}
	if !(f.hi-f.lo > tiny) {
		return 0, -f.lo
	}
	f.t.sw, f.t.sx = f.sw, f.sx
	f.try(f.lo, first, step)
	f.try(f.base, first, step)
	if top <= 3 { // few steps: the minimum still moves
		f.try(f.base, first+float32(step/2), step)
		f.try(f.base, first, step)
	}
	return f.scale, -f.base
}

// tiny is a magnitude below which a block counts as zero: no half-precision scale could express it.
const tiny = 1e-15

// affineFit is the state of one search: x ≈ scale q + base.
type affineFit struct {
	x, w   []float32
	top    float32
	extent // of x, down to zero at least
	t      trials

	scale, base float32 // the best so far
	gain        float64 // how much of the sum of w x² it explains
}

// try rounds from base up with (top + first + k step) / range for every lane k, and keeps the best fit.
func (f *affineFit) try(base, first, step float32) {
	if !(f.hi-base > tiny) {
		return
	}
	f.t.first, f.t.step, f.t.unit, f.t.shift = f.top+first, step, f.hi-base, -base
	f.t.run(f.x, f.w, 0, f.top)
	if k := f.t.best(f.gain); k >= 0 {
		f.gain = f.t.gain[k]
		f.scale, f.base = f.t.fit(k)
	}
}

// fitSymmetric finds the scale for x ≈ scale q, q from -n to n-1, that makes the error weighted by w small. The element
// of the largest magnitude goes to about -n, whichever sign that gives the scale; where codes are few it may also go to
// the other end.
func fitSymmetric(x, w []float32, n float32) (scale float32) {
	const reach = 0.9
	extreme := farthest(x)
	if magnitude(extreme) < tiny {
		return 0
	}
	t := trials{first: -n + reach, step: -2 * reach / (lanes - 1), unit: extreme}
	scale, _, gain := t.fitScale(x, w, -n, n-1)
	if n > 4 {
		return scale
	}
	t.first, t.step = n-1-reach, 2*reach/(lanes-1)
	if other, _, more := t.fitScale(x, w, -n, n-1); more > gain {
		return other
	}
	return scale
}

// fitPositive finds the scale for x ≈ scale q, all x at or above zero, q from 0 to top, and writes the integers.
func fitPositive(q []byte, x, w []float32, top float32) (scale float32) {
	most := float32(0)
	for _, v := range x {
		most = max(most, v)
	}
	if most < tiny {
		clear(q)
		return 0
	}
	t := trials{first: top - 0.6, step: 0.08, unit: most}
	scale, inv, _ := t.fitScale(x, w, 0, top)
	if scale > 0 {
		inv = 1 / scale
	}
	for i, v := range x {
		q[i] = byte(clampRound(float32(v*inv), 0, top))
	}
	return scale
}

// fitScale returns the least-squares scale of the trial that explains most, its guess, and how much of the sum of w x² it
// explains. Without any all are 0.
func (t *trials) fitScale(x, w []float32, lo, hi float32) (scale, inv float32, gain float64) {
	t.run(x, w, lo, hi)
	k := t.best(0)
	if k < 0 {
		return 0, 0, 0
	}
	scale, _ = t.fit(k)
	return scale, t.inv[k], t.gain[k]
}

// farthest returns the element with the largest magnitude, the first of them.
func farthest(x []float32) (extreme float32) {
	most := float32(0)
	for _, v := range x {
		if a := magnitude(v); a > most {
			most, extreme = a, v
		}
	}
	return extreme
}
