package jinja

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// This file has what Python's str does and Go's strings do not, or do otherwise.

// isSpace is Python's str.isspace for one character: Unicode white space and the four ASCII separators.
func isSpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }

// isLineEnd reports where str.splitlines cuts.
func isLineEnd(r rune) bool {
	switch r {
	case '\n', '\r', '\v', '\f', 0x1c, 0x1d, 0x1e, 0x85, 0x2028, 0x2029:
		return true
	}
	return false
}

// splitLines is str.splitlines.
func splitLines(t string, keepEnds bool) []string {
	var lines []string
	for start := 0; start < len(t); {
		i := strings.IndexFunc(t[start:], isLineEnd)
		if i < 0 {
			return append(lines, t[start:])
		}
		i += start
		_, n := utf8.DecodeRuneInString(t[i:])
		if strings.HasPrefix(t[i:], "\r\n") {
			n = 2
		}
		if keepEnds {
			lines = append(lines, t[start:i+n])
		} else {
			lines = append(lines, t[start:i])
		}
		start = i + n
	}
	return lines
}

// fields splits at runs of white space, at most limit times from the left (limit < 0: always).
func fields(t string, limit int) []string {
	var out []string
	t = strings.TrimLeftFunc(t, isSpace)
	for t != "" {
		i := strings.IndexFunc(t, isSpace)
		if i < 0 || limit == 0 {
			return append(out, t)
		}
		out = append(out, t[:i])
		t = strings.TrimLeftFunc(t[i:], isSpace)
		limit--
	}
	return out
}

// fieldsRight is fields from the right.
func fieldsRight(t string, limit int) []string {
	var out []string
	t = strings.TrimRightFunc(t, isSpace)
	for t != "" {
		i := strings.LastIndexFunc(t, isSpace)
		if i < 0 || limit == 0 {
			out = append(out, t)
			break
		}
		_, n := utf8.DecodeRuneInString(t[i:])
		out = append(out, t[i+n:])
		t = strings.TrimRightFunc(t[:i], isSpace)
		limit--
	}
	reverse(out)
	return out
}

// splitRight cuts at sep, at most limit times from the right.
func splitRight(t, sep string, limit int) []string {
	var out []string
	for ; limit != 0; limit-- {
		i := strings.LastIndex(t, sep)
		if i < 0 {
			break
		}
		out = append(out, t[i+len(sep):])
		t = t[:i]
	}
	out = append(out, t)
	reverse(out)
	return out
}

func reverse[T any](items []T) {
	for i, j := 0, len(items)-1; i < j; i, j = i+1, j-1 {
		items[i], items[j] = items[j], items[i]
	}
}

func reverseText(t string) string {
	runes := []rune(t)
	reverse(runes)
	return string(runes)
}

// digits are the characters beside the decimal digits that str.isdigit takes: raised, lowered and enclosed ones.
var digits = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0xb2, 0xb3, 1}, {0xb9, 0xb9, 1}, {0x1369, 0x1371, 1}, {0x19da, 0x19da, 1}, {0x2070, 0x2070, 1}, {0x2074, 0x2079, 1},
		{0x2080, 0x2089, 1}, {0x2460, 0x2468, 1}, {0x2474, 0x247c, 1}, {0x2488, 0x2490, 1}, {0x24ea, 0x24ea, 1},
		{0x24f5, 0x24fd, 1}, {0x24ff, 0x24ff, 1}, {0x2776, 0x277e, 1}, {0x2780, 0x2788, 1}, {0x278a, 0x2792, 1},
	},
	LatinOffset: 2,
}

func isDigit(r rune) bool { return unicode.IsDigit(r) || unicode.Is(digits, r) }

// every reports that t is not empty and ok holds for all its characters.
func every(t string, ok func(rune) bool) bool {
	return t != "" && strings.IndexFunc(t, func(r rune) bool { return !ok(r) }) < 0
}
