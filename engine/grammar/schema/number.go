package schema

import (
	"errors"
	"math/big"
	"strconv"
	"strings"

	"github.com/llamakit/llamakit/engine/grammar/rx"
)

// numbers is the languages of JSON numbers. Those with bounds are decimals without exponent and without negative zero, so
// that their complement can be taken.
type numbers struct {
	*rx.Arena
	any      rx.ID // with exponent
	decimal  rx.ID
	integer  rx.ID // without fraction
	integral rx.ID // with a fraction of zeros
	fraction rx.ID // point and digits
	digits   rx.ID
	nonzero  rx.ID // no sign
	unsigned rx.ID
}

func newNumbers(a *rx.Arena) *numbers {
	n := &numbers{Arena: a}
	digit, minus := a.Span('0', '9'), a.Opt(a.Byte('-'))
	n.digits = a.Star(digit)
	whole := a.Alt(a.Byte('0'), a.Cat(a.Span('1', '9'), n.digits))
	n.fraction = a.Cat(a.Byte('.'), digit, n.digits)
	n.unsigned = a.Cat(whole, a.Opt(n.fraction))
	n.nonzero = n.above(decimal{}, true)
	n.decimal = a.Alt(n.unsigned, a.Cat(a.Byte('-'), n.nonzero))
	n.integer = a.Alt(a.Byte('0'), a.Cat(minus, a.Span('1', '9'), n.digits))
	n.integral = a.Cat(n.integer, a.Opt(a.Cat(a.Byte('.'), a.Byte('0'), a.Star(a.Byte('0')))))
	exponent := a.Cat(a.Alt(a.Byte('e'), a.Byte('E')), a.Opt(a.Alt(a.Byte('+'), a.Byte('-'))), a.Repeat(digit, 1, 2))
	n.any = a.Cat(minus, whole, a.Opt(n.fraction), a.Opt(exponent))
	return n
}

// and intersects; the language of all numbers is its neutral element.
func (n *numbers) and(x, y rx.ID) rx.ID {
	switch {
	case x == n.any:
		return y
	case y == n.any:
		return x
	}
	return n.And(x, y)
}

// not returns the decimals that are not in e.
func (n *numbers) not(e rx.ID) rx.ID {
	if e == n.any {
		return rx.Nothing
	}
	return n.And(n.decimal, n.Not(e))
}

// decimal is a number written out. The parts have no zeros that mean nothing; zero has no digits.
type decimal struct {
	minus       bool
	whole, frac string
}

// maxDigits bounds the digits of a number in a schema.
const maxDigits = 400

func parseDecimal(s string) (decimal, error) {
	var d decimal
	s, d.minus = strings.CutPrefix(s, "-")
	s, exp, _ := strings.Cut(strings.ToLower(s), "e")
	whole, frac, _ := strings.Cut(s, ".")
	shift := 0
	if exp != "" {
		var err error
		if shift, err = strconv.Atoi(exp); err != nil || max(shift, -shift) > maxDigits {
			return d, errors.New("the exponent is too large")
		}
	}
	point := len(whole) + shift
	digits := whole + frac
	if point < 0 {
		digits, point = strings.Repeat("0", -point)+digits, 0
	}
	if point > len(digits) {
		digits += strings.Repeat("0", point-len(digits))
	}
	d.whole, d.frac = strings.TrimLeft(digits[:point], "0"), strings.TrimRight(digits[point:], "0")
	if len(d.whole)+len(d.frac) > 2*maxDigits {
		return d, errors.New("the number has too many digits")
	}
	if d.whole == "" && d.frac == "" {
		d.minus = false
	}
	return d, nil
}

func (d decimal) String() string {
	s := d.whole
	if s == "" {
		s = "0"
	}
	if d.minus {
		s = "-" + s
	}
	if d.frac != "" {
		s += "." + d.frac
	}
	return s
}

// atLeast returns the decimals from d on, without d itself when strict; atMost those up to d.
func (n *numbers) atLeast(d decimal, strict bool) rx.ID {
	if d.minus {
		return n.Alt(n.unsigned, n.Cat(n.Byte('-'), n.And(n.nonzero, n.below(d, strict))))
	}
	return n.above(d, strict)
}

func (n *numbers) atMost(d decimal, strict bool) rx.ID {
	if d.minus {
		return n.Cat(n.Byte('-'), n.above(d, strict))
	}
	return n.Alt(n.below(d, strict), n.Cat(n.Byte('-'), n.nonzero))
}

// above returns the numbers without sign that are greater than d's magnitude or, unless strict, equal.
func (n *numbers) above(d decimal, strict bool) rx.ID {
	whole, rest := d.whole, n.Opt(n.fraction)
	if whole == "" {
		whole = "0"
	}
	size := len(whole)
	alts := []rx.ID{n.Cat(n.Span('1', '9'), n.Repeat(n.Span('0', '9'), size, rx.Unbounded), rest)}
	for i := range size {
		if whole[i] < '9' {
			alts = append(alts, n.Cat(n.Literal(whole[:i]), n.Span(whole[i]+1, '9'), n.Repeat(n.Span('0', '9'), size-i-1, size-i-1), rest))
		}
	}
	frac := n.Cat(n.Byte('.'), n.fracAbove(d.frac, strict, true))
	if d.frac == "" && !strict {
		frac = n.Opt(frac)
	}
	return n.Alt(append(alts, n.Cat(n.Literal(whole), frac))...)
}

// fracAbove returns the digits after the point, at least one when first, that are greater than f.
func (n *numbers) fracAbove(f string, strict, first bool) rx.ID {
	switch {
	case f == "" && strict:
		return n.Cat(n.Star(n.Byte('0')), n.Span('1', '9'), n.digits)
	case f == "" && first:
		return n.Cat(n.Span('0', '9'), n.digits)
	case f == "":
		return n.digits
	}
	same := n.Cat(n.Byte(f[0]), n.fracAbove(f[1:], strict, false))
	if f[0] == '9' {
		return same
	}
	return n.Alt(same, n.Cat(n.Span(f[0]+1, '9'), n.digits))
}

// below returns the numbers without sign that are less than d's magnitude or, unless strict, equal.
func (n *numbers) below(d decimal, strict bool) rx.ID {
	whole, rest := d.whole, n.Opt(n.fraction)
	if whole == "" {
		whole = "0"
	}
	size := len(whole)
	var alts []rx.ID
	if size > 1 {
		alts = append(alts, n.Cat(n.Byte('0'), rest), n.Cat(n.Span('1', '9'), n.Repeat(n.Span('0', '9'), 0, size-2), rest))
	}
	for i := range size {
		least := byte('0')
		if i == 0 && size > 1 {
			least = '1'
		}
		if whole[i] > least {
			alts = append(alts, n.Cat(n.Literal(whole[:i]), n.Span(least, whole[i]-1), n.Repeat(n.Span('0', '9'), size-i-1, size-i-1), rest))
		}
	}
	frac := n.Cat(n.Byte('.'), n.fracBelow(d.frac, strict, true))
	if d.frac != "" || !strict {
		frac = n.Opt(frac)
	}
	return n.Alt(append(alts, n.Cat(n.Literal(whole), frac))...)
}

func (n *numbers) fracBelow(f string, strict, first bool) rx.ID {
	if f == "" {
		switch zeros := n.Star(n.Byte('0')); {
		case strict:
			return rx.Nothing
		case first:
			return n.Cat(n.Byte('0'), zeros)
		default:
			return zeros
		}
	}
	alts := []rx.ID{n.Cat(n.Byte(f[0]), n.fracBelow(f[1:], strict, false))}
	if f[0] > '0' {
		alts = append(alts, n.Cat(n.Span('0', f[0]-1), n.digits))
	}
	if !first {
		alts = append(alts, rx.Empty)
	}
	return n.Alt(alts...)
}

// equal returns the spellings of d: with zeros that mean nothing when all is set.
func (n *numbers) equal(d decimal, all bool) rx.ID {
	if !all {
		return n.Literal(d.String())
	}
	zeros := n.Star(n.Byte('0'))
	if d.frac == "" {
		return n.Cat(n.Literal(d.String()), n.Opt(n.Cat(n.Byte('.'), n.Byte('0'), zeros)))
	}
	return n.Cat(n.Literal(d.String()), zeros)
}

// multipleOf returns the decimals that are multiples of d.
func (n *numbers) multipleOf(d decimal) (rx.ID, error) {
	step, ok := new(big.Int).SetString(d.whole+d.frac, 10)
	switch {
	case !ok || d.minus:
		return 0, errors.New("the step is not greater than 0")
	case !step.IsInt64() || step.Int64() > rx.MaxStep:
		return 0, errors.New("the step has too many digits")
	}
	return n.And(n.decimal, n.Cat(n.Opt(n.Byte('-')), n.Multiple(step.Int64(), len(d.frac)))), nil
}
