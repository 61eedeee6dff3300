package gbnf

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/llamakit/llamakit/engine/grammar/rx"
)

func (p *parser) take(s string) bool {
	if !strings.HasPrefix(p.text[p.pos:], s) {
		return false
	}
	p.pos += len(s)
	return true
}

func (p *parser) newline() bool { return p.take("\n") || p.take("\r\n") || p.take("\r") }

// space skips blanks and comments, and ends of lines too where they have no meaning.
func (p *parser) space(lines bool) {
	for p.pos < len(p.text) {
		switch c := p.text[p.pos]; {
		case c == ' ' || c == '\t' || lines && (c == '\n' || c == '\r'):
			p.pos++
		case c == '#':
			for p.pos < len(p.text) && p.text[p.pos] != '\n' && p.text[p.pos] != '\r' {
				p.pos++
			}
		default:
			return
		}
	}
}

func nameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-'
}

func (p *parser) name() string {
	from := p.pos
	for p.pos < len(p.text) && nameByte(p.text[p.pos]) {
		p.pos++
	}
	return p.text[from:p.pos]
}

func (p *parser) quote() string {
	r, _ := utf8.DecodeRuneInString(p.text[p.pos:])
	return strconv.QuoteRune(r)
}

func (p *parser) literal() string {
	at := p.pos
	p.pos++
	var b strings.Builder
	for !p.take(`"`) {
		if p.pos == len(p.text) {
			p.fail(at, "this quote is not closed")
		}
		b.WriteRune(p.char())
	}
	return b.String()
}

func (p *parser) class(it *item) {
	p.pos++
	it.negate = p.take("^")
	for !p.take("]") {
		at := p.pos
		if at == len(p.text) {
			p.fail(it.at, "this bracket is not closed")
		}
		r := rx.RuneRange{Lo: p.char()}
		r.Hi = r.Lo
		if rest := p.text[p.pos:]; len(rest) > 1 && rest[0] == '-' && rest[1] != ']' {
			p.pos++
			r.Hi = p.char()
		}
		if r.Lo > r.Hi {
			p.fail(at, "the range is reversed")
		}
		it.ranges = append(it.ranges, r)
	}
	if len(it.ranges) == 0 && !it.negate {
		p.fail(it.at, "an empty class matches nothing")
	}
}

// char reads a character, which may be escaped.
func (p *parser) char() rune {
	at := p.pos
	r, n := utf8.DecodeRuneInString(p.text[p.pos:])
	if r == utf8.RuneError && n < 2 {
		p.fail(at, "the text is not UTF-8")
	}
	p.pos += n
	if r != '\\' {
		return r
	}
	if p.pos == len(p.text) {
		p.fail(at, "an escape is cut off")
	}
	c := p.text[p.pos]
	p.pos++
	switch c {
	case 'x':
		return p.hex(at, 2)
	case 'u':
		return p.hex(at, 4)
	case 'U':
		return p.hex(at, 8)
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	case '"', '\\', '[', ']', '-', '^':
		return rune(c)
	}
	p.fail(at, "unknown escape")
	return 0
}

func (p *parser) hex(at, digits int) rune {
	if len(p.text)-p.pos >= digits {
		v, err := strconv.ParseUint(p.text[p.pos:p.pos+digits], 16, 32)
		if err == nil && utf8.ValidRune(rune(v)) && v <= utf8.MaxRune {
			p.pos += digits
			return rune(v)
		}
	}
	p.fail(at, strconv.Itoa(digits)+" hexadecimal digits of a character are missing")
	return 0
}
