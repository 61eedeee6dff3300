package jinja

import (
	"strings"
)

// sign reads the - or + of an opening tag.
func (l *lexer) sign() byte {
	if r := l.rest(); r != "" && (r[0] == '-' || r[0] == '+') {
		l.pos++
		return r[0]
	}
	return 0
}

func (l *lexer) stripLeft(text string, sign byte, block bool) string {
	switch {
	case sign == '-':
		return strings.TrimRightFunc(text, isSpace)
	case sign == '+' || !block:
		return text
	}
	start := strings.LastIndexByte(text, '\n') + 1
	if (start > 0 || l.lineStart) && strings.TrimFunc(text[start:], isSpace) == "" {
		return text[:start]
	}
	return text
}

func (l *lexer) comment(tag int) {
	i := strings.Index(l.rest(), "#}")
	if i < 0 {
		l.fail(tag, "the comment is not closed with #}")
	}
	sign := byte(0)
	if i > 0 {
		sign = l.rest()[i-1]
	}
	l.pos += i + 2
	l.stripRight(sign, true)
}

// stripRight drops white space after a closing tag, as the sign before the tag's end says.
func (l *lexer) stripRight(sign byte, block bool) {
	start := l.pos
	switch {
	case sign == '-':
		l.pos = len(l.source) - len(strings.TrimLeftFunc(l.rest(), isSpace))
	case block && sign != '+' && strings.HasPrefix(l.rest(), "\n"):
		l.pos++
	}
	l.lineStart = l.pos > start && l.source[l.pos-1] == '\n'
}

// raw reads {% raw %} ... {% endraw %}; the opening {% and its sign have been read.
func (l *lexer) raw(tag int) bool {
	body, sign, ok := rawTag(l.rest(), "raw")
	if !ok || sign == '+' {
		return false
	}
	if sign == '-' {
		body = strings.TrimLeftFunc(body, isSpace)
	}
	l.lineStart = strings.HasSuffix(l.source[:len(l.source)-len(body)], "\n")
	for i := 0; ; i += 2 {
		j := strings.Index(body[i:], "{%")
		if j < 0 {
			l.fail(tag, "{% raw %} is not closed with {% endraw %}")
		}
		i += j
		if l.endRaw(body, i) {
			return true
		}
	}
}

// endRaw takes the text up to i if {% endraw %} stands there.
func (l *lexer) endRaw(body string, i int) bool {
	open := byte(0)
	after := body[i+2:]
	if after != "" && (after[0] == '-' || after[0] == '+') {
		open, after = after[0], after[1:]
	}
	after, sign, ok := rawTag(after, "endraw")
	if !ok {
		return false
	}
	if text := l.stripLeft(body[:i], open, true); text != "" {
		l.emit(tokText, text, len(l.source)-len(body))
	}
	l.pos = len(l.source) - len(after)
	l.stripRight(sign, true)
	return true
}

// rawTag reads ` name %}` and returns what follows and the sign before the end.
func rawTag(t, name string) (rest string, sign byte, ok bool) {
	t, ok = strings.CutPrefix(strings.TrimLeftFunc(t, isSpace), name)
	if !ok {
		return "", 0, false
	}
	t = strings.TrimLeftFunc(t, isSpace)
	if t != "" && (t[0] == '-' || t[0] == '+') {
		sign, t = t[0], t[1:]
	}
	rest, ok = strings.CutPrefix(t, "%}")
	return rest, sign, ok
}
