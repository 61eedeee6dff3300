package rx

import (
	"slices"
	"unicode/utf8"
)

// Runes is a set of code points, as ranges that rise and do not touch. Make it with NewRunes.
type Runes []RuneRange

// RuneRange goes from Lo to Hi, both included.
type RuneRange struct{ Lo, Hi rune }

// NewRunes returns the union of ranges.
func NewRunes(ranges ...RuneRange) Runes {
	sorted := slices.Clone(ranges)
	slices.SortFunc(sorted, func(x, y RuneRange) int { return int(x.Lo - y.Lo) })
	out := sorted[:0]
	for _, r := range sorted {
		if n := len(out); n > 0 && r.Lo <= out[n-1].Hi+1 {
			out[n-1].Hi = max(out[n-1].Hi, r.Hi)
		} else {
			out = append(out, r)
		}
	}
	return Runes(out)
}

// Not returns the code points that are not in s.
func (s Runes) Not() Runes {
	var out Runes
	next := rune(0)
	for _, r := range s {
		if r.Lo > next {
			out = append(out, RuneRange{next, r.Lo - 1})
		}
		next = r.Hi + 1
	}
	if next <= utf8.MaxRune {
		out = append(out, RuneRange{next, utf8.MaxRune})
	}
	return out
}

// And returns the code points that are in both sets.
func (s Runes) And(t Runes) Runes {
	return NewRunes(append(slices.Clone(s.Not()), t.Not()...)...).Not()
}

// Has reports whether r is in the set.
func (s Runes) Has(r rune) bool {
	return slices.ContainsFunc(s, func(x RuneRange) bool { return x.Lo <= r && r <= x.Hi })
}

// Plain is the characters that Free counts: those that nearly every string may contain, that stand for themselves in JSON, and that
// begin no tag.
var Plain = NewRunes(RuneRange{0, 0x1f}, RuneRange{'"', '"'}, RuneRange{'<', '<'}, RuneRange{'\\', '\\'}, RuneRange{0x7f, 0x7f}, RuneRange{0x2028, 0x2029}).Not()

// Runes matches the UTF-8 form of one code point of s. Surrogates have none.
func (a *Arena) Runes(s Runes) ID {
	var list []ID
	for _, r := range s {
		list = append(list, a.runeRange(r.Lo, r.Hi))
	}
	e := a.Alt(list...)
	if len(Plain.And(s.Not())) == 0 {
		a.MarkFree(e)
	}
	return e
}

func (a *Arena) runeRange(lo, hi rune) ID {
	var alts []ID
	for _, part := range []RuneRange{{0, 0x7f}, {0x80, 0x7ff}, {0x800, 0xd7ff}, {0xe000, 0xffff}, {0x10000, utf8.MaxRune}} {
		from, to := max(lo, part.Lo), min(hi, part.Hi)
		if from > to {
			continue
		}
		var x, y [utf8.UTFMax]byte
		n := utf8.EncodeRune(x[:], from)
		utf8.EncodeRune(y[:], to)
		alts = append(alts, a.Between(x[:n], y[:n], 0x80, 0xbf))
	}
	return a.Alt(alts...)
}

// Between matches the strings of bytes from lo to hi, both included and of one length, where every byte after the first
// goes from first to last.
func (a *Arena) Between(lo, hi []byte, first, last byte) ID {
	if len(lo) == 0 {
		return Empty
	}
	if lo[0] == hi[0] {
		return a.cat(a.Byte(lo[0]), a.Between(lo[1:], hi[1:], first, last))
	}
	least, most := slices.Repeat([]byte{first}, len(lo)-1), slices.Repeat([]byte{last}, len(lo)-1)
	from, to := lo[0], hi[0]
	var alts []ID
	if !slices.Equal(lo[1:], least) {
		alts = append(alts, a.cat(a.Byte(from), a.Between(lo[1:], most, first, last)))
		from++
	}
	if !slices.Equal(hi[1:], most) {
		alts = append(alts, a.cat(a.Byte(to), a.Between(least, hi[1:], first, last)))
		to--
	}
	if from <= to {
		alts = append(alts, a.cat(a.Span(from, to), a.Between(least, most, first, last)))
	}
	return a.Alt(alts...)
}

// Span matches one byte from lo to hi.
func (a *Arena) Span(lo, hi byte) ID {
	var s Set
	s.Add(lo, hi)
	return a.Set(s)
}
