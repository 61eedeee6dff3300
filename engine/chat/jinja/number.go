package jinja

import (
	"math"
	"math/big"
)

// maxBits bounds integers: 10 ** 10 ** 10 is an error, not an hour.
const maxBits = 1 << 16

// smallInt returns v if it is a bool or an int that fits.
func smallInt(v Value) (int64, bool) {
	switch v := v.(type) {
	case int64:
		return v, true
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

// toBig returns v as a big integer if it is an int or a bool.
func toBig(v Value) (*big.Int, bool) {
	if n, ok := smallInt(v); ok {
		return big.NewInt(n), true
	}
	n, ok := v.(*big.Int)
	return n, ok
}

// fromBig returns n as int64 where it fits.
func fromBig(n *big.Int) Value {
	if n.IsInt64() {
		return n.Int64()
	}
	return n
}

// toExact returns a number without rounding; false for NaN.
func toExact(v Value) (*big.Float, bool) {
	if n, ok := toBig(v); ok {
		return new(big.Float).SetPrec(uint(max(64, n.BitLen()))).SetInt(n), true
	}
	f := v.(float64)
	if math.IsNaN(f) {
		return nil, false
	}
	return new(big.Float).SetFloat64(f), true
}

// toFloat is float(v) for a number; an int beyond the floats is an error.
func (s *state) toFloat(v Value) float64 {
	if n, ok := smallInt(v); ok {
		return float64(n)
	}
	if n, ok := v.(*big.Int); ok {
		f, _ := new(big.Float).SetInt(n).Float64()
		if math.IsInf(f, 0) {
			s.failf(RuntimeError, "int too large to convert to float")
		}
		return f
	}
	return v.(float64)
}

// arithmetic applies + - * / // % ** to two numbers.
func (s *state) arithmetic(op string, a, b Value) Value {
	x, xOK := smallInt(a)
	y, yOK := smallInt(b)
	if xOK && yOK {
		if v, ok := smallArithmetic(op, x, y); ok {
			return v
		}
	}
	_, aFloat := a.(float64)
	_, bFloat := b.(float64)
	if aFloat || bFloat {
		return s.floatArithmetic(op, s.toFloat(a), s.toFloat(b))
	}
	m, _ := toBig(a)
	n, _ := toBig(b)
	return s.bigArithmetic(op, m, n)
}

// smallArithmetic does what cannot overflow.
func smallArithmetic(op string, x, y int64) (Value, bool) {
	const half, exact = 1 << 31, 1 << 53
	switch op {
	case "+":
		r := x + y
		return r, (r > x) == (y > 0)
	case "-":
		r := x - y
		return r, (r < x) == (y > 0)
	case "*":
		return x * y, x > -half && x < half && y > -half && y < half
	case "/":
		if y != 0 && max(x, -x, y, -y) <= exact {
			return float64(x) / float64(y), true
		}
	case "//":
		if y > 0 {
			return floorDiv(x, y), true
		}
	case "%":
		if y > 0 {
			return x - floorDiv(x, y)*y, true
		}
	}
	return nil, false
}

func floorDiv(x, y int64) int64 {
	q := x / y
	if x%y != 0 && (x < 0) != (y < 0) {
		q--
	}
	return q
}

func (s *state) floatArithmetic(op string, x, y float64) Value {
	switch op {
	case "+":
		return x + y
	case "-":
		return x - y
	case "*":
		return x * y
	case "**":
		return s.floatPow(x, y)
	}
	if y == 0 {
		s.failf(RuntimeError, "float division by zero")
	}
	if op == "/" {
		return x / y
	}
	quotient, rest := floorMod(x, y)
	if op == "//" {
		return quotient
	}
	return rest
}

// floorMod is Python's divmod of floats: the rest has the sign of the divisor.
func floorMod(x, y float64) (quotient, rest float64) {
	rest = math.Mod(x, y)
	div := (x - rest) / y
	if rest != 0 && (y < 0) != (rest < 0) {
		rest += y
		div--
	} else if rest == 0 {
		rest = math.Copysign(0, y)
	}
	if div == 0 {
		return math.Copysign(0, x/y), rest
	}
	quotient = math.Floor(div)
	if div-quotient > 0.5 {
		quotient++
	}
	return quotient, rest
}

func (s *state) floatPow(x, y float64) Value {
	if x == 0 && y < 0 {
		s.failf(RuntimeError, "0.0 cannot be raised to a negative power")
	}
	r := math.Pow(x, y)
	finite := !math.IsInf(x, 0) && !math.IsInf(y, 0)
	if finite && math.IsInf(r, 0) {
		s.failf(RuntimeError, "numerical result out of range")
	}
	if finite && math.IsNaN(r) && !math.IsNaN(x) && !math.IsNaN(y) {
		s.failf(RuntimeError, "the power is a complex number")
	}
	return r
}
