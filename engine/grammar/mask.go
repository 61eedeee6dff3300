package grammar

import "math/bits"

// Token is the number of an entry of the vocabulary.
type Token = int32

// Mask is a set of tokens, a bit each: token t is bit t%64 of word t/64.
type Mask []uint64

// NewMask returns an empty mask for a vocabulary of size tokens.
func NewMask(size int) Mask { return make(Mask, (size+63)/64) }

// Has reports whether t is in the mask.
func (m Mask) Has(t Token) bool {
	return t >= 0 && int(t>>6) < len(m) && m[t>>6]>>(t&63)&1 != 0
}

// Count returns the number of tokens in the mask.
func (m Mask) Count() int {
	n := 0
	for _, w := range m {
		n += bits.OnesCount64(w)
	}
	return n
}

// First returns the first token in the mask, or -1.
func (m Mask) First() Token {
	for i, w := range m {
		if w != 0 {
			return Token(i*64 + bits.TrailingZeros64(w))
		}
	}
	return -1
}

// Add puts t into the mask.
func (m Mask) Add(t Token) { m[t>>6] |= 1 << (t & 63) }

// Remove takes t out of the mask.
func (m Mask) Remove(t Token) { m[t>>6] &^= 1 << (t & 63) }
