package quant

// Encoders of IQ4_NL and IQ4_XS. Elements go to the nearest of the 16 steps, so the search for the scale is that of
// trials with a table in the place of rounding.

// nearStep is the index of the step nearest to v, at 2v+256 rounded down; a tie goes to the larger step. Midpoints
// between steps are multiples of a half, so that no v is taken wrongly.
var nearStep = func() (near [512]byte) {
	for i := range near {
		v := float32(i-256) / 2
		k := 0
		for k < 15 && v >= (steps4[k]+steps4[k+1])/2 {
			k++
		}
		near[i] = byte(k)
	}
	return near
}()

// stepOf returns the index of the step nearest to v.
func stepOf(v float32) byte {
	v = float32(v*2) + 256
	if !(v > 0) { // NaN too, which a scale too large for f16 leads to
		v = 0
	}
	if v > 511 {
		v = 511
	}
	return nearStep[int32(v)]
}

// fitSteps finds the scale for x ≈ scale t[q] that makes the error weighted by w small. The largest magnitude goes near
// the first step, which is the larger end, or in the last trial near the other end.
func fitSteps(x, w []float32) (scale float32) {
	extreme := farthest(x)
	if magnitude(extreme) < tiny {
		return 0
	}
	most := 0.0
	for k := range lanes {
		guess := steps4[0] + float32(k-7)
		if k == lanes-1 {
			guess = -steps4[0]
		}
		qx, qq := sumSteps(x, w, guess/extreme)
		if qq > 0 && qx*qx > most*qq {
			most, scale = qx*qx/qq, float32(qx/qq)
		}
	}
	return scale
}

// sumSteps returns the sums of w t x and w t² for the steps t nearest to x inv.
func sumSteps(x, w []float32, inv float32) (qx, qq float64) {
	var sx, s2 float32
	w = w[:len(x)]
	for i, v := range x {
		t := steps4[stepOf(float32(v*inv))]
		wt := w[i] * t
		sx += float32(wt * v)
		s2 += float32(wt * t)
	}
	return float64(sx), float64(s2)
}

func roundSteps(q []byte, x []float32, inv float32) {
	for i, v := range x {
		q[i] = stepOf(float32(v * inv))
	}
}

func encodeIQ4_NL(dst []byte, src, importance []float32) {
	var q [32]byte
	var w [32]float32
	for at := 0; len(src) >= iq4_NLSize; dst, src, at = dst[iq4_NLBytes:], src[iq4_NLSize:], at+iq4_NLSize {
		x := src[:iq4_NLSize]
		weighIQ4(w[:], x, importance, at, 2*sumSquares(x)/iq4_NLSize)
		d := putScale(dst, fitSteps(x, w[:]))
		roundSteps(q[:], x, inverse(d))
		packNibbles(dst[iq4_NLQuant:], q[:], 16)
	}
}

func encodeIQ4_XS(dst []byte, src, importance []float32) {
	var q [superSize]byte
	supers(dst, src, importance, iq4_XSBytes, func(y []byte, x, importance []float32) {
		var scales [8]float32
		var w [32]float32
		sigma2 := float32(2 * sumSquares(x) / superSize)
		for i := range scales {
			xs := x[32*i : 32*i+32]
			weighIQ4(w[:], xs, importance, 32*i, sigma2)
			scales[i] = fitSteps(xs, w[:])
		}
		d := putScale(y, farthest(scales[:])/-32)
		inv, low, high := inverse(d), y[iq4_XSLow:iq4_XSQuant], uint16(0)
		clear(low)
		for i, s := range scales {
			code := clampRound(float32(s*inv), -32, 31)
			low[i/2] |= byte(code+32) & 15 << (i % 2 * 4)
			high |= uint16(code+32) >> 4 << (2 * i)
			roundSteps(q[32*i:32*i+32], x[32*i:32*i+32], inverse(d*float32(code)))
		}
		le.PutUint16(y[iq4_XSHigh:], high)
		packNibbles(y[iq4_XSQuant:], q[:], 16)
	})
}

func weighIQ4(w, x, importance []float32, at int, sigma2 float32) {
	if importance == nil {
		weighSquares(w, x)
		return
	}
	weigh(w, x, importance[at:], sigma2)
}
