package quant

// Encoders of the K types without a minimum: Q3_K and Q6_K, sub-blocks of 16 with signed scales.

func encodeQ3_K(dst []byte, src, importance []float32) {
	var q [superSize]byte
	supers(dst, src, importance, q3_KBytes, func(y []byte, x, importance []float32) {
		var scales, total [16]float32
		var w [superSize]float32
		sigma2 := float32(2 * sumSquares(x) / superSize)
		for i := range scales {
			xs, ws := x[16*i:16*i+16], w[16*i:16*i+16]
			if importance != nil {
				weigh(ws, xs, importance[16*i:], sigma2)
			} else {
				weighEqual(ws, xs, sigma2)
			}
			scales[i], total[i] = fitSymmetric(xs, ws, 4), sum(ws)
		}
		codes := signedScales(y[q3_KScale:], &scales, &total, 32)
		packScalesQ3_K((*[12]byte)(y[q3_KScales:]), &codes)
		d := F16ToF32(le.Uint16(y[q3_KScale:]))
		roundThirds(&q, x, &codes, d)
		d = putScale(y[q3_KScale:], refitCodes(&q, x, w[:], &codes, d))
		roundThirds(&q, x, &codes, d)
		packPairs((*[64]byte)(y[q3_KQuant:]), &q)
		packThirds((*[32]byte)(y), &q)
	})
}

// roundThirds writes the elements' codes, centred at 4.
func roundThirds(q *[superSize]byte, x []float32, codes *[16]int, d float32) {
	for i, code := range codes {
		roundCodes(q[16*i:16*i+16], x[16*i:16*i+16], 0, inverse(d*float32(code)), -4, 3, 4)
	}
}

// refitCodes returns the d that fits the codes best.
func refitCodes(q *[superSize]byte, x, w []float32, codes *[16]int, d float32) float32 {
	var ss, sx float64
	for i, v := range x {
		s, wi := float64(codes[i/16])*float64(int(q[i])-4), float64(w[i])
		ss, sx = ss+float64(wi*s*s), sx+float64(wi*s*float64(v))
	}
	if ss > 0 && sx != 0 {
		return float32(sx / ss)
	}
	return d
}

// packScalesQ3_K packs codes from -32 to 31 as scalesQ3_K unpacks them.
func packScalesQ3_K(packed *[12]byte, codes *[16]int) {
	*packed = [12]byte{}
	for i, code := range codes {
		v := byte(code + 32)
		packed[i%8] |= v & 15 << (i / 8 * 4)
		packed[8+i%4] |= v >> 4 << (i / 4 * 2)
	}
}

// packThirds gathers the third bits: bit i of byte l is element 32i+l.
func packThirds(mask *[32]byte, q *[superSize]byte) {
	for l := range mask {
		mask[l] = 0
		for i := range 8 {
			mask[l] |= q[32*i+l] >> 2 & 1 << i
		}
	}
}

func encodeQ6_K(dst []byte, src, importance []float32) {
	var q [superSize]byte
	supers(dst, src, importance, q6_KBytes, func(y []byte, x, importance []float32) {
		var scales, total [16]float32
		var w [16]float32
		for i := range scales {
			xs := x[16*i : 16*i+16]
			if importance == nil || sum(importance[16*i:16*i+16]) == 0 {
				weighSquares(w[:], xs)
			} else {
				copy(w[:], importance[16*i:])
			}
			scales[i], total[i] = fitSymmetric(xs, w[:], 32), sum(w[:])
		}
		codes := signedScales(y[q6_KScale:], &scales, &total, 128)
		d := F16ToF32(le.Uint16(y[q6_KScale:]))
		for i, code := range codes {
			y[q6_KScales+i] = byte(code)
			roundCodes(q[16*i:16*i+16], x[16*i:16*i+16], 0, inverse(d*float32(code)), -32, 31, 32)
		}
		packQ6_K(y, &q)
	})
}

func packQ6_K(y []byte, q *[superSize]byte) {
	for half := range 2 {
		e, ql, qh := q[128*half:128*half+128], y[64*half:64*half+64], y[q6_KHigh+32*half:q6_KHigh+32*half+32]
		for l := range qh {
			a, b, c, d := e[l], e[32+l], e[64+l], e[96+l]
			ql[l], ql[32+l] = a&15|c<<4, b&15|d<<4
			qh[l] = a>>4 | b>>4<<2 | c>>4<<4 | d>>4<<6
		}
	}
}

// signedScales quantises scales to codes from -n to n-1 under one f16, which it writes to d.
func signedScales(d []byte, scales, weights *[16]float32, n float32) (codes [16]int) {
	inv := inverse(putScale(d, fitSymmetric(scales[:], weights[:], n)))
	for i, s := range scales {
		codes[i] = clampRound(float32(s*inv), -n, n-1)
	}
	return codes
}
