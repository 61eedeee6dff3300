package quant

import (
	"math"
	"slices"
)

// Encoders of IQ1_S and IQ1_M. A sub-block's elements become scale (t + shift), t = -1, 0, 1, and without the codebook
// the best scale and t can be found exactly: as the scale shrinks from infinity, every element is nearest to the middle
// at first and leaves it once, at a scale that depends on the element alone. So the elements in the order of leaving
// give all assignments that can be best, one more than there are elements. What the codebook does not have then moves to
// the entry with the least error.

// ternaryFit is the search for one sub-block of up to 32 elements, whose first and second half may shift differently.
type ternaryFit struct {
	x, w  []float32
	order [32]byte // elements by falling magnitude

	shift [2]float32 // of the halves
	digit [32]byte   // t + 1
	scale float32
	gain  float64
}

// sort orders the elements by falling magnitude. Bits of a positive float32 order as integers do.
func (f *ternaryFit) sort() {
	var keys [32]uint64
	for i, v := range f.x {
		keys[i] = uint64(math.Float32bits(magnitude(v)))<<8 | uint64(i)
	}
	slices.Sort(keys[:len(f.x)])
	for i := range f.x {
		f.order[len(f.x)-1-i] = byte(keys[i])
	}
}

// try finds the best assignment for the given shifts, and keeps it if it is better than what there is.
func (f *ternaryFit) try(first, second float32) {
	n := len(f.x)
	var early, late [32]byte // elements of which the way out of the middle is the shorter and the longer, in order
	nEarly, nLate := 0, 0
	var qx, qq float64
	for _, i := range f.order[:n] {
		s := first
		if int(i) >= n/2 {
			s = second
		}
		x, w := f.x[i], f.w[i]
		qx += float64(float64(w) * float64(x) * float64(s))
		qq += float64(float64(w) * float64(s*s))
		if x > 0 == (s < 0) { // the border lies at (1/2 - |shift|) scale
			early[nEarly] = i
			nEarly++
		} else {
			late[nLate] = i
			nLate++
		}
	}
	best, gain, scale := -1, f.gain, 0.0
	e, l := 0, 0
	for left := 0; ; left++ {
		if qx > 0 && qx*qx > gain*qq {
			best, gain, scale = left, qx*qx/qq, qx/qq
		}
		if left == n {
			break
		}
		i := byte(0)
		if l == nLate || e < nEarly && magnitude(f.x[early[e]])*(0.5+shift1) >= magnitude(f.x[late[l]])*(0.5-shift1) {
			i = early[e]
			e++
		} else {
			i = late[l]
			l++
		}
		dx, dq := f.leave(i, n, first, second)
		qx, qq = qx+dx, qq+dq
	}
	if best < 0 {
		return
	}
	f.gain, f.scale, f.shift = gain, float32(scale), [2]float32{first, second}
	f.assign(n, early[:nEarly], late[:nLate], best)
}

const shift1 = 0.125

// lift1 is lift for ternary numbers.
const lift1 = 1.05

// leave returns how the sums change when element i leaves the middle.
func (f *ternaryFit) leave(i byte, n int, first, second float32) (dx, dq float64) {
	s := first
	if int(i) >= n/2 {
		s = second
	}
	x, w, t := f.x[i], float64(f.w[i]), float32(1)
	if x < 0 {
		t = -1
	}
	return float64(w * float64(t*x)), float64(w * float64(1+float32(2*t*s))) // (t + s)² - s²
}

// assign repeats the first count steps of the merge.
func (f *ternaryFit) assign(n int, early, late []byte, count int) {
	for i := range n {
		f.digit[i] = 1
	}
	for range count {
		i := byte(0)
		if len(late) == 0 || len(early) > 0 && magnitude(f.x[early[0]])*(0.5+shift1) >= magnitude(f.x[late[0]])*(0.5-shift1) {
			i, early = early[0], early[1:]
		} else {
			i, late = late[0], late[1:]
		}
		f.digit[i] = 2
		if f.x[i] < 0 {
			f.digit[i] = 0
		}
	}
}

// entriesFor moves every group of eight to the best entry near its digits under the scale, and returns the sums.
func (f *ternaryFit) entriesFor(entries []uint16) (qq, qx float64) {
	c := bookIQ1()
	var h halves
	for g := range entries {
		s := f.shift[g*2/len(entries)]
		levels := [3]float32{s - 1, s, s + 1}
		h.fill8((*[8]float32)(f.x[8*g:]), (*[8]float32)(f.w[8*g:]), &levels)
		var code uint16
		for j, d := range f.digit[8*g : 8*g+8] {
			code |= uint16(d) << (2 * j)
		}
		entry, eqq, eqx := h.pick(c, code, f.scale)
		entries[g] = entry
		qq, qx = qq+float64(eqq), qx+float64(eqx)
	}
	return qq, qx
}

// iq1Block is a superblock: eight sub-blocks of 32 (IQ1_S) or sixteen of 16 (IQ1_M).
type iq1Block struct {
	fit     ternaryFit
	entries [32]uint16
	shifts  [16][2]float32
	scales  [16]byte // s of m = 2s + 1, up to 7

	best   [16]float32
	qq, qx [16]float64
}

func (b *iq1Block) encode(x, importance []float32, sub int, separate bool) (d float32) {
	sigma2 := float32(2 * sumSquares(x) / superSize)
	n := superSize / sub
	var w [32]float32
	for i := range n {
		xs, ws := x[i*sub:i*sub+sub], w[:sub]
		if importance != nil {
			weigh(ws, xs, importance[i*sub:], sigma2)
		} else {
			weighEqual(ws, xs, sigma2)
		}
		b.fitSub(i, b.entries[i*sub/8:(i+1)*sub/8], xs, ws, separate)
	}
	return b.shareScale(n)
}

func (b *iq1Block) fitSub(i int, entries []uint16, x, w []float32, separate bool) {
	b.best[i], b.qq[i], b.qx[i] = 0, 0, 0
	b.shifts[i] = [2]float32{shift1, shift1}
	clear(entries)
	if magnitude(farthest(x)) < tiny {
		return
	}
	f := &b.fit
	f.x, f.w, f.gain, f.scale = x, w, 0, 0
	f.sort()
	f.try(shift1, shift1)
	f.try(-shift1, -shift1)
	if separate {
		f.try(shift1, -shift1)
		f.try(-shift1, shift1)
	}
	if f.scale <= 0 {
		return
	}
	b.shifts[i] = f.shift
	b.qq[i], b.qx[i] = f.entriesFor(entries)
	if b.qx[i] > 0 {
		b.best[i] = float32(b.qx[i] / b.qq[i])
	}
}

// shareScale chooses d and every sub-block's m, the odd number up to 15 nearest to best/d.
func (b *iq1Block) shareScale(n int) (d float32) {
	most := float32(0)
	for _, s := range b.best[:n] {
		most = max(most, s)
	}
	b.scales = [16]byte{}
	if most < tiny {
		return 0
	}
	gain := -1.0
	for k := range 16 {
		guess := most / (12 + float32(0.25*float32(k)))
		var qq, qx float64
		for i, s := range b.best[:n] {
			m := float64(2*clampRound((s/guess-1)/2, 0, 7) + 1)
			qq, qx = qq+float64(m*m*b.qq[i]), qx+float64(m*b.qx[i])
		}
		if qx > 0 && qx*qx > gain*qq {
			gain, d = qx*qx/qq, float32(qx/qq)
		}
	}
	d = F16ToF32(F32ToF16(d * lift1))
	inv := inverse(d)
	for i, s := range b.best[:n] {
		b.scales[i] = byte(clampRound((float32(s*inv)-1)/2, 0, 7))
	}
	return d
}

func encodeIQ1_S(dst []byte, src, importance []float32) {
	var b iq1Block
	supers(dst, src, importance, iq1_SBytes, func(y []byte, x, importance []float32) {
		putScale(y, b.encode(x, importance, 32, false))
		for i := range 8 {
			high := uint16(b.scales[i]) << 12
			if b.shifts[i][0] < 0 {
				high |= 1 << 15
			}
			for l := range 4 {
				entry := b.entries[4*i+l]
				y[iq1_SQuant+4*i+l] = byte(entry)
				high |= entry >> 8 << (3 * l)
			}
			le.PutUint16(y[iq1_SHigh+2*i:], high)
		}
	})
}

func encodeIQ1_M(dst []byte, src, importance []float32) {
	var b iq1Block
	supers(dst, src, importance, iq1_MBytes, func(y []byte, x, importance []float32) {
		d := uint64(F32ToF16(b.encode(x, importance, 16, true)))
		scales := d<<12&0xf000 | d<<24&0xf0000000 | d<<36&0xf00000000000 | d<<48&0xf000000000000000
		for i := range 16 {
			scales |= uint64(b.scales[i]) << (i/4*16 + i%4*3)
			var high byte
			for l := range 2 {
				entry := b.entries[2*i+l]
				y[2*i+l] = byte(entry)
				nibble := byte(entry >> 8)
				if b.shifts[i][l] < 0 {
					nibble |= 8
				}
				high |= nibble << (4 * l)
			}
			y[iq1_MHigh+i] = high
		}
		le.PutUint64(y[iq1_MScales:], scales)
	})
}
