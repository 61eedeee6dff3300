package jinja

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// truncate is int(f).
func (s *state) truncate(f float64) *big.Int {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		s.failf(RuntimeError, "cannot convert float %s to integer", formatFloat(f))
	}
	n, _ := new(big.Float).SetFloat64(f).Int(nil)
	return n
}

// floatText formats as C's printf does. alternate keeps the point and, for g, trailing zeros.
func floatText(f float64, c byte, precision int, alternate bool) string {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		t := formatFloat(f)
		if c < 'a' {
			t = strings.ToUpper(t)
		}
		return t
	}
	t := ""
	switch c | 0x20 {
	case 'f':
		t = strconv.FormatFloat(f, 'f', precision, 64)
	case 'e':
		t = strconv.FormatFloat(f, 'e', precision, 64)
	default:
		t = generalFloat(f, max(precision, 1), alternate)
	}
	if alternate && !strings.Contains(t, ".") {
		t = pointBeforeExponent(t)
	}
	if c < 'a' {
		t = strings.ToUpper(t)
	}
	return t
}

func pointBeforeExponent(t string) string {
	if i := strings.IndexByte(t, 'e'); i >= 0 {
		return t[:i] + "." + t[i:]
	}
	return t + "."
}

// generalFloat is %g: the shorter of e and f with that many significant digits, without trailing zeros.
func generalFloat(f float64, precision int, keepZeros bool) string {
	exp := decimalExponent(f, precision)
	t, tail := "", ""
	if exp >= -4 && exp < precision {
		t = strconv.FormatFloat(f, 'f', precision-1-exp, 64)
	} else {
		t = strconv.FormatFloat(f, 'e', precision-1, 64)
		i := strings.IndexByte(t, 'e')
		t, tail = t[:i], t[i:]
	}
	if !keepZeros {
		t = trimZeros(t)
	}
	return t + tail
}

// decimalExponent is the power of ten of the first digit, after rounding to precision digits.
func decimalExponent(f float64, precision int) int {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return 0
	}
	e := strconv.FormatFloat(f, 'e', precision-1, 64)
	exp, _ := strconv.Atoi(e[strings.IndexByte(e, 'e')+1:])
	return exp
}

// trimZeros drops zeros at the end of the fraction, and a point without one.
func trimZeros(t string) string {
	if !strings.Contains(t, ".") {
		return t
	}
	return strings.TrimRight(strings.TrimRight(t, "0"), ".")
}

func asciiRepr(t string) string {
	var b strings.Builder
	for _, r := range t {
		switch {
		case r < utf8.RuneSelf:
			b.WriteRune(r)
		case r < 0x100:
			b.WriteString(`\x` + hexDigits(r, 2))
		case r < 0x10000:
			b.WriteString(`\u` + hexDigits(r, 4))
		default:
			b.WriteString(`\U` + hexDigits(r, 8))
		}
	}
	return b.String()
}

func hexDigits(r rune, width int) string {
	h := strconv.FormatInt(int64(r), 16)
	return strings.Repeat("0", width-len(h)) + h
}
