package jinja

import (
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// formatSpec is Python's format(v, spec).
func (s *state) formatSpec(v Value, format string) string {
	if format == "" {
		return s.str(v)
	}
	sp := s.parseSpec(format, isNumber(v))
	if t, ok := text(v); ok {
		if sp.kind != 0 && sp.kind != 's' || sp.sign != 0 || sp.comma != 0 || sp.align == '=' {
			s.failf(RuntimeError, "format: specification %q is not for a text", format)
		}
		if sp.precision >= 0 {
			t = t[:runeOffset(t, sp.precision)]
		}
		return s.alignText(sp, "", t, '<')
	}
	if !isNumber(v) {
		s.failf(RuntimeError, "unsupported format string passed to %s.__format__", typeName(v))
	}
	return s.formatNumber(v, sp)
}

func (s *state) formatNumber(v Value, sp fullSpec) string {
	_, isFloat := v.(float64)
	t := ""
	switch {
	case sp.kind == 'c':
		return s.alignText(sp, "", string(rune(s.wantInt(v, "format c"))), '<')
	case !isFloat && strings.IndexByte("\x00dnboxX", sp.kind) >= 0:
		t = s.formatInt(v, sp)
	case strings.IndexByte("\x00eEfFgGn%", sp.kind) >= 0:
		t = s.formatFloatSpec(s.toFloat(v), sp)
	default:
		s.failf(RuntimeError, "Unknown format code '%c' for object of type '%s'", sp.kind, typeName(v))
	}
	sign := ""
	if strings.HasPrefix(t, "-") {
		sign, t = "-", t[1:]
	} else if sp.sign == '+' || sp.sign == ' ' {
		sign = string(sp.sign)
	}
	if sp.comma != 0 {
		t = group(t, string(sp.comma), map[bool]int{true: 4, false: 3}[strings.IndexByte("boxX", sp.kind) >= 0 && sp.kind != 0])
	}
	if sp.alternate && strings.IndexByte("boxX", sp.kind) >= 0 && sp.kind != 0 {
		sign += "0" + string(sp.kind)
	}
	return s.alignText(sp, sign, t, '>')
}

func (s *state) formatInt(v Value, sp fullSpec) string {
	if sp.precision >= 0 {
		s.failf(RuntimeError, "Precision not allowed in integer format specifier")
	}
	n, _ := toBig(v)
	base := map[byte]int{'b': 2, 'o': 8, 'x': 16, 'X': 16}[sp.kind]
	switch {
	case base == 0:
		return s.bigText(n)
	case sp.kind == 'X':
		return strings.ToUpper(n.Text(base))
	}
	return n.Text(base)
}

func (s *state) formatFloatSpec(f float64, sp fullSpec) string {
	s.reserve(max(sp.precision, 0))
	switch sp.kind {
	case 0:
		if sp.precision < 0 {
			return formatFloat(f)
		}
		return shortGeneral(f, sp.precision)
	case '%':
		return floatText(f*100, 'f', orSix(sp.precision), sp.alternate) + "%"
	case 'n':
		sp.kind = 'g'
	}
	return floatText(f, sp.kind, orSix(sp.precision), sp.alternate)
}

func orSix(precision int) int {
	if precision < 0 {
		return 6
	}
	return precision
}

// shortGeneral is format(f, ".3"): like g, but a float always shows that it is one.
func shortGeneral(f float64, precision int) string {
	precision = max(precision, 1)
	t := floatText(f, 'g', precision, false)
	exp := decimalExponent(f, precision)
	if strings.ContainsAny(t, ".en") {
		return t
	}
	if exp == precision-1 { // would read as an integer: Python switches to the exponent here
		mantissa, tail, _ := strings.Cut(strconv.FormatFloat(f, 'e', precision-1, 64), "e")
		return trimZeros(mantissa) + "e" + tail
	}
	return t + ".0"
}

// group puts sep between every n digits before the point.
func group(t, sep string, n int) string {
	end := len(t)
	if i := strings.IndexAny(t, ".e%"); i >= 0 && n == 3 {
		end = i
	}
	out := t[end:]
	for end > n {
		out = sep + t[end-n:end] + out
		end -= n
	}
	return t[:end] + out
}

// fullSpec is [[fill]align][sign][#][0][width][,][.precision][type].
type fullSpec struct {
	fill      string
	align     byte // 0: none given
	sign      byte
	alternate bool
	comma     byte
	width     int
	precision int // -1: none given
	kind      byte
}

func (s *state) parseSpec(t string, number bool) fullSpec {
	sp := fullSpec{fill: " ", precision: -1}
	_, n := utf8.DecodeRuneInString(t)
	filled := len(t) > n && strings.IndexByte("<>=^", t[n]) >= 0
	switch {
	case filled:
		sp.fill, sp.align, t = t[:n], t[n], t[n+1:]
	case strings.IndexByte("<>=^", t[0]) >= 0:
		sp.align, t = t[0], t[1:]
	}
	takeByte := func(set string) (c byte) {
		if t != "" && strings.IndexByte(set, t[0]) >= 0 {
			c, t = t[0], t[1:]
		}
		return c
	}
	sp.sign = takeByte("+- ")
	sp.alternate = takeByte("#") != 0
	if !filled && takeByte("0") != 0 {
		sp.fill = "0"
		if sp.align == 0 && number {
			sp.align = '='
		}
	}
	sp.width, t = s.leadingInt(t, 0)
	sp.comma = takeByte(",_")
	if takeByte(".") != 0 {
		if sp.precision, t = s.leadingInt(t, -1); sp.precision < 0 {
			s.failf(RuntimeError, "Format specifier missing precision")
		}
	}
	sp.kind = takeByte("bcdeEfFgGnosxX%")
	if t != "" {
		s.failf(RuntimeError, "Invalid format specifier: %q is left over", t)
	}
	return sp
}

func (s *state) leadingInt(t string, absent int) (int, string) {
	n := len(t) - len(strings.TrimLeft(t, "0123456789"))
	if n == 0 {
		return absent, t
	}
	v, ok := new(big.Int).SetString(t[:n], 10)
	if !ok || !v.IsInt64() || v.Int64() > int64(s.limits.Size) {
		s.reserve(-1)
	}
	return int(v.Int64()), t[n:]
}

// alignText pads sign and text to the width; '=' puts the fill between the two.
func (s *state) alignText(sp fullSpec, sign, t string, natural byte) string {
	fill := max(sp.width-utf8.RuneCountInString(sign+t), 0)
	s.reserveTimes(len(sp.fill), fill)
	align := sp.align
	if align == 0 {
		align = natural
	}
	pad := func(n int) string { return strings.Repeat(sp.fill, n) }
	switch align {
	case '<':
		return sign + t + pad(fill)
	case '^':
		return pad(fill/2) + sign + t + pad(fill-fill/2)
	case '=':
		return sign + pad(fill) + t
	}
	return pad(fill) + sign + t
}
