package jinja

import (
	"strings"
	"unicode/utf8"
)

// percent is one run of "text" % values: Python's printf-style formatting.
type percent struct {
	s      *state
	text   string
	pos    int
	values []Value
	used   int
	dict   *Dict // for %(name)s
	markup bool  // the text is Markup: what it takes in is escaped
	b      strings.Builder
}

// spec is what stands between % and the conversion letter.
type spec struct {
	flags     string
	width     int
	precision int // -1: none given
}

func (s *state) formatPercent(format, value Value) Value {
	t, _ := text(format)
	p := &percent{s: s, text: t}
	_, p.markup = format.(Markup)
	switch v := value.(type) {
	case Tuple:
		p.values = v
	case *Dict:
		p.dict, p.values = v, []Value{v}
	default:
		p.values = []Value{value}
	}
	p.run()
	if p.used < len(p.values) && !isMappingLike(value) {
		s.failf(RuntimeError, "not all arguments converted during string formatting")
	}
	return like(format, s.sized(p.b.String()))
}

// isMappingLike: with a value that can be subscripted, a text may leave it unused.
func isMappingLike(v Value) bool {
	switch v.(type) {
	case *Dict, *List, *rangeValue, Bytes, *Undefined:
		return true
	}
	return false
}

func (p *percent) run() {
	for p.pos < len(p.text) {
		i := strings.IndexByte(p.text[p.pos:], '%')
		if i < 0 {
			p.b.WriteString(p.text[p.pos:])
			return
		}
		p.b.WriteString(p.text[p.pos : p.pos+i])
		p.pos += i + 1
		p.s.spend(1)
		p.directive()
	}
}

func (p *percent) fail(message string) { p.s.failf(RuntimeError, "%s", message) }

func (p *percent) directive() {
	if p.peek() == '%' {
		p.pos++
		p.b.WriteByte('%')
		return
	}
	var named Value
	hasName := p.peek() == '('
	if hasName {
		named = p.named()
	}
	start := p.pos
	for strings.IndexByte("#0- +", p.peek()) >= 0 && p.peek() != 0 {
		p.pos++
	}
	sp := spec{flags: p.text[start:p.pos], precision: -1}
	sp.width = p.number(0)
	if sp.width < 0 {
		sp.flags, sp.width = sp.flags+"-", -sp.width
	}
	if p.peek() == '.' {
		p.pos++
		sp.precision = max(p.number(0), 0)
	}
	for strings.IndexByte("hlL", p.peek()) >= 0 && p.peek() != 0 {
		p.pos++
	}
	c := p.peek()
	p.pos++
	switch {
	case c == 0:
		p.fail("incomplete format")
	case c == '%':
		p.b.WriteByte('%')
	case hasName:
		p.convert(c, sp, named)
	default:
		p.convert(c, sp, p.take())
	}
}

func (p *percent) peek() byte {
	if p.pos < len(p.text) {
		return p.text[p.pos]
	}
	return 0
}

// number reads a width or precision; * takes it from the values.
func (p *percent) number(absent int) int {
	if p.peek() == '*' {
		p.pos++
		return p.s.wantInt(p.take(), "* wants int")
	}
	n := absent
	for c := p.peek(); c >= '0' && c <= '9'; c = p.peek() {
		n = n*10 + int(c-'0')
		if n > p.s.limits.Size {
			p.s.reserve(-1)
		}
		p.pos++
	}
	return n
}

func (p *percent) named() Value {
	end := strings.IndexByte(p.text[p.pos:], ')')
	if end < 0 {
		p.fail("incomplete format key")
	}
	if p.dict == nil {
		p.fail("format requires a mapping")
	}
	key := p.text[p.pos+1 : p.pos+end]
	p.pos += end + 1
	v, ok := p.dict.Get(key)
	if !ok {
		p.s.failf(RuntimeError, "format: no key '%s'", key)
	}
	return v
}

func (p *percent) take() Value {
	if p.used >= len(p.values) {
		p.fail("not enough arguments for format string")
	}
	p.used++
	return p.values[p.used-1]
}

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
