// Package printable makes foreign text safe to draw on a terminal: control codes are shown, never obeyed.
//
// A model, a file name or a metadata key may hold escape sequences that move the cursor, set the title, write the
// clipboard or hide what follows. Text replaces every code point that a terminal acts on by something visible and keeps
// the rest, including the joiners that emoji and many scripts are made of. Replacement works code point by code point,
// so a stream may be cut anywhere between characters.
package printable

import (
	"strings"
	"unicode/utf8"
)

// Text shows the control codes of s. Newline and tab stay.
func Text(s string) string {
	return replace(s, func(r rune) bool { return r == '\n' || r == '\t' })
}

// Line is Text for what must stay on one line: newline and tab are shown too.
func Line(s string) string {
	return replace(s, func(rune) bool { return false })
}

// replace copies s with what visible makes of the runes that keep does not name. Without any of those it returns s.
func replace(s string, keep func(rune) bool) string {
	var b strings.Builder
	done := 0
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			b.WriteString(s[done:i])
			b.WriteRune(utf8.RuneError)
			done = i + n
		} else if text := visible(r); text != "" && !keep(r) {
			b.WriteString(s[done:i])
			b.WriteString(text)
			done = i + n
		}
		i += n
	}
	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}

const hex = "0123456789abcdef"

// visible is the picture of a control code, or "" for everything else.
//
//   - C0 and DEL have pictures of their own from U+2400 on: ESC is ␛.
//   - C1 (U+0080 to U+009F), which some terminals obey as ESC and a letter, is written like <9b>.
//   - Marks that turn the direction of what follows, or separate lines, are written like <202e>.
func visible(r rune) string {
	switch {
	case r < 0x20:
		return string(0x2400 + r)
	case r == 0x7f:
		return "\u2421"
	case r >= 0x80 && r < 0xa0:
		return string([]byte{'<', hex[r>>4], hex[r&15], '>'})
	case turnsDirection(r) || r == 0x2028 || r == 0x2029 || r >= 0xfff9 && r <= 0xfffb || r == 0xfeff:
		return string([]byte{'<', hex[r>>12], hex[r>>8&15], hex[r>>4&15], hex[r&15], '>'})
	}
	return ""
}

// turnsDirection reports whether r embeds, overrides or isolates a direction of writing.
func turnsDirection(r rune) bool {
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}
