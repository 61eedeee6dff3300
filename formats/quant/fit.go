package quant

// fitAffine finds scale and minimum for x ≈ scale q - minimum, q from 0 to top, minimum ≥ 0, so that the error weighted
// by w is small. (The minimum is subtracted because K types store it so; a block above zero has minimum 0.)
//
// Guesses stretch or shrink the range between the smallest and the largest element, each by another fraction of a step.
// The second round starts from the minimum that came out of the first.
func fitAffine(x, w []float32, top float32, first, step float32) (scale, minimum float32) {
	f := affineFit{x: x, w: w, top: top}
	f.measure()
	if !(f.hi-f.lo > tiny) {
		return 0, -f.lo
	}
	f.try(f.lo, first, step)
	f.try(f.min, first, step)
	return f.scale, -f.min
}

// tiny is a magnitude below which a block counts as zero: no half-precision scale could express it.
const tiny = 1e-15

// affineFit is the state of one search: x ≈ scale q + min.
type affineFit struct {
	x, w   []float32
	top    float32
	lo, hi float32 // range of x, with zero in it
	sw, sx float32 // sums of w and w x
	t      trials

	scale, min float32 // the best so far
	gain       float64 // how much of the sum of w x² it explains
}

func (f *affineFit) measure() {
	w := f.w[:len(f.x)]
	for i, v := range f.x {
		f.lo, f.hi = min(f.lo, v), max(f.hi, v)
		f.sw += w[i]
		f.sx += float32(w[i] * v)
	}
	if f.x[0] > 0 || f.hi > 0 {
		return
	}
	// All elements are at or below zero: the largest of them bounds the range.
	f.hi = f.x[0]
	for _, v := range f.x {
		f.hi = max(f.hi, v)
	}
}

// try rounds from base up with (top + first + k step) / range for every lane k, and keeps the best fit.
func (f *affineFit) try(base, first, step float32) {
	if !(f.hi-base > tiny) {
		return
	}
	f.t.spread(f.top+first, step, f.hi-base)
	for k, inv := range f.t.inv {
		f.t.off[k] = -base * inv
	}
	f.t.run(f.x, f.w, 0, f.top)
	for k := range lanes {
		f.consider(float64(f.t.q[k]), float64(f.t.qq[k]), float64(f.t.qx[k]))
	}
}

// consider fits a line through the points (q, x) by least squares; it may not cross zero above zero.
func (f *affineFit) consider(q, qq, qx float64) {
	sw, sx := float64(f.sw), float64(f.sx)
	det := sw*qq - q*q
	if !(det > 0) {
		return
	}
	slope, base := (sw*qx-sx*q)/det, (qq*sx-q*qx)/det
	if base > 0 {
		slope, base = qx/qq, 0
	}
	if gain := slope*qx + base*sx; gain > f.gain || f.scale == 0 {
		f.gain, f.scale, f.min = gain, float32(slope), float32(base)
	}
}

// fitSymmetric finds the scale for x ≈ scale q, q from -n to n-1, that makes the error weighted by w small. The element
// of the largest magnitude goes to about -n, whichever sign that gives the scale.
func fitSymmetric(x, w []float32, n float32) (scale float32) {
	extreme := farthest(x)
	if magnitude(extreme) < tiny {
		return 0
	}
	var t trials
	const reach = 0.9
	t.spread(-n+reach, -2*reach/(lanes-1), extreme)
	t.run(x, w, -n, n-1)
	scale, _ = t.best()
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
	var t trials
	t.spread(top-0.6, 0.08, most)
	t.run(x, w, 0, top)
	scale, inv := t.best()
	if scale > 0 {
		inv = 1 / scale
	}
	for i, v := range x {
		q[i] = byte(clampRound(v*inv, 0, top))
	}
	return scale
}

// best returns the least-squares scale of the trial that explains most, and its guess. Without any it is 0.
func (t *trials) best() (scale, inv float32) {
	most := 0.0
	for k := range lanes {
		qq, qx := float64(t.qq[k]), float64(t.qx[k])
		if qq > 0 && qx*qx > most*qq {
			most = qx * qx / qq
			scale, inv = float32(qx/qq), t.inv[k]
		}
	}
	return scale, inv
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
