package quant

// The search for a block's scale. Rounding a block to integers is a guess at the scale first: given the integers, the
// scale (and minimum) that fit best follow from three sums. So the encoders try a row of guesses, take the sums of each,
// and keep the guess whose best fit leaves the least error. A trial is one guess; trials are taken 16 at a time, one in
// each lane of a vector register, and a block's elements pass through one after the other. That way no sum is ever taken
// across lanes, and every implementation adds in the same order and gives the same bits.

// lanes is how many trials run at once.
const lanes = 16

// trials are 16 ways to round a block: q = round(x inv + shift inv), held between two integers, halves to even, with
// inv = (first + k step) / unit in lane k. The assembly knows where the fields lie.
type trials struct {
	first, step, unit, shift float32

	// sums of w and w x of the block, where a trial may be fitted by any line; 0: by a line through zero
	sw, sx float32
	_      [2]float32

	inv [lanes]float32

	q    [lanes]float32 // sum of w q
	qq   [lanes]float32 // sum of w q²
	qx   [lanes]float32 // sum of w q x
	gain [lanes]float64 // how much of the sum of w x² the best line explains; NaN where all q are 0
}

// roundMagic added to a float32 below 2^22 leaves no bits for a fraction, so the adder rounds it, halves to even.
const roundMagic = 3 << 22

// runGeneric takes the sums of every trial over a block x with weights w (as many). All products and sums are rounded
// on their own, never fused.
func (t *trials) runGeneric(x, w []float32, lo, hi float32) {
	w = w[:len(x)]
	for k := range lanes {
		inv := float32(t.first+float32(float32(k)*t.step)) / t.unit
		off := float32(t.shift * inv)
		var q, qq, qx float32
		for i, v := range x {
			r := roundBetween(float32(v*inv)+off, lo, hi)
			wq := float32(w[i] * r)
			q += wq
			qq += float32(wq * r)
			qx += float32(wq * v)
		}
		t.inv[k], t.q[k], t.qq[k], t.qx[k] = inv, q, qq, qx
		t.gain[k] = t.gainOf(k)
	}
}

// gainOf returns how much of the sum of w x² trial k explains: with slope and base of the least-squares line through the
// points (q, x) that is slope·qx + base·sx. Where the line would cross zero above zero, it goes through zero instead.
func (t *trials) gainOf(k int) float64 {
	if det, slope, base := t.line(k); det > 0 {
		return (float64(float64(t.qx[k])*slope) + float64(float64(t.sx)*base)) / det
	}
	return float64(float64(t.qx[k])*float64(t.qx[k])) / float64(t.qq[k])
}

// line returns the determinant of the least-squares problem of trial k, and det times the slope and det times the value at
// zero of the line. It returns 0 where all q are the same, so that any slope would do, or the line is not below zero there.
func (t *trials) line(k int) (det, slope, base float64) {
	sw, sx, q, qq, qx := float64(t.sw), float64(t.sx), float64(t.q[k]), float64(t.qq[k]), float64(t.qx[k])
	all := float64(sw * qq)
	det = all - float64(q*q)
	base = float64(qq*sx) - float64(q*qx)
	if !(float64(1e-5*all) < det && base < 0) {
		return 0, 0, 0
	}
	return det, float64(sw*qx) - float64(sx*q), base
}

// fit returns slope and base of the line of trial k.
func (t *trials) fit(k int) (scale, base float32) {
	if det, slope, base := t.line(k); det > 0 {
		return float32(slope / det), float32(base / det)
	}
	return float32(float64(t.qx[k]) / float64(t.qq[k])), 0
}

// best returns the trial that explains more than gain, and most; -1: none does.
func (t *trials) best(gain float64) int {
	best := -1
	for k, g := range &t.gain {
		if g > gain {
			best, gain = k, g
		}
	}
	return best
}

// roundBetween rounds v, held between lo and hi.
func roundBetween(v, lo, hi float32) float32 {
	if v < lo {
		v = lo
	}
	if v > hi {
		v = hi
	}
	return float32(v+roundMagic) - roundMagic
}

// clampRound rounds v and holds it between lo and hi.
func clampRound(v, lo, hi float32) int { return int(roundBetween(v, lo, hi)) }

// extent is what a block spans, with the sums of w and w x.
type extent struct{ lo, hi, sw, sx float32 }

// takeGeneric goes through x eight elements at a time; x has a multiple of eight.
func (e *extent) takeGeneric(x, w []float32) {
	var lo, hi, sw, sx [8]float32
	copy(lo[:], x)
	hi = lo
	for i, v := range x {
		j := i % 8
		lo[j], hi[j] = min(lo[j], v), max(hi[j], v)
		sw[j] += w[i]
		sx[j] += float32(w[i] * v)
	}
	for n := 4; n > 0; n /= 2 {
		for j := range n {
			lo[j], hi[j] = min(lo[j], lo[j+n]), max(hi[j], hi[j+n])
			sw[j] += sw[j+n]
			sx[j] += sx[j+n]
		}
	}
	*e = extent{lo[0], hi[0], sw[0], sx[0]}
}

// roundCodesGeneric writes q = zero + round((x + shift) inv), the integer held between lo and hi. x has a multiple of 16
// elements.
func roundCodesGeneric(q []byte, x []float32, shift, inv, lo, hi float32, zero int) {
	q = q[:len(x)]
	for i, v := range x {
		q[i] = byte(zero + int(roundBetween(float32(v+shift)*inv, lo, hi)))
	}
}
