package quant

// The search of IQ2 and IQ3: sub-blocks of groups whose magnitudes come from a codebook, under one scale.
//
// For a guess of the scale each group takes an entry; the sums of all groups give the scale that fits best and the error
// that it leaves. What makes this fast: as the guess changes, an element moves to another level only once or twice, so a
// group has a handful of codes over all guesses; and the sums of any entry are those of its two halves, which are few.

// maxGuesses is the most scales that are tried for a sub-block.
const maxGuesses = 32

// gridType is what a type of this family needs to know.
type gridType struct {
	book   *codebook
	levels []float32 // magnitudes in the codebook's units
	sub    int       // elements under one scale
	signs  bool      // all eight signs of eight elements are stored, not seven
	sigma  float32   // σ² is sigma times the superblock's mean square

	first, step float32 // the largest magnitude is guessed at first + k step
	guesses     int
}

// pairSums are the sums that half an entry adds: qq of w q², qx of w q x.
type pairSums struct{ qq, qx float32 }

// halves holds the sums of both halves of every code of a group; a half of a code is a byte.
type halves [2][256]pairSums

func (h *halves) of(code uint16) (qq, qx float32) {
	a, b := &h[0][code&255], &h[1][code>>8]
	return a.qq + b.qq, a.qx + b.qx
}

// fill computes the sums for a group x with weights w.
func (h *halves) fill(x, w, levels []float32) {
	if len(x) == 4 {
		h.fill4((*[4]float32)(x), (*[4]float32)(w), levels)
		return
	}
	h.fill8((*[8]float32)(x), (*[8]float32)(w), (*[3]float32)(levels))
}

// fill8 is for eight elements of three levels: half a code is four 2-bit digits.
func (h *halves) fill8(x, w *[8]float32, levels *[3]float32) {
	for half := range h {
		var one [4][3]pairSums
		for j := range one {
			wj, xj := w[4*half+j], x[4*half+j]
			for d, q := range levels {
				wq := wj * q
				one[j][d] = pairSums{wq * q, wq * xj}
			}
		}
		table := &h[half]
		for d3 := range 3 {
			for d2 := range 3 {
				qq, qx := one[3][d3].qq+one[2][d2].qq, one[3][d3].qx+one[2][d2].qx
				for d1 := range 3 {
					qq1, qx1 := qq+one[1][d1].qq, qx+one[1][d1].qx
					at := (d1<<2 | d2<<4 | d3<<6) & 255
					table[at] = pairSums{qq1 + one[0][0].qq, qx1 + one[0][0].qx}
					table[(at+1)&255] = pairSums{qq1 + one[0][1].qq, qx1 + one[0][1].qx}
					table[(at+2)&255] = pairSums{qq1 + one[0][2].qq, qx1 + one[0][2].qx}
				}
			}
		}
	}
}

// fill4 is for four elements of eight levels: half a code is two 4-bit digits.
func (h *halves) fill4(x, w *[4]float32, levels []float32) {
	for half := range h {
		var one [2][8]pairSums
		for j := range one {
			wj, xj := w[2*half+j], x[2*half+j]
			for d, q := range levels[:8] {
				wq := wj * q
				one[j][d] = pairSums{wq * q, wq * xj}
			}
		}
		for d1, s := range &one[1] {
			row := h[half][d1<<4 : d1<<4+8]
			for d0 := range row {
				row[d0] = pairSums{s.qq + one[0][d0].qq, s.qx + one[0][d0].qx}
			}
		}
	}
}

// pick returns the entry for a code under a scale, the one with the least error among those near the code, and its sums.
func (h *halves) pick(c *codebook, code uint16, scale float32) (entry uint16, qq, qx float32) {
	at := c.find[code]
	if at >= 0 {
		qq, qx = h.of(code)
		return uint16(at), qq, qx
	}
	least, half := float32(maxFloat), scale/2
	for _, near := range c.list(at) {
		eqq, eqx := h.of(near)
		if e := float32(half*eqq) - eqx; e < least { // the error is scale² qq - 2 scale qx + a constant
			least, code, qq, qx = e, near, eqq, eqx
		}
	}
	return uint16(c.find[code]), qq, qx
}

const maxFloat = 0x1p127 * (1 + (1 - 0x1p-23))

// gridSearch is the state for one sub-block.
type gridSearch struct {
	*gridType
	codes  [maxGuesses]uint16
	guess  [maxGuesses]float32 // scales
	qq, qx [maxGuesses]float64
	picks  [8][maxGuesses]uint16
	tables [8]halves
}

// run finds the scale of a sub-block of magnitudes x, of which most is the largest, and its entries.
func (s *gridSearch) run(entries []uint16, x, w []float32, most float32) (scale float32) {
	for k := range s.guesses {
		s.guess[k] = most / (s.first + float32(float32(k)*s.step))
		s.qq[k], s.qx[k] = 0, 0
	}
	dims := s.book.dims
	for g := range entries {
		xs, ws := x[g*dims:g*dims+dims], w[g*dims:g*dims+dims]
		s.tables[g].fill(xs, ws, s.levels)
		s.trace(xs, most)
		s.add(g)
	}
	best, gain := -1, 0.0
	for k := range s.guesses {
		if s.qx[k] > 0 && s.qx[k]*s.qx[k] > gain*s.qq[k] {
			best, gain = k, s.qx[k]*s.qx[k]/s.qq[k]
		}
	}
	if best < 0 {
		clear(entries)
		return 0
	}
	for g := range entries {
		entries[g] = s.picks[g][best]
	}
	return float32(s.qx[best] / s.qq[best])
}

// trace writes the code of a group for every guess. An element's digit only grows with k: it is enough to note where.
func (s *gridSearch) trace(x []float32, most float32) {
	var grow [maxGuesses + 1]uint16
	offset := s.first / s.step
	for j, v := range x {
		if v <= 0 {
			continue
		}
		unit, digit := most/(v*s.step), uint16(1)<<(j*s.book.bits)
		for l := range len(s.levels) - 1 {
			at := float32((s.levels[l]+s.levels[l+1])/2*unit) - offset // the first k above it has the next level
			if at >= float32(s.guesses-1) {
				break
			}
			k := 0
			if at >= 0 {
				k = int(at) + 1
			}
			grow[k] += digit
		}
	}
	code := uint16(0)
	for k := range s.guesses {
		code += grow[k]
		s.codes[k] = code
	}
}

// add picks the entries of group g for every guess and adds their sums. A run of guesses with the same code takes one
// entry, the best for the guess in its middle: within a run the scale changes too little to matter.
func (s *gridSearch) add(g int) {
	for k := 0; k < s.guesses; {
		code, end := s.codes[k], k+1
		for end < s.guesses && s.codes[end] == code {
			end++
		}
		entry, qq, qx := s.tables[g].pick(s.book, code, s.guess[(k+end)/2])
		for ; k < end; k++ {
			s.picks[g][k] = entry
			s.qq[k] += float64(qq)
			s.qx[k] += float64(qx)
		}
	}
}

// again picks the entries once more under a scale that is now final, and returns the sums.
func (s *gridSearch) again(entries []uint16, x []float32, scale float32) (qq, qx float64) {
	dims, inv := s.book.dims, inverse(scale)
	for g := range entries {
		var code uint16
		for j, v := range x[g*dims : g*dims+dims] {
			v *= inv
			for l := 0; l < len(s.levels)-1 && v > (s.levels[l]+s.levels[l+1])/2; l++ {
				code += 1 << (j * s.book.bits)
			}
		}
		entry, eqq, eqx := s.tables[g].pick(s.book, code, scale)
		entries[g] = entry
		qq, qx = qq+float64(eqq), qx+float64(eqx)
	}
	return qq, qx
}
