package quant

import "sync"

// Encoders of the IQ2 and IQ3 types. All decode to x = sign (d m) magnitude, m = 1, 3, ... 31, with the magnitudes in
// units of the levels below.

var (
	levelsIQ2     = []float32{1, 3.125, 5.375}
	levelsIQ3_XXS = []float32{1, 3, 5, 7, 9, 11, 13, 15.5}
	levelsIQ3_S   = []float32{1, 3, 5, 7, 9, 11, 13, 15}

	gridIQ2_XXS = sync.OnceValue(func() *gridType {
		return &gridType{book: bookIQ2_XXS(), levels: levelsIQ2, sub: 32, sigma: 1, first: 4, step: 0.2, guesses: 14}
	})
	gridIQ2_XS = sync.OnceValue(func() *gridType {
		return &gridType{book: bookIQ2_XS(), levels: levelsIQ2, sub: 16, sigma: 1, first: 4.1, step: 0.15, guesses: 13}
	})
	gridIQ2_S = sync.OnceValue(func() *gridType {
		return &gridType{book: bookIQ2_S(), levels: levelsIQ2, sub: 16, signs: true, sigma: 2, first: 4.1, step: 0.15, guesses: 13}
	})
	gridIQ3_XXS = sync.OnceValue(func() *gridType {
		return &gridType{book: bookIQ3_XXS(), levels: levelsIQ3_XXS, sub: 32, sigma: 2, first: 12.6, step: 0.5, guesses: 11}
	})
	gridIQ3_S = sync.OnceValue(func() *gridType {
		return &gridType{book: bookIQ3_S(), levels: levelsIQ3_S, sub: 32, signs: true, sigma: 2, first: 13.4, step: 0.44, guesses: 8}
	})
)

// gridBlock is a superblock: what is to be packed, and what the scales are made of.
type gridBlock struct {
	search  gridSearch
	entries [64]uint16 // of the groups, eight or four elements each
	signs   [32]byte   // of every eight elements
	scales  [16]byte   // s of m = 2s + 1

	fit    [16]float32 // scale that fits a sub-block best
	qq, qx [16]float64 // sums of its entries
}

// encode finds everything for 256 elements x and returns d.
func (b *gridBlock) encode(t *gridType, x, importance []float32) (d float32) {
	b.search.gridType = t
	sigma2 := float32(t.sigma * sumSquares(x) / superSize)
	n, groups := superSize/t.sub, t.sub/t.book.dims
	var w, mag [32]float32
	for i := range n {
		xs, ws := x[i*t.sub:i*t.sub+t.sub], w[:t.sub]
		if importance != nil {
			weigh(ws, xs, importance[i*t.sub:], sigma2)
		} else {
			weighEqual(ws, xs, sigma2)
		}
		most := t.split(b.signs[i*t.sub/8:], mag[:t.sub], xs, ws)
		b.fitSub(i, b.entries[i*groups:i*groups+groups], mag[:t.sub], ws, most)
	}
	return b.shareScale(n)
}

// split writes magnitudes and signs. Where only seven signs are stored their number must be even, and the element that
// matters least gets the wrong one: its magnitude is then negative.
func (t *gridType) split(signs []byte, mag, x, w []float32) (most float32) {
	for i := 0; i < len(x); i += 8 {
		var sign, odd byte
		least, at := float32(maxFloat), 0
		for j, v := range x[i : i+8] {
			a := magnitude(v)
			mag[i+j] = a
			most = max(most, a)
			if v < 0 {
				sign |= 1 << j
				odd ^= 1
			}
			if e := w[i+j] * v * v; e < least {
				least, at = e, j
			}
		}
		if odd == 1 && !t.signs {
			sign ^= 1 << at
			mag[i+at] = -mag[i+at]
		}
		signs[i/8] = sign
	}
	return most
}

// fitSub searches a sub-block, and looks at its entries once more under the scale that came out.
func (b *gridBlock) fitSub(i int, entries []uint16, mag, w []float32, most float32) {
	b.fit[i], b.qq[i], b.qx[i] = 0, 0, 0
	if most < tiny {
		clear(entries)
		return
	}
	scale := b.search.run(entries, mag, w, most)
	if scale <= 0 {
		return
	}
	b.qq[i], b.qx[i] = b.search.again(entries, mag, scale)
	b.fit[i] = max(float32(b.qx[i]/b.qq[i]), 0)
}

// shareScale chooses d and every sub-block's m, the odd number nearest to fit/d, so that the error of all is small.
func (b *gridBlock) shareScale(n int) (best float32) {
	most := float32(0)
	for _, s := range b.fit[:n] {
		most = max(most, s)
	}
	if most < tiny {
		b.scales = [16]byte{}
		return 0
	}
	gain := -1.0
	for k := range 16 {
		guess := most / (28 + float32(0.4*float32(k)))
		var qq, qx float64
		for i, s := range b.fit[:n] {
			m := float64(2*oddStep(s/guess) + 1)
			qq, qx = qq+float64(m*m*b.qq[i]), qx+float64(m*b.qx[i])
		}
		if qx > 0 && qx*qx > gain*qq {
			gain, best = qx*qx/qq, float32(qx/qq)
		}
	}
	best = F16ToF32(F32ToF16(best * lift))
	inv := inverse(best)
	for i, s := range b.fit[:n] {
		b.scales[i] = byte(oddStep(float32(s * inv)))
	}
	return best
}

// lift is how much larger than the best fit the scale is made. Rounding to a coarse codebook pulls a group towards zero;
// giving some of that back costs little error and makes models better.
const lift = 1.02

// oddStep returns s from 0 to 15 so that 2s + 1 is nearest to v.
func oddStep(v float32) int { return clampRound((v-1)/2, 0, 15) }

func encodeIQ2_XXS(dst []byte, src, importance []float32) {
	var b gridBlock
	t := gridIQ2_XXS()
	supers(dst, src, importance, iq2_XXSBytes, func(y []byte, x, importance []float32) {
		putScale(y, b.encode(t, x, importance))
		for i := range 8 {
			rest := uint32(b.scales[i]) << 28
			for l := range 4 {
				y[iq2Quant+8*i+l] = byte(b.entries[4*i+l])
				rest |= uint32(b.signs[4*i+l]&127) << (7 * l)
			}
			le.PutUint32(y[iq2Quant+8*i+4:], rest)
		}
	})
}

func encodeIQ2_XS(dst []byte, src, importance []float32) {
	var b gridBlock
	t := gridIQ2_XS()
	supers(dst, src, importance, iq2_XSBytes, func(y []byte, x, importance []float32) {
		putScale(y, b.encode(t, x, importance))
		for g := range 32 {
			le.PutUint16(y[iq2Quant+2*g:], b.entries[g]|uint16(b.signs[g]&127)<<9)
		}
		b.packScales(y[iq2_XSScales:iq2_XSBytes])
	})
}

func encodeIQ2_S(dst []byte, src, importance []float32) {
	var b gridBlock
	t := gridIQ2_S()
	supers(dst, src, importance, iq2_SBytes, func(y []byte, x, importance []float32) {
		putScale(y, b.encode(t, x, importance))
		clear(y[iq2_SHigh:iq2_SScales])
		for g := range 32 {
			y[iq2Quant+g] = byte(b.entries[g])
			y[iq2_SHigh+g/4] |= byte(b.entries[g]>>8) << (g % 4 * 2)
		}
		copy(y[iq2_SSigns:], b.signs[:])
		b.packScales(y[iq2_SScales:iq2_SBytes])
	})
}

func encodeIQ3_XXS(dst []byte, src, importance []float32) {
	var b gridBlock
	t := gridIQ3_XXS()
	supers(dst, src, importance, iq3_XXSBytes, func(y []byte, x, importance []float32) {
		putScale(y, b.encode(t, x, importance))
		for g, entry := range b.entries {
			y[iq3Quant+g] = byte(entry)
		}
		for i := range 8 {
			u := uint32(b.scales[i]) << 28
			for l := range 4 {
				u |= uint32(b.signs[4*i+l]&127) << (7 * l)
			}
			le.PutUint32(y[iq3_XXSSigns+4*i:], u)
		}
	})
}

func encodeIQ3_S(dst []byte, src, importance []float32) {
	var b gridBlock
	t := gridIQ3_S()
	supers(dst, src, importance, iq3_SBytes, func(y []byte, x, importance []float32) {
		putScale(y, b.encode(t, x, importance))
		clear(y[iq3_SHigh:iq3_SSigns])
		for g, entry := range b.entries {
			y[iq3Quant+g] = byte(entry)
			y[iq3_SHigh+g/8] |= byte(entry>>8) << (g % 8)
		}
		copy(y[iq3_SSigns:], b.signs[:])
		b.packScales(y[iq3_SScales:iq3_SBytes])
	})
}

// packScales packs two scales a byte.
func (b *gridBlock) packScales(dst []byte) {
	for i := range dst {
		dst[i] = b.scales[2*i] | b.scales[2*i+1]<<4
	}
}
