package ecma

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/llamakit/llamakit/engine/grammar/rx"
)

// The classes of ECMA-262: \d and \w are ASCII, \s is Unicode's blanks and ends of lines.
var (
	digits   = rx.NewRunes(rx.RuneRange{Lo: '0', Hi: '9'})
	words    = rx.NewRunes(rx.RuneRange{Lo: '0', Hi: '9'}, rx.RuneRange{Lo: 'A', Hi: 'Z'}, rx.RuneRange{Lo: '_', Hi: '_'}, rx.RuneRange{Lo: 'a', Hi: 'z'})
	lineEnds = rx.NewRunes(rx.RuneRange{Lo: '\n', Hi: '\n'}, rx.RuneRange{Lo: '\r', Hi: '\r'}, rx.RuneRange{Lo: 0x2028, Hi: 0x2029})
	blanks   = rx.NewRunes(append(table(unicode.Zs), rx.RuneRange{Lo: '\t', Hi: '\r'}, rx.RuneRange{Lo: 0x2028, Hi: 0x2029}, rx.RuneRange{Lo: 0xfeff, Hi: 0xfeff})...)
)

func one(r rune) rx.Runes { return rx.Runes{{Lo: r, Hi: r}} }

// class reads up to the closing bracket.
func (p *parser) class(at int) rx.Runes {
	negate := p.take("^")
	var all []rx.RuneRange
	for !p.take("]") {
		if p.pos == len(p.text) {
			p.fail(at, "this bracket is not closed")
		}
		from := p.member()
		rest := p.text[p.pos:]
		if len(from) == 1 && from[0].Lo == from[0].Hi && len(rest) > 1 && rest[0] == '-' && rest[1] != ']' {
			p.pos++
			to := p.member()
			if len(to) != 1 || to[0].Lo != to[0].Hi { // [a-\d] is a, - and digits
				all = append(append(append(all, from...), one('-')...), to...)
				continue
			}
			if from[0].Lo > to[0].Lo {
				p.fail(at, "the range is reversed")
			}
			from = rx.Runes{{Lo: from[0].Lo, Hi: to[0].Lo}}
		}
		all = append(all, from...)
	}
	set := rx.NewRunes(all...)
	if negate {
		return set.Not()
	}
	return set
}

func (p *parser) member() rx.Runes {
	at := p.pos
	if p.take(`\`) {
		return p.escape(at, true)
	}
	return one(p.char())
}

var controls = map[byte]rune{'t': '\t', 'n': '\n', 'v': '\v', 'f': '\f', 'r': '\r', '0': 0}

// escape reads what follows a backslash.
func (p *parser) escape(at int, inClass bool) rx.Runes {
	if p.pos == len(p.text) {
		p.fail(at, "an escape is cut off")
	}
	c := p.text[p.pos]
	p.pos++
	switch c {
	case 'd':
		return digits
	case 'D':
		return digits.Not()
	case 'w':
		return words
	case 'W':
		return words.Not()
	case 's':
		return blanks
	case 'S':
		return blanks.Not()
	case 'p':
		return p.property(at)
	case 'P':
		return p.property(at).Not()
	case 'x':
		return one(p.hex(at, 2))
	case 'u':
		return one(p.unicode(at))
	case 'b':
		if inClass {
			return one('\b')
		}
		p.fail(at, "word boundaries are not supported")
	case 'B', 'k':
		p.fail(at, `\`+string(c)+" is not supported")
	case 'c':
		if p.pos < len(p.text) && unicode.IsLetter(rune(p.text[p.pos])) {
			p.pos++
			return one(rune(p.text[p.pos-1] % 32))
		}
		p.fail(at, "a letter is missing")
	}
	if r, ok := controls[c]; ok {
		return one(r)
	}
	if c >= '1' && c <= '9' {
		p.fail(at, "back-references are not supported")
	}
	if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
		p.fail(at, "unknown escape")
	}
	p.pos--
	return one(p.char())
}

func (p *parser) hex(at, n int) rune {
	if len(p.text)-p.pos >= n {
		if v, err := strconv.ParseUint(p.text[p.pos:p.pos+n], 16, 32); err == nil {
			p.pos += n
			return rune(v)
		}
	}
	p.fail(at, "hexadecimal digits are missing")
	return 0
}

// unicode reads \uHHHH, \u{H...}, or two surrogates.
func (p *parser) unicode(at int) rune {
	if p.take("{") {
		digits, _, ok := strings.Cut(p.text[p.pos:], "}")
		v, err := strconv.ParseUint(digits, 16, 32)
		if !ok || err != nil || v > utf8.MaxRune {
			p.fail(at, "this is no code point")
		}
		p.pos += len(digits) + 1
		return rune(v)
	}
	r := p.hex(at, 4)
	if utf16.IsSurrogate(r) && p.take(`\u`) {
		return utf16.DecodeRune(r, p.hex(at, 4))
	}
	return r
}

// property reads {L}, {Lu}, {Script=Greek} and the like.
func (p *parser) property(at int) rx.Runes {
	name, _, ok := strings.Cut(p.text[p.pos:], "}")
	if !ok || !strings.HasPrefix(name, "{") {
		p.fail(at, "the name of a property is missing")
	}
	p.pos += len(name) + 1
	name = name[1:]
	if _, value, ok := strings.Cut(name, "="); ok {
		name = value
	}
	if long, ok := longNames[name]; ok {
		name = long
	}
	for _, tables := range []map[string]*unicode.RangeTable{unicode.Categories, unicode.Scripts, unicode.Properties} {
		if t, ok := tables[name]; ok {
			return rx.NewRunes(table(t)...)
		}
	}
	p.fail(at, "unknown property "+name)
	return nil
}

var longNames = map[string]string{"Letter": "L", "Lowercase_Letter": "Ll", "Uppercase_Letter": "Lu", "Number": "N", "Decimal_Number": "Nd",
	"Punctuation": "P", "Symbol": "S", "Separator": "Z", "Mark": "M", "Other": "C", "digit": "Nd"}

func table(t *unicode.RangeTable) []rx.RuneRange {
	var out []rx.RuneRange
	add := func(lo, hi, stride rune) {
		if stride == 1 {
			out = append(out, rx.RuneRange{Lo: lo, Hi: hi})
			return
		}
		for r := lo; r <= hi; r += stride {
			out = append(out, rx.RuneRange{Lo: r, Hi: r})
		}
	}
	for _, r := range t.R16 {
		add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	for _, r := range t.R32 {
		add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	return out
}
