package jinja

import (
	"math"
	"math/big"
)

func (s *state) bigArithmetic(op string, m, n *big.Int) Value {
	r := new(big.Int)
	switch op {
	case "+":
		r.Add(m, n)
	case "-":
		r.Sub(m, n)
	case "*":
		s.bits(m.BitLen() + n.BitLen())
		r.Mul(m, n)
	case "**":
		return s.bigPow(m, n)
	default:
		return s.bigDivide(op, m, n)
	}
	s.bits(r.BitLen())
	return fromBig(r)
}

func (s *state) bigDivide(op string, m, n *big.Int) Value {
	if n.Sign() == 0 {
		s.failf(RuntimeError, "%s by zero", map[string]string{"/": "division", "//": "integer division or modulo", "%": "integer modulo"}[op])
	}
	s.spend(m.BitLen() / bytesPerStep)
	if op == "/" {
		s.spend(m.BitLen() + n.BitLen())
		f, _ := new(big.Rat).SetFrac(m, n).Float64()
		if math.IsInf(f, 0) {
			s.failf(RuntimeError, "integer division result too large for a float")
		}
		return f
	}
	q, r := new(big.Int).QuoRem(m, n, new(big.Int))
	if r.Sign() != 0 && r.Sign() != n.Sign() {
		q.Sub(q, big.NewInt(1))
		r.Add(r, n)
	}
	if op == "//" {
		return fromBig(q)
	}
	return fromBig(r)
}

func (s *state) bigPow(m, n *big.Int) Value {
	if n.Sign() < 0 {
		return s.floatPow(s.toFloat(fromBig(m)), s.toFloat(fromBig(n)))
	}
	if m.BitLen() <= 1 { // 0, 1 and -1 take any exponent
		return fromBig(smallPow(m, n))
	}
	if n.BitLen() > 32 {
		s.bits(maxBits + 1)
	}
	s.bits((m.BitLen() - 1) * int(n.Int64()))
	return fromBig(new(big.Int).Exp(m, n, nil))
}

func smallPow(m, n *big.Int) *big.Int {
	switch {
	case n.Sign() == 0:
		return big.NewInt(1)
	case m.Sign() < 0 && n.Bit(0) == 0:
		return big.NewInt(1)
	}
	return m
}

func (s *state) bits(n int) {
	if n > maxBits {
		s.failf(LimitError, "an integer would have more than %d bits", maxBits)
	}
	s.spend(n / bytesPerStep)
}
