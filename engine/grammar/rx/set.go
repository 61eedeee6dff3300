package rx

import "math/bits"

// Set is a set of bytes.
type Set [4]uint64

// Add puts the bytes from lo to hi, both included, into the set.
func (s *Set) Add(lo, hi byte) {
	for b := int(lo); b <= int(hi); b++ {
		s[b>>6] |= 1 << (b & 63)
	}
}

// Has reports whether b is in the set.
func (s *Set) Has(b byte) bool { return s[b>>6]>>(b&63)&1 != 0 }

// Len is the number of bytes in the set.
func (s *Set) Len() int {
	return bits.OnesCount64(s[0]) + bits.OnesCount64(s[1]) + bits.OnesCount64(s[2]) + bits.OnesCount64(s[3])
}

// classes is the coarsest partition of bytes such that every set in use is a union of classes: bytes of a class have equal
// derivatives everywhere.
type classes struct {
	of    [256]uint8
	first []byte // a byte of each class
}

func (c *classes) init() { c.first = []byte{0} }

// refine splits the classes that are partly in s and reports whether there were any.
func (c *classes) refine(s *Set) bool {
	var split [256]int // by class: 1 + the class of its bytes inside s
	var in, out [256]bool
	for b := range 256 {
		if s.Has(byte(b)) {
			in[c.of[b]] = true
		} else {
			out[c.of[b]] = true
		}
	}
	old := len(c.first)
	for b := range 256 {
		k := c.of[b]
		if !s.Has(byte(b)) || !in[k] || !out[k] {
			continue
		}
		if split[k] == 0 {
			c.first = append(c.first, byte(b))
			split[k] = len(c.first)
		}
		c.of[b] = uint8(split[k] - 1)
	}
	if len(c.first) == old {
		return false
	}
	for b := 255; b >= 0; b-- {
		c.first[c.of[b]] = byte(b)
	}
	return true
}

// Classes returns the class of every byte and their number. Making an expression with a new set may change them.
func (a *Arena) Classes() (of [256]uint8, n int) { return a.classes.of, len(a.classes.first) }
