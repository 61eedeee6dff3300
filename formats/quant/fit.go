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
	if top <= 3 { // few steps: the minimum still moves
		f.try(f.min, first+float32(step/2), step)
		f.try(f.min, first, step)
	}
	return f.scale, -f.min
}

// tiny is a magnitude below which a block counts as zero: no half-precision scale could express it.
const tiny = 1e-15

// affineFit is the state of one search: x ≈ scale q + min.
type affineFit struct {
	x, w   []float32
	top    float32
	lo, hi float32 // range of x, down to zero at least
	sw, sx float32 // sums of w and w x
	t      trials

	scale, min float32 // the best so far
	gain       float64 // how much of the sum of w x² it explains
}

// measure takes the range and the sums, four at a time, so that one need not wait for the other.
func (f *affineFit) measure() {
	x, w := f.x, f.w[:len(f.x)]
	lo, hi := x[0], x[0]
	var sw, sx [4]float32
	for ; len(x) >= 4 && len(w) >= 4; x, w = x[4:], w[4:] {
		for j := range sw {
			v, wj := x[j], w[j]
			if v < lo {
				lo = v
			}
			if v > hi {
				hi = v
			}
			sw[j] += wj
			sx[j] += float32(wj * v)
		}
	}
	f.lo, f.hi = min(lo, 0), hi
	f.sw, f.sx = sw[0]+sw[1]+sw[2]+sw[3], sx[0]+sx[1]+sx[2]+sx[3]
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
	if k := f.best(); k >= 0 {
		f.take(k)
	}
}

// best returns the trial that explains more of the sum of w x² than any before, or -1. A trial's best line through the
// points (q, x) may not cross zero above zero; it then goes through zero. What it explains is a fraction; fractions are
// compared by multiplying out.
func (f *affineFit) best() (best int) {
	best = -1
	sw, sx := float64(f.sw), float64(f.sx)
	gain, unit := f.gain, 1.0
	for k := range lanes {
		q, qq, qx := float64(f.t.q[k]), float64(f.t.qq[k]), float64(f.t.qx[k])
		num, den := float64(qx*qx), qq
		if det, base := f.line(q, qq, qx); base < 0 {
			num, den = float64(qx*(float64(sw*qx)-float64(sx*q)))+float64(sx*base), det
		}
		if den > 0 && float64(num*unit) > float64(gain*den) {
			best, gain, unit = k, num, den
		}
	}
	return best
}

// line returns the determinant of the least-squares problem and det times the line's value at zero: 0 where all q are
// the same, so that any slope would do, or the line would cross above zero.
func (f *affineFit) line(q, qq, qx float64) (det, base float64) {
	all := float64(float64(f.sw) * qq)
	det = all - float64(q*q)
	base = float64(qq*float64(f.sx)) - float64(q*qx)
	if !(det > 1e-5*all) || base > 0 {
		return 0, 0
	}
	return det, base
}

// take makes trial k the best so far.
func (f *affineFit) take(k int) {
	q, qq, qx := float64(f.t.q[k]), float64(f.t.qq[k]), float64(f.t.qx[k])
	slope, low := qx/qq, 0.0
	if det, base := f.line(q, qq, qx); base < 0 {
		slope, low = (float64(float64(f.sw)*qx)-float64(float64(f.sx)*q))/det, base/det
	}
	f.gain = float64(slope*qx) + float64(low*float64(f.sx))
	f.scale, f.min = float32(slope), float32(low)
}

// fitSymmetric finds the scale for x ≈ scale q, q from -n to n-1, that makes the error weighted by w small. The element
// of the largest magnitude goes to about -n, whichever sign that gives the scale; where codes are few it may also go to
// the other end.
func fitSymmetric(x, w []float32, n float32) (scale float32) {
	extreme := farthest(x)
	if magnitude(extreme) < tiny {
		return 0
	}
	var t trials
	const reach = 0.9
	t.spread(-n+reach, -2*reach/(lanes-1), extreme)
	t.run(x, w, -n, n-1)
	scale, _, gain := t.best()
	if n > 4 {
		return scale
	}
	t.spread(n-1-reach, 2*reach/(lanes-1), extreme)
	t.run(x, w, -n, n-1)
	if other, _, more := t.best(); more > gain {
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
	var t trials
	t.spread(top-0.6, 0.08, most)
	t.run(x, w, 0, top)
	scale, inv, _ := t.best()
	if scale > 0 {
		inv = 1 / scale
	}
	for i, v := range x {
		q[i] = byte(clampRound(float32(v*inv), 0, top))
	}
	return scale
}

// best returns the least-squares scale of the trial that explains most, its guess, and how much of the sum of w x² it
// explains. Without any all are 0.
func (t *trials) best() (scale, inv float32, gain float64) {
	for k := range lanes {
		qq, qx := float64(t.qq[k]), float64(t.qx[k])
		if qq > 0 && qx*qx > gain*qq {
			gain = qx * qx / qq
			scale, inv = float32(qx/qq), t.inv[k]
		}
	}
	return scale, inv, gain
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
