package jinja

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

func filterAbs(s *state, a []Value) Value {
	switch v := a[0].(type) {
	case float64:
		return math.Abs(v)
	case bool, int64, *big.Int:
		n, _ := toBig(v)
		return fromBig(new(big.Int).Abs(n))
	}
	s.wrongType(a[0], "abs", "a number")
	return nil
}

// filterInt is int(v), then int(float(v)), then the default.
func filterInt(s *state, a []Value) Value {
	switch v := a[0].(type) {
	case bool, int64, *big.Int:
		n, _ := toBig(v)
		return fromBig(n)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return a[1]
		}
		return fromBig(s.truncate(v))
	case *Undefined:
		s.failUndefined(v)
	}
	t, ok := text(a[0])
	if !ok {
		return a[1]
	}
	if n, ok := s.parseInt(t, s.wantInt(a[2], "int")); ok {
		return fromBig(n)
	}
	if f, ok := parseFloat(t); ok && !math.IsNaN(f) && !math.IsInf(f, 0) {
		return fromBig(s.truncate(f))
	}
	return a[1]
}

// parseInt reads an integer as Python's int(text, base) does.
func (s *state) parseInt(t string, base int) (*big.Int, bool) {
	t = strings.TrimFunc(t, isSpace)
	if base < 0 || base == 1 || base > 36 || len(t) > 4300 {
		return nil, false
	}
	sign, digits := "", t
	if strings.HasPrefix(t, "+") || strings.HasPrefix(t, "-") {
		sign, digits = t[:1], t[1:]
	}
	if base != 0 && len(digits) > 2 && digits[0] == '0' && prefixBase(digits[1]) == base {
		digits = strings.TrimPrefix(digits[2:], "_")
	}
	if !plainDigits(digits) {
		return nil, false
	}
	if base != 0 {
		digits = strings.ReplaceAll(digits, "_", "")
	}
	if base == 0 && len(strings.Trim(digits, "0_")) > 0 && digits[0] == '0' && prefixBase(digits[1]) == 0 {
		return nil, false
	}
	return new(big.Int).SetString(sign+digits, base)
}

func prefixBase(c byte) int { return map[byte]int{'b': 2, 'o': 8, 'x': 16}[c|0x20] }

// plainDigits: underscores only between digits, no sign.
func plainDigits(t string) bool {
	return t != "" && t[0] != '_' && t[len(t)-1] != '_' && !strings.Contains(t, "__") && !strings.ContainsAny(t, "+-")
}

func filterFloat(s *state, a []Value) Value {
	if u, ok := a[0].(*Undefined); ok {
		s.failUndefined(u)
	}
	if isNumber(a[0]) {
		return s.toFloat(a[0])
	}
	if t, ok := text(a[0]); ok {
		if f, ok := parseFloat(t); ok {
			return f
		}
	}
	return a[1]
}

// parseFloat reads a float as Python's float(text) does: no hexadecimal, underscores only between digits.
func parseFloat(t string) (float64, bool) {
	t = strings.ToLower(strings.TrimFunc(t, isSpace))
	word := strings.TrimLeft(t, "+-")
	if word != "inf" && word != "infinity" && word != "nan" {
		if strings.Trim(t, "0123456789_.e+-") != "" || !underscoresBetweenDigits(t) {
			return 0, false
		}
		t = strings.ReplaceAll(t, "_", "")
	}
	f, err := strconv.ParseFloat(t, 64)
	return f, err == nil || math.IsInf(f, 0)
}

func underscoresBetweenDigits(t string) bool {
	digit := func(i int) bool { return i >= 0 && i < len(t) && t[i] >= '0' && t[i] <= '9' }
	for i := range len(t) {
		if t[i] == '_' && !(digit(i-1) && digit(i+1)) {
			return false
		}
	}
	return true
}

// filterRound rounds half to even in decimal, as Python does; ceil and floor work on the scaled number.
func filterRound(s *state, a []Value) Value {
	method, _ := text(a[2])
	precision := s.wantInt(a[1], "round")
	if !isNumber(a[0]) {
		s.wrongType(a[0], "round", "a number")
	}
	switch method {
	case "common":
		return s.round(a[0], precision)
	case "ceil", "floor":
		scale := s.arithmetic("**", int64(10), int64(precision))
		scaled := s.arithmetic("*", a[0], scale)
		if f, ok := scaled.(float64); ok {
			rounded := map[bool]float64{true: math.Ceil(f), false: math.Floor(f)}[method == "ceil"]
			scaled = fromBig(s.truncate(rounded))
		}
		return s.arithmetic("/", scaled, scale)
	}
	s.failf(RuntimeError, "round: method must be common, ceil or floor")
	return nil
}

func (s *state) round(v Value, precision int) Value {
	f, ok := v.(float64)
	if !ok {
		return s.roundInt(v, precision)
	}
	if math.IsNaN(f) || math.IsInf(f, 0) || precision > 323 {
		return f
	}
	if precision < -308 {
		return math.Copysign(0, f)
	}
	if precision >= 0 {
		r, _ := strconv.ParseFloat(strconv.FormatFloat(f, 'f', precision, 64), 64)
		return r
	}
	scale := math.Pow10(-precision)
	return math.RoundToEven(f/scale) * scale
}

func (s *state) roundInt(v Value, precision int) Value {
	n, _ := toBig(v)
	if precision >= 0 {
		return fromBig(n)
	}
	scale, _ := toBig(s.arithmetic("**", int64(10), int64(-precision)))
	half := new(big.Int).Rsh(scale, 1)
	q, r := new(big.Int).DivMod(n, scale, new(big.Int))
	if c := r.Cmp(half); c > 0 || c == 0 && q.Bit(0) == 1 {
		q.Add(q, big.NewInt(1))
	}
	return fromBig(q.Mul(q, scale))
}

func filterFileSize(s *state, a []Value) Value {
	f, ok := filterFloat(s, []Value{a[0], nil}).(float64)
	if !ok {
		s.wrongType(a[0], "filesizeformat", "a number")
	}
	base, suffix := 1000.0, "B"
	if s.truth(a[1]) {
		base, suffix = 1024, "iB"
	}
	switch {
	case f == 1:
		return "1 Byte"
	case f < base:
		return s.truncate(f).String() + " Bytes"
	}
	units := strings.Split("kMGTPEZY", "")
	if base == 1024 {
		units[0] = "K"
	}
	i := 0
	for f /= base; f >= base && i < len(units)-1; i++ {
		f /= base
	}
	return fmt.Sprintf("%.1f %s%s", f, units[i], suffix)
}
