package rx

import "unicode/utf8"

// RuneRange matches the UTF-8 form of one code point from lo to hi, both included. Surrogates have none and are left out.
func (a *Arena) RuneRange(lo, hi rune) ID {
	var alts []ID
	for _, part := range [][2]rune{{0, 0x7f}, {0x80, 0x7ff}, {0x800, 0xd7ff}, {0xe000, 0xffff}, {0x10000, utf8.MaxRune}} {
		from, to := max(lo, part[0]), min(hi, part[1])
		if from > to {
			continue
		}
		var x, y [utf8.UTFMax]byte
		n := utf8.EncodeRune(x[:], from)
		utf8.EncodeRune(y[:], to)
		alts = append(alts, a.ByteRange(x[:n], y[:n], 0x80, 0xbf))
	}
	return a.Alt(alts...)
}

// ByteRange matches the strings of bytes of one length that lie between lo and hi, both included, where every byte after
// the first goes from first to last.
func (a *Arena) ByteRange(lo, hi []byte, first, last byte) ID {
	if len(lo) == 0 {
		return Empty
	}
	if lo[0] == hi[0] {
		return a.cat(a.span(lo[0], lo[0]), a.ByteRange(lo[1:], hi[1:], first, last))
	}
	least, most := fill(len(lo)-1, first), fill(len(lo)-1, last)
	from, to := lo[0], hi[0]
	var alts []ID
	if string(lo[1:]) != string(least) {
		alts = append(alts, a.cat(a.span(from, from), a.ByteRange(lo[1:], most, first, last)))
		from++
	}
	if string(hi[1:]) != string(most) {
		alts = append(alts, a.cat(a.span(to, to), a.ByteRange(least, hi[1:], first, last)))
		to--
	}
	if from <= to {
		alts = append(alts, a.cat(a.span(from, to), a.ByteRange(least, most, first, last)))
	}
	return a.Alt(alts...)
}

func (a *Arena) span(lo, hi byte) ID {
	var s Set
	s.Add(lo, hi)
	return a.Set(s)
}

func fill(n int, b byte) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = b
	}
	return out
}
