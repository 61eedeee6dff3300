package vocab

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// class is the general category of a character as the splitting patterns see it, one bit each, so that a set of classes is
// a mask. White space is a class of its own: a character that is white space is never anything else.
type class uint8

const (
	letter   class = 1 << iota // \p{L}
	number                     // \p{N}
	mark                       // \p{M}
	punct                      // \p{P}
	symbol                     // \p{S}
	space                      // \s: the White_Space property, so also U+0085
	other                      // controls, format characters, private use, unassigned
	anyClass class = 1<<iota - 1
)

const maxRune = 0x110000 // one past the last code point

// classTable holds the class of every code point. llama.cpp's table is Unicode 15.1 and Go's is 15.0: newer lists the
// three ranges that came in between. unicode_test.go pins the whole table by its checksum, so that an upgrade of Go that
// moves a character is noticed.
var classTable = sync.OnceValue(func() *[maxRune]class {
	t := new([maxRune]class)
	for i := range t {
		t[i] = other
	}
	fill(t, unicode.L, letter)
	fill(t, unicode.N, number)
	fill(t, unicode.M, mark)
	fill(t, unicode.P, punct)
	fill(t, unicode.S, symbol)
	fill(t, unicode.White_Space, space)
	fill(t, newer.symbols, symbol)
	fill(t, newer.letters, letter)
	return t
})

// newer lists what Unicode 15.1 added: ideographic description characters and CJK extension I.
var newer = struct{ symbols, letters *unicode.RangeTable }{
	symbols: &unicode.RangeTable{R16: []unicode.Range16{{Lo: 0x2ffc, Hi: 0x2fff, Stride: 1}, {Lo: 0x31ef, Hi: 0x31ef, Stride: 1}}},
	letters: &unicode.RangeTable{R32: []unicode.Range32{{Lo: 0x2ebf0, Hi: 0x2ee5d, Stride: 1}}},
}

func fill(t *[maxRune]class, r *unicode.RangeTable, c class) {
	for _, x := range r.R16 {
		for i := int(x.Lo); i <= int(x.Hi); i += int(x.Stride) {
			t[i] = c
		}
	}
	for _, x := range r.R32 {
		for i := int(x.Lo); i <= int(x.Hi); i += int(x.Stride) {
			t[i] = c
		}
	}
}

// decodeRune reads one code point as llama.cpp does: surrogates are taken as they stand, what is no UTF-8 otherwise is U+FFFD
// and one byte long.
func decodeRune(s string) (rune, int) {
	if s[0] < utf8.RuneSelf {
		return rune(s[0]), 1
	}
	n := utf8Len(s[0])
	if n == 1 || len(s) < n {
		return utf8.RuneError, 1
	}
	r := rune(s[0] & (0xff >> (n + 1)))
	for i := 1; i < n; i++ {
		if s[i]&0xc0 != 0x80 {
			return utf8.RuneError, 1
		}
		r = r<<6 | rune(s[i]&0x3f)
	}
	if r >= maxRune || s[0] >= 0xf8 || r < [...]rune{0, 0, 0x80, 0x800, 0x10000}[n] {
		return utf8.RuneError, 1
	}
	return r, n
}

// utf8Len is the length that a leading byte announces; 1 for a continuation byte.
func utf8Len(b byte) int {
	switch {
	case b < 0xc0:
		return 1
	case b < 0xe0:
		return 2
	case b < 0xf0:
		return 3
	}
	return 4
}

// appendRune encodes r, surrogates too (utf8.AppendRune would replace them).
func appendRune(b []byte, r rune) []byte {
	if r < 0xd800 || r > 0xdfff {
		return utf8.AppendRune(b, r)
	}
	return append(b, 0xe0|byte(r>>12), 0x80|byte(r>>6)&0x3f, 0x80|byte(r)&0x3f)
}

// sanitize returns s with everything that is not UTF-8 replaced by U+FFFD, a byte at a time. Valid text is returned as it is.
func sanitize(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	b := make([]byte, 0, len(s)+16)
	for len(s) > 0 {
		r, n := decodeRune(s)
		b = appendRune(b, r)
		s = s[n:]
	}
	return string(b)
}

// isHan reports whether r is in the blocks that llama.cpp counts as Chinese; not the same as unicode.Han.
func isHan(r rune) bool {
	switch {
	case r < 0x3400:
		return false
	case r <= 0x4dbf, r >= 0x4e00 && r <= 0x9fff, r >= 0xf900 && r <= 0xfaff:
		return true
	}
	return r >= 0x20000 && r <= 0x2a6df || r >= 0x2a700 && r <= 0x2b73f || r >= 0x2b740 && r <= 0x2ebef || r >= 0x2f800 && r <= 0x2fa1f
}

// spaceMark stands for a space in SentencePiece vocabularies: U+2581, lower one eighth block.
const spaceMark = "▁"

func escapeSpaces(s string) string   { return strings.ReplaceAll(s, " ", spaceMark) }
func unescapeSpaces(s string) string { return strings.ReplaceAll(s, spaceMark, " ") }
