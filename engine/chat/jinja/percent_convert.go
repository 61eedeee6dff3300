package jinja

import (
	"strings"
	"unicode/utf8"
)

func (p *percent) convert(c byte, sp spec, v Value) {
	switch c {
	case 's':
		p.textOut(sp, p.str(v))
	case 'r':
		p.textOut(sp, p.s.repr(v))
	case 'a':
		p.textOut(sp, asciiRepr(p.s.repr(v)))
	case 'c':
		p.textOut(spec{flags: sp.flags, width: sp.width, precision: -1}, p.char(v))
	case 'd', 'i', 'u':
		p.integerOut(sp, "", p.integer(v, 10))
	case 'x', 'X', 'o':
		p.radixOut(c, sp, v)
	case 'e', 'E', 'f', 'F', 'g', 'G':
		p.numberOut(sp, "", p.float(c, sp, v))
	default:
		p.s.failf(RuntimeError, "unsupported format character '%c'", c)
	}
}

func (p *percent) str(v Value) string {
	if p.markup {
		return p.s.escapeValue(v)
	}
	return p.s.str(v)
}

func (p *percent) char(v Value) string {
	if t, ok := text(v); ok && utf8.RuneCountInString(t) == 1 {
		return t
	}
	n, ok := smallInt(v)
	if !ok || n < 0 || n > utf8.MaxRune {
		p.fail("%c requires int or char")
	}
	return string(rune(n))
}

func (p *percent) integer(v Value, base int) string {
	if f, ok := v.(float64); ok && base == 10 {
		return p.s.truncate(f).String()
	}
	n, ok := toBig(v)
	if !ok {
		p.s.wrongType(v, "%d format", "a real number")
	}
	if base == 10 {
		return p.s.bigText(n)
	}
	return n.Text(base)
}

func (p *percent) radixOut(c byte, sp spec, v Value) {
	digits := p.integer(v, map[byte]int{'x': 16, 'X': 16, 'o': 8}[c])
	prefix := ""
	if strings.Contains(sp.flags, "#") {
		prefix = "0" + string(c)
	}
	if c == 'X' {
		digits = strings.ToUpper(digits)
	}
	p.integerOut(sp, prefix, digits)
}

// integerOut writes digits, at least as many as the precision says.
func (p *percent) integerOut(sp spec, prefix, digits string) {
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	if fill := sp.precision - len(digits); fill > 0 {
		p.s.reserve(fill)
		digits = strings.Repeat("0", fill) + digits
	}
	p.numberOut(sp, prefix, sign+digits)
}

func (p *percent) float(c byte, sp spec, v Value) string {
	if !isNumber(v) {
		p.s.wrongType(v, "float format", "a real number")
	}
	if sp.precision < 0 {
		sp.precision = 6
	}
	p.s.reserve(sp.precision)
	return floatText(p.s.toFloat(v), c, sp.precision, strings.Contains(sp.flags, "#"))
}

func (p *percent) textOut(sp spec, t string) {
	if sp.precision >= 0 {
		t = t[:runeOffset(t, sp.precision)]
	}
	p.pad(sp, "", t, false)
}

// numberOut splits the sign off, so that zeros go between it, or the prefix, and the digits.
func (p *percent) numberOut(sp spec, prefix, t string) {
	sign := ""
	if strings.HasPrefix(t, "-") {
		sign, t = "-", t[1:]
	} else if strings.Contains(sp.flags, "+") {
		sign = "+"
	} else if strings.Contains(sp.flags, " ") {
		sign = " "
	}
	p.pad(sp, sign+prefix, t, strings.Contains(sp.flags, "0"))
}

func (p *percent) pad(sp spec, sign, t string, zeros bool) {
	fill := max(sp.width-utf8.RuneCountInString(sign+t), 0)
	p.s.reserve(fill)
	if p.b.Len() > p.s.limits.Size {
		p.s.reserve(p.b.Len())
	}
	switch {
	case strings.Contains(sp.flags, "-"):
		p.b.WriteString(sign + t + strings.Repeat(" ", fill))
	case zeros:
		p.b.WriteString(sign + strings.Repeat("0", fill) + t)
	default:
		p.b.WriteString(strings.Repeat(" ", fill) + sign + t)
	}
}
