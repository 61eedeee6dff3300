package jinja

import (
	"strings"
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
