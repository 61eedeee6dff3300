package quant

// The search for a block's scale. Rounding a block to integers is a guess at the scale first: given the integers, the
// scale (and minimum) that fit best follow from three sums. So the encoders try a row of guesses, take the sums of each,
// and keep the guess whose best fit leaves the least error. A trial is one guess; trials are taken 16 at a time, one in
// each lane of a vector register, and a block's elements pass through one after the other. That way no sum is ever taken
// across lanes, and every implementation adds in the same order and gives the same bits.

// lanes is how many trials run at once.
const lanes = 16

// trials are 16 ways to round a block: q = round(x inv + off), held between lo and hi, halves to even.
type trials struct {
	inv, off [lanes]float32

	q  [lanes]float32 // sum of w q
	qq [lanes]float32 // sum of w q²
	qx [lanes]float32 // sum of w q x
}

// roundMagic added to a float32 below 2^22 leaves no bits for a fraction, so the adder rounds it, halves to even.
const roundMagic = 3 << 22

// runGeneric takes the sums of every trial over a block x with weights w (as many). All products and sums are rounded
// on their own, never fused.
func (t *trials) runGeneric(x, w []float32, lo, hi float32) {
	w = w[:len(x)]
	for k := range lanes {
		inv, off := t.inv[k], t.off[k]
		var q, qq, qx float32
		for i, v := range x {
			r := float32(float32(v*inv) + off)
			if r < lo {
				r = lo
			}
			if r > hi {
				r = hi
			}
			r = float32(r+roundMagic) - roundMagic
			wq := float32(w[i] * r)
			q += wq
			qq += float32(wq * r)
			qx += float32(wq * v)
		}
		t.q[k], t.qq[k], t.qx[k] = q, qq, qx
	}
}

// spread sets the guesses inv to (first + k step) / unit.
func (t *trials) spread(first, step, unit float32) {
	for k := range t.inv {
		t.inv[k] = (first + float32(float32(k)*step)) / unit
	}
}

// roundHalfEven returns the integer nearest to v, which must lie between -2^22 and 2^22.
func roundHalfEven(v float32) int { return int(float32(v+roundMagic) - roundMagic) }

// clampRound rounds v and holds it between lo and hi.
func clampRound(v, lo, hi float32) int {
	if v < lo {
		v = lo
	}
	if v > hi {
		v = hi
	}
	return roundHalfEven(v)
}
