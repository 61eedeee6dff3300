package quant

// Encoders of the K types with a minimum: Q2_K, Q4_K and Q5_K. Scale and minimum of each sub-block are searched alone,
// then quantised together under d and dmin, and the elements are rounded under what the decoder will see.

// kLayout is what a type with scales and minima needs to know of its superblock.
type kLayout struct {
	sub         int     // elements in a sub-block
	top         float32 // largest element code
	scaleTop    float32 // largest code of a scale or minimum
	first, step float32 // of the guesses, see affineFit.try
	sigma       float32 // σ² is sigma times the superblock's mean square
}

var (
	layoutQ2_K = kLayout{sub: 16, top: 3, scaleTop: 15, first: -1, step: 2.0 / (lanes - 1), sigma: 1}
	layoutQ4_K = kLayout{sub: 32, top: 15, scaleTop: 63, first: -1, step: 2.0 / (lanes - 1), sigma: 2}
	layoutQ5_K = kLayout{sub: 32, top: 31, scaleTop: 63, first: -1, step: 2.0 / (lanes - 1), sigma: 2}
)

// kBlock is a superblock on its way: codes of elements, scales and minima. Q2_K has 16 sub-blocks, the others eight.
type kBlock struct {
	q              [superSize]byte
	scales, minima [16]byte
}

// encode fills b from 256 elements x, writes d and dmin, and packs nothing.
func (l *kLayout) encode(b *kBlock, x, importance []float32, d, dmin []byte) {
	var w [superSize]float32
	var scales, minima, total [16]float32
	l.weigh(w[:], x, importance)
	n := superSize / l.sub
	for i := range n {
		at := i * l.sub
		xs, ws := x[at:at+l.sub], w[at:at+l.sub]
		scales[i], minima[i] = fitAffine(xs, ws, l.top, l.first, l.step)
		total[i] = sum(ws)
	}
	ds := putScale(d, fitPositive(b.scales[:n], scales[:n], total[:n], l.scaleTop))
	dm := putScale(dmin, fitPositive(b.minima[:n], minima[:n], total[:n], l.scaleTop))
	l.round(b, x, ds, dm)
	if l.top > 3 && importance == nil {
		return
	}
	ds, dm = l.refit(b, x, w[:], ds, dm)
	l.round(b, x, putScale(d, ds), putScale(dmin, dm))
}

// round writes the codes of the elements.
func (l *kLayout) round(b *kBlock, x []float32, d, dmin float32) {
	for i := range superSize / l.sub {
		at := i * l.sub
		roundCodes(b.q[at:at+l.sub], x[at:at+l.sub], float32(dmin*float32(b.minima[i])), inverse(d*float32(b.scales[i])), 0, l.top, 0)
	}
}

// refit returns the d and dmin that fit the codes best. With four levels, or where importance differs from column to
// column, they differ from what the sub-blocks made of them one by one.
func (l *kLayout) refit(b *kBlock, x, w []float32, d, dmin float32) (float32, float32) {
	var ss, sm, mm, sx, mx float64 // sums of w times: s s, s m, m m, s x, m x, where x ≈ d s - dmin m
	for i, v := range x {
		s := float64(b.scales[i/l.sub]) * float64(b.q[i])
		m, wi := float64(b.minima[i/l.sub]), float64(w[i])
		ss, sm, mm = ss+float64(wi*s*s), sm+float64(wi*s*m), mm+float64(wi*m*m)
		sx, mx = sx+float64(wi*s*float64(v)), mx+float64(wi*m*float64(v))
	}
	det := float64(ss*mm) - float64(sm*sm)
	if !(det > 1e-6*ss*mm) {
		return d, dmin
	}
	if s, m := (float64(sx*mm)-float64(mx*sm))/det, (float64(sx*sm)-float64(mx*ss))/det; s > 0 && m > 0 {
		return float32(s), float32(m)
	}
	return d, dmin
}

func (l *kLayout) weigh(w, x, importance []float32) {
	sigma2 := float32(l.sigma * sumSquares(x) / superSize)
	for at := 0; at < superSize; at += l.sub {
		ws, xs := w[at:at+l.sub], x[at:at+l.sub]
		switch {
		case importance != nil:
			weigh(ws, xs, importance[at:], sigma2)
		case l.sub == 16:
			weighMagnitudes(ws, xs, 0)
		default:
			weighMagnitudes(ws, xs, sqrt(sumSquares(xs)/float32(l.sub)))
		}
	}
}

func encodeQ2_K(dst []byte, src, importance []float32) {
	var b kBlock
	supers(dst, src, importance, q2_KBytes, func(y []byte, x, importance []float32) {
		layoutQ2_K.encode(&b, x, importance, y[q2_KScale:], y[q2_KMin:])
		for i := range b.scales {
			y[i] = b.scales[i] | b.minima[i]<<4
		}
		packPairs((*[64]byte)(y[q2_KQuant:]), &b.q)
	})
}

func encodeQ4_K(dst []byte, src, importance []float32) {
	var b kBlock
	supers(dst, src, importance, q4_KBytes, func(y []byte, x, importance []float32) {
		layoutQ4_K.encode(&b, x, importance, y, y[qKMin:])
		packScaleMin((*[12]byte)(y[qKScales:]), &b)
		packNibbles(y[q4_KQuant:], b.q[:], 32)
	})
}

func encodeQ5_K(dst []byte, src, importance []float32) {
	var b kBlock
	supers(dst, src, importance, q5_KBytes, func(y []byte, x, importance []float32) {
		layoutQ5_K.encode(&b, x, importance, y, y[qKMin:])
		packScaleMin((*[12]byte)(y[qKScales:]), &b)
		packNibbles(y[q5_KQuant:], b.q[:], 32)
		high := y[q5_KHigh:q5_KQuant]
		for j := range high {
			high[j] = 0
			for i := range kSubBlocks {
				high[j] |= b.q[32*i+j] >> 4 << i
			}
		}
	})
}

// packScaleMin packs eight scales and minima as scaleMin unpacks them.
func packScaleMin(packed *[12]byte, b *kBlock) {
	for i := range 4 {
		s, m := b.scales[i+4], b.minima[i+4]
		packed[i] = b.scales[i] | s>>4<<6
		packed[i+4] = b.minima[i] | m>>4<<6
		packed[i+8] = s&15 | m<<4
	}
}

// supers hands out superblocks: size bytes of dst, 256 elements of src and, if there is any, their importance.
func supers(dst []byte, src, importance []float32, size int, encode func(y []byte, x, importance []float32)) {
	for ; len(src) >= superSize; dst, src = dst[size:], src[superSize:] {
		encode(dst[:size], src[:superSize], importance)
		if importance != nil {
			importance = importance[superSize:]
		}
	}
}
