package quant

import "sync"

// Codebooks from the encoder's side. A group of elements divided by its scale is a point; rounded to the nearest level
// in each dimension it has a code, the levels' numbers packed in 16 bits from element 0 up. Few codes are in the codebook. For the
// others a list of near entries is kept: those at the smallest distances from the code's point, of which a search by
// weighted error takes the best.

// codebook is one codebook with its search tables. Entries are stored as digits, the numbers of levels.
type codebook struct {
	dims  int      // elements in a group: 8, or 4 for IQ3
	bits  int      // of a digit
	codes []uint16 // of the entries

	// find has for every code the entry's index, or where its list begins in near: -1 - position.
	find []int32
	near []uint16 // lists: their length, then codes of entries
}

// newCodebook makes the tables: lists hold all entries at the rings smallest distances that occur.
func newCodebook(codes []uint16, dims, levels, rings int) *codebook {
	c := &codebook{dims: dims, bits: 16 / dims, codes: codes}
	c.find = make([]int32, 1<<16)
	for i, code := range codes {
		c.find[code] = int32(i) + 1
	}
	s := newRings(c, rings)
	digits := make([]int, dims)
	for more := true; more; more = increment(digits, levels) {
		code := c.pack(digits)
		if c.find[code] > 0 {
			c.find[code]--
			continue
		}
		c.find[code] = int32(-1 - len(c.near))
		c.near = s.appendNear(c.near, digits)
	}
	return c
}

func (c *codebook) pack(digits []int) (code uint16) {
	for j, d := range digits {
		code |= uint16(d) << (j * c.bits)
	}
	return code
}

func (c *codebook) digit(code uint16, j int) int { return int(code >> (j * c.bits) & (1<<c.bits - 1)) }

// increment counts up in digits; false after the last number.
func increment(digits []int, levels int) bool {
	for j := range digits {
		if digits[j]++; digits[j] < levels {
			return true
		}
		digits[j] = 0
	}
	return false
}

// rings finds the entries near a point.
type rings struct {
	want     int
	codes    []uint16
	entries  [][]int
	distance []int
	counts   []int // entries at each squared distance
}

func newRings(c *codebook, want int) *rings {
	s := &rings{want: want, codes: c.codes, distance: make([]int, len(c.codes)), counts: make([]int, 8*7*7+1)}
	for _, code := range c.codes {
		digits := make([]int, c.dims)
		for j := range digits {
			digits[j] = c.digit(code, j)
		}
		s.entries = append(s.entries, digits)
	}
	return s
}

// appendNear appends the list for the point with the given digits.
func (s *rings) appendNear(near []uint16, digits []int) []uint16 {
	clear(s.counts)
	for i, entry := range s.entries {
		d2 := 0
		for j, e := range entry {
			d2 += (e - digits[j]) * (e - digits[j])
		}
		s.distance[i] = d2
		s.counts[d2]++
	}
	limit, length, seen := 0, 0, 0
	for ; seen < s.want && limit < len(s.counts); limit++ {
		if s.counts[limit] > 0 {
			length, seen = length+s.counts[limit], seen+1
		}
	}
	near = append(near, uint16(length))
	for i, d2 := range s.distance {
		if d2 < limit {
			near = append(near, s.codes[i])
		}
	}
	return near
}

// list returns the codes of the entries near a code that is not one.
func (c *codebook) list(at int32) []uint16 {
	from := -1 - at
	return c.near[from+1:][:c.near[from]]
}

// The codebooks, made when they are first needed; none takes long.
var (
	bookIQ2_XXS = sync.OnceValue(func() *codebook { return newCodebook(iq2xxsDigits[:], 8, 3, 2) })
	bookIQ2_XS  = sync.OnceValue(func() *codebook { return newCodebook(iq2xsDigits[:], 8, 3, 2) })
	bookIQ2_S   = sync.OnceValue(func() *codebook { return newCodebook(iq2sDigits[:], 8, 3, 1) })
	bookIQ3_XXS = sync.OnceValue(func() *codebook { return newCodebook(iq3xxsDigits[:], 4, 8, 2) })
	bookIQ3_S   = sync.OnceValue(func() *codebook { return newCodebook(iq3sDigits[:], 4, 8, 2) })
	bookIQ1     = sync.OnceValue(func() *codebook { return newCodebook(iq1Grid[:], 8, 3, 3) })
)
