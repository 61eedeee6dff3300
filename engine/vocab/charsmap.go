package vocab

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/llamakit/llamakit/formats/gguf"
)

// charsMap is SentencePiece's precompiled character map: which sequences of bytes a normalizer writes otherwise. It is a trie
// in a double array (Aoe 1989; in the packing of Darts-clone), and the replacements, each ended by a zero byte.
//
// A unit of the array has, from the lowest bit on: the byte by which it is reached, whether a sequence ends there, whether the
// offset is shifted by 8 more bits, and the offset. Children of a unit are found at its place XOR offset XOR byte, and the
// replacement of a sequence that ends at a unit in the unit at its place XOR offset.
type charsMap struct {
	units        []uint32
	replacements []byte
}

func newCharsMap(data []byte) (*charsMap, error) {
	const key = keys + ".precompiled_charsmap"
	if len(data) < 4 {
		return nil, fmt.Errorf("%s has %d bytes: %w", key, len(data), gguf.ErrCorrupt)
	}
	size := binary.LittleEndian.Uint32(data)
	data = data[4:]
	if int64(size) > int64(len(data)) || size%4 != 0 || size == 0 {
		return nil, fmt.Errorf("%s: a trie of %d bytes in %d: %w", key, size, len(data), gguf.ErrCorrupt)
	}
	m := &charsMap{units: make([]uint32, size/4), replacements: data[size:]}
	for i := range m.units {
		m.units[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return m, nil
}

// The fields of a unit.
func unitOffset(u uint32) uint32 { return u >> 10 << (u >> 6 & 8) }
func unitByte(u uint32) uint32   { return u & (1<<31 | 0xff) } // the highest bit marks units without a byte
func unitEnds(u uint32) bool     { return u>>8&1 != 0 }
func unitValue(u uint32) uint32  { return u &^ (1 << 31) }

// replace returns what the longest sequence that s begins with becomes, and its length; 0 when there is none. A place outside
// the array ends the search.
func (m *charsMap) replace(s string) (to []byte, n int) {
	if m == nil {
		return nil, 0
	}
	at := unitOffset(m.units[0])
	for i := 0; i < len(s) && s[i] != 0; i++ {
		at ^= uint32(s[i])
		if at >= uint32(len(m.units)) || unitByte(m.units[at]) != uint32(s[i]) {
			break
		}
		u := m.units[at]
		at ^= unitOffset(u)
		if !unitEnds(u) {
			continue
		}
		if text, ok := m.replacement(at); ok {
			to, n = text, i+1
		}
	}
	return to, n
}

// replacement is the text to which the unit at a place points.
func (m *charsMap) replacement(at uint32) ([]byte, bool) {
	if at >= uint32(len(m.units)) || unitValue(m.units[at]) >= uint32(len(m.replacements)) {
		return nil, false
	}
	text := m.replacements[unitValue(m.units[at]):]
	if end := bytes.IndexByte(text, 0); end >= 0 {
		text = text[:end]
	}
	return text, true
}
