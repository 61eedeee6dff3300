package rx

import "encoding/binary"

// multiple is the state of reading a decimal number without sign that has to be a multiple of step / 10^scale.
type multiple struct {
	step  int64
	scale int32
	rest  int64 // of what was read, times 10^(digits of the fraction read), modulo step
	frac  int32 // digits of the fraction read, at most scale; -1 in the integer part
	digit bool  // a digit was read since the beginning or the point
}

// MaxStep bounds the step of a multiple, so that remainders fit a word with one more digit.
const MaxStep = 1 << 59

// Multiple matches decimal numbers without sign, such as 12 or 0.50, that are multiples of step / 10^scale.
// The step is from 1 to MaxStep.
func (a *Arena) Multiple(step int64, scale int) ID {
	for _, b := range []byte("0123456789.") {
		a.Byte(b) // a class of its own
	}
	return a.multiple(multiple{step: step, scale: int32(scale), frac: -1})
}

func (a *Arena) multiple(m multiple) ID {
	return a.intern(node{kind: kindMultiple, multiple: &m, nullable: m.done()})
}

func (m *multiple) appendKey(k []byte) []byte {
	for _, v := range []int64{m.step, int64(m.scale), m.rest, int64(m.frac)} {
		k = binary.LittleEndian.AppendUint64(k, uint64(v))
	}
	if m.digit {
		return append(k, 1)
	}
	return append(k, 0)
}

// done reports whether the number may end here: what is missing of the scale counts as zeros.
func (m *multiple) done() bool {
	r := m.rest
	for i := max(m.frac, 0); i < m.scale && r != 0; i++ {
		r = r * 10 % m.step
	}
	return m.digit && r == 0
}

func (a *Arena) deriveMultiple(m *multiple, b byte) ID {
	n := *m
	switch {
	case b == '.' && m.frac < 0 && m.digit:
		n.frac, n.digit = 0, false
	case b < '0' || b > '9':
		return Nothing
	case m.frac >= 0 && m.frac == m.scale:
		if b != '0' || m.rest != 0 {
			return Nothing
		}
		n.digit = true
	default:
		n.rest, n.digit = (m.rest*10+int64(b-'0'))%m.step, true
		if m.frac >= 0 {
			n.frac++
		}
	}
	return a.multiple(n)
}
