package quant

// Encoders of the one- and two-bit types that have one scale a block: Q1_0, Q2_0, TQ1_0 and TQ2_0.

// encodeQ1_0 keeps signs. The mean magnitude is the scale that leaves the least error.
func encodeQ1_0(dst []byte, src, importance []float32) {
	for at := 0; len(src) >= q1_0Size; dst, src, at = dst[q1_0Bytes:], src[q1_0Size:], at+q1_0Size {
		var total float32
		clear(dst[q1_0Quant:q1_0Bytes])
		for j, v := range src[:q1_0Size] {
			total += magnitude(v)
			if v >= 0 {
				dst[q1_0Quant+j/8] |= 1 << (j % 8)
			}
		}
		putScale(dst, total/q1_0Size)
	}
}

// encodeQ2_0 tries 16 scales with each sign of the wider side: x ≈ d (q - 1), so -d, 0, d, 2d.
func encodeQ2_0(dst []byte, src, importance []float32) {
	var q [q2_0Size]byte
	for ; len(src) >= q2_0Size; dst, src = dst[q2_0Bytes:], src[q2_0Size:] {
		x := src[:q2_0Size]
		d := putScale(dst, fitFew(x, -1, 2))
		roundCodes(q[:], x, d, inverse(d), 0, 3, 0)
		packed := dst[q2_0Quant:q2_0Bytes]
		for j := range packed {
			packed[j] = q[4*j] | q[4*j+1]<<2 | q[4*j+2]<<4 | q[4*j+3]<<6
		}
	}
}

// fitFew finds the scale for x ≈ scale q, q from lo to hi, few and not centred. Either sign of the scale is tried.
// A block that has just the values lo d, ..., hi d keeps exactly d.
func fitFew(x []float32, lo, hi float32) (scale float32) {
	extreme := magnitude(farthest(x))
	if extreme < tiny {
		return 0
	}
	var ones [superSize]float32
	for i := range ones {
		ones[i] = 1
	}
	most := 0.0
	for _, sign := range [2]float32{1, -1} {
		t := trials{first: sign, step: sign * 0.25, unit: extreme} // the largest magnitude at 1, 1.25, ... 4.75 steps
		t.run(x, ones[:len(x)], lo, hi)
		for k, gain := range t.gain {
			if gain > most*(1+1e-6) {
				most = gain
				scale, _ = t.fit(k)
			}
		}
	}
	return scale
}

func encodeTQ1_0(dst []byte, src, _ []float32) {
	var q [superSize]byte
	for ; len(src) >= superSize; dst, src = dst[tq1_0Bytes:], src[superSize:] {
		roundTernary(&q, dst[tq1_0Scale:], src[:superSize])
		packTrits(dst[:32], q[:160])
		packTrits(dst[32:tq1_0High], q[160:240])
		packTrits(dst[tq1_0High:tq1_0Scale], q[240:])
	}
}

// packTrits packs up to five base-3 digits a byte, as trits unpacks them: b is the fraction of 256, rounded up so that
// the digits come out whole.
func packTrits(dst, q []byte) {
	for j := range dst {
		v, digits := 0, 0
		for at := j; at < len(q); at += len(dst) {
			v, digits = 3*v+int(q[at]), digits+1
		}
		for ; digits < 5; digits++ {
			v *= 3
		}
		dst[j] = byte((v*256 + 242) / 243)
	}
}

func encodeTQ2_0(dst []byte, src, _ []float32) {
	var q [superSize]byte
	for ; len(src) >= superSize; dst, src = dst[tq2_0Bytes:], src[superSize:] {
		roundTernary(&q, dst[tq2_0Scale:], src[:superSize])
		packPairs((*[64]byte)(dst), &q)
	}
}

// roundTernary writes the scale and the codes 0, 1, 2 for -d, 0, d.
func roundTernary(q *[superSize]byte, scale []byte, x []float32) {
	d := putScale(scale, magnitude(fitFew(x, -1, 1)))
	roundCodes(q[:], x, d, inverse(d), 0, 2, 0)
}
