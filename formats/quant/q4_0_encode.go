package quant

// Encoders of Q4_0, Q4_1, Q5_0 and Q5_1. Without importance they give the bytes of ggml's reference encoders: the scale
// spans the block's range (_1), or puts the largest magnitude at the far end of the negative side (_0). With importance
// the scale is searched; σ² is then the mean square of the row.

func encodeQ4_0(dst []byte, src, importance []float32) {
	centred(dst, src, importance, 8, q4_0Bytes, func(block []byte, d float32, q [32]byte) float32 {
		packNibbles(block[q4_0Quant:], q[:], 16)
		return putScale(block, d)
	})
}

func encodeQ5_0(dst []byte, src, importance []float32) {
	centred(dst, src, importance, 16, q5_0Bytes, func(block []byte, d float32, q [32]byte) float32 {
		le.PutUint32(block[q5_0High:], fifthBits(&q))
		packNibbles(block[q5_0Quant:], q[:], 16)
		return putScale(block, d)
	})
}

func encodeQ4_1(dst []byte, src, importance []float32) {
	offset(dst, src, importance, 15, q4_1Bytes, func(block []byte, q [32]byte) {
		packNibbles(block[q4_1Quant:], q[:], 16)
	})
}

func encodeQ5_1(dst []byte, src, importance []float32) {
	offset(dst, src, importance, 31, q5_1Bytes, func(block []byte, q [32]byte) {
		le.PutUint32(block[q5_1High:], fifthBits(&q))
		packNibbles(block[q5_1Quant:], q[:], 16)
	})
}

// centred encodes blocks x ≈ d (q - n), q from 0 to 2n-1.
func centred(dst []byte, src, importance []float32, n float32, size int, put func([]byte, float32, [32]byte) float32) {
	var q [32]byte
	sigma2 := rowSigma2(src, importance)
	for at := 0; len(src) >= 32; dst, src, at = dst[size:], src[32:], at+32 {
		x := src[:32]
		if importance == nil {
			d := farthest(x) / -n
			roundUp(q[:], x, 0, inverse(d), n+0.5, 2*n-1)
			put(dst, d, q)
			continue
		}
		var w [32]float32
		weigh(w[:], x, importance[at:], sigma2)
		d := F16ToF32(F32ToF16(fitSymmetric(x, w[:], n)))
		roundCodes(q[:], x, 0, inverse(d), -n, n-1, int(n))
		put(dst, d, q)
	}
}

// offset encodes blocks x ≈ d q + m, q from 0 to top.
func offset(dst []byte, src, importance []float32, top float32, size int, put func([]byte, [32]byte)) {
	var q [32]byte
	sigma2 := rowSigma2(src, importance)
	for at := 0; len(src) >= 32; dst, src, at = dst[size:], src[32:], at+32 {
		x := src[:32]
		if importance == nil {
			lo, hi := bounds(x)
			d := (hi - lo) / top
			putScale(dst, d)
			putScale(dst[2:], lo)
			roundUp(q[:], x, lo, inverse(d), 0.5, top)
			put(dst, q)
			continue
		}
		var w [32]float32
		weigh(w[:], x, importance[at:], sigma2)
		d, m := fitAffine(x, w[:], top, -1, 2.0/(lanes-1))
		d, m = putScale(dst, d), putScale(dst[2:], -m)
		roundCodes(q[:], x, -m, inverse(d), 0, top, 0)
		put(dst, q)
	}
}

// roundUp writes q = floor((x - base) inv + half), at most top, as ggml's reference encoders round.
func roundUp(q []byte, x []float32, base, inv, half, top float32) {
	for i, v := range x {
		q[i] = byte(min(int32(float32((v-base)*inv)+half), int32(top)))
	}
}

// rowSigma2 returns the mean square of a row, where it is wanted.
func rowSigma2(row, importance []float32) float32 {
	if importance == nil || len(row) == 0 {
		return 0
	}
	return sumSquares(row) / float32(len(row))
}

func bounds(x []float32) (lo, hi float32) {
	lo, hi = x[0], x[0]
	for _, v := range x {
		if v < lo {
			lo = v
		}
		if v > hi {
			hi = v
		}
	}
	return lo, hi
}
