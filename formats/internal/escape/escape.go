// Package escape makes text from strangers safe to print on a terminal.
package escape

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable returns s with everything escaped that a terminal could obey or that could hide what is written: control
// characters (`\n`, `\x1b`), characters that change the direction of text, invisible and unassigned ones (`\u202e`), and
// bytes that are no UTF-8 (`\xff`). Letters of all scripts, spaces and emoji stay. A backslash stays too, so the result
// is for reading, not for parsing.
func Printable(s string) string {
	i := firstUnsafe(s)
	if i == len(s) {
		return s
	}
	var b strings.Builder
	for i < len(s) {
		b.WriteString(s[:i])
		r, size := utf8.DecodeRuneInString(s[i:])
		b.WriteString(escaped(r, s[i:i+size]))
		s = s[i+size:]
		i = firstUnsafe(s)
	}
	return b.String() + s
}

// Quote returns s printable and between double quotes, cut after limit bytes or a little sooner.
func Quote(s string, limit int) string {
	if len(s) <= limit {
		return `"` + Printable(s) + `"`
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return `"` + Printable(s[:limit]) + `…"`
}

// firstUnsafe returns the position of the first character that must be escaped, or len(s).
func firstUnsafe(s string) int {
	for i, r := range s {
		if !safe(r) || r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD") {
			return i
		}
	}
	return len(s)
}

func safe(r rune) bool {
	const zwnj, zwj = 0x200c, 0x200d // spelling in Persian and Indic scripts, joined emoji
	return strconv.IsPrint(r) || unicode.Is(unicode.Zs, r) || r == zwnj || r == zwj
}

// escaped spells the unsafe rune r, whose bytes are raw.
func escaped(r rune, raw string) string {
	switch {
	case r == utf8.RuneError && len(raw) == 1:
		return fmt.Sprintf(`\x%02x`, raw[0])
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case r < 0x80:
		return fmt.Sprintf(`\x%02x`, r)
	case r <= 0xffff:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}
