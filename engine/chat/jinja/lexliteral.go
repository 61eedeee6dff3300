package jinja

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// number reads an integer or a float: 12, 1_000, 0x1f, 1.5, 2e10. A dot without a digit after it is not part of it.
func (l *lexer) number() {
	rest := l.rest()
	n := digitRun(rest, isDecimal)
	afterDot := l.pos > 0 && l.source[l.pos-1] == '.'
	end := n
	if !afterDot {
		if m := digitRun(rest[min(n+1, len(rest)):], isDecimal); m > 0 && strings.HasPrefix(rest[n:], ".") {
			end = n + 1 + m
		}
		end += exponent(rest[end:])
	}
	if end > n {
		l.emit(tokFloat, strings.ReplaceAll(rest[:end], "_", ""), l.pos)
		l.pos += end
		return
	}
	l.integer(rest, n)
}

func (l *lexer) integer(rest string, n int) {
	if len(rest) > 2 && rest[0] == '0' {
		if isDigit := digitSets[rest[1]|0x20]; isDigit != nil {
			skip := 2
			if rest[2] == '_' {
				skip = 3
			}
			if m := digitRun(rest[min(skip, len(rest)):], isDigit); m > 0 {
				n = skip + m
			}
		}
	}
	if rest[0] == '0' && n == digitRun(rest, isDecimal) { // 007 is 0, 0 and 7 to Jinja2, which no parser then takes
		n = digitRun(rest, func(c byte) bool { return c == '0' })
	}
	l.emit(tokInt, strings.ReplaceAll(rest[:n], "_", ""), l.pos)
	l.pos += n
}

var digitSets = map[byte]func(byte) bool{
	'x': func(c byte) bool { return isDecimal(c) || c|0x20 >= 'a' && c|0x20 <= 'f' },
	'o': func(c byte) bool { return c >= '0' && c <= '7' },
	'b': func(c byte) bool { return c == '0' || c == '1' },
}

func isDecimal(c byte) bool { return c >= '0' && c <= '9' }

// digitRun is the length of a run of digits with single underscores between them.
func digitRun(t string, ok func(byte) bool) int {
	n := 0
	for n < len(t) {
		switch {
		case ok(t[n]):
			n++
		case t[n] == '_' && n > 0 && n+1 < len(t) && ok(t[n+1]):
			n += 2
		default:
			return n
		}
	}
	return n
}

// exponent is the length of e10, E-7 and the like.
func exponent(t string) int {
	if t == "" || t[0]|0x20 != 'e' {
		return 0
	}
	i := 1
	if len(t) > 1 && (t[1] == '+' || t[1] == '-') {
		i = 2
	}
	n := digitRun(t[min(i, len(t)):], isDecimal)
	if n == 0 {
		return 0
	}
	return i + n
}

func (l *lexer) stringToken(quote byte) {
	rest := l.rest()
	for i := 1; i < len(rest); i++ {
		switch rest[i] {
		case '\\':
			i++
		case quote:
			l.emit(tokString, l.unescape(rest[1:i]), l.pos)
			l.pos += i + 1
			return
		}
	}
	l.fail(l.pos, "the string is not closed")
}

var simpleEscapes = map[byte]string{
	'\n': "", '\\': `\`, '\'': "'", '"': `"`, 'a': "\a", 'b': "\b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t", 'v': "\v",
}

// unescape resolves the escapes of Python string literals; unknown ones stay as they are.
func (l *lexer) unescape(t string) string {
	if !strings.Contains(t, `\`) {
		return t
	}
	var b strings.Builder
	for i := 0; i < len(t); i++ {
		if t[i] != '\\' {
			b.WriteByte(t[i])
			continue
		}
		i++
		if text, ok := simpleEscapes[t[i]]; ok {
			b.WriteString(text)
			continue
		}
		r, n := l.numericEscape(t[i:])
		if n == 0 {
			b.WriteByte('\\')
			b.WriteByte(t[i])
			continue
		}
		b.WriteRune(r)
		i += n - 1
	}
	return b.String()
}

// numericEscape reads x41, u00e9, U0001f600 or an octal number, and returns how long it is; 0 for none of them.
func (l *lexer) numericEscape(t string) (rune, int) {
	if width := map[byte]int{'x': 2, 'u': 4, 'U': 8}[t[0]]; width > 0 {
		if len(t) <= width {
			l.fail(l.pos, `truncated \`+t[:1]+" escape in a string")
		}
		n, err := strconv.ParseUint(t[1:1+width], 16, 32)
		if err != nil || n > utf8.MaxRune {
			l.fail(l.pos, `bad \`+t[:1]+" escape in a string")
		}
		return rune(n), 1 + width
	}
	if t[0] == 'N' {
		l.fail(l.pos, `escapes by character name (\N{...}) are not supported`)
	}
	n, width := rune(0), 0
	for width < 3 && width < len(t) && t[width] >= '0' && t[width] <= '7' {
		n = n*8 + rune(t[width]-'0')
		width++
	}
	return n, width
}
