package jinja

import "strings"

type (
	binaryExpr struct {
		offset      int
		op          string
		left, right expr
	}
	unaryExpr struct {
		offset int
		op     string
		value  expr
	}
	compareExpr struct {
		offset   int
		first    expr
		ops      []string
		operands []expr
	}
)

func (n *binaryExpr) eval(s *state) Value {
	left, right := s.eval(n.left), s.eval(n.right)
	s.at = n.offset
	return s.binary(n.op, left, right)
}

// binary is Python's arithmetic, with its meaning for texts and lists.
func (s *state) binary(op string, a, b Value) Value {
	for _, v := range [2]Value{a, b} {
		if u, ok := v.(*Undefined); ok {
			s.failOperand(op, u, a)
		}
	}
	if isNumber(a) && isNumber(b) {
		return s.arithmetic(op, a, b)
	}
	var v Value
	switch op {
	case "+":
		v = s.add(a, b)
	case "*":
		v = s.multiply(a, b)
	case "%":
		if _, ok := text(a); ok {
			return s.formatPercent(a, b)
		}
	}
	if v == nil {
		s.failf(RuntimeError, "unsupported operand type(s) for %s: '%s' and '%s'", op, typeName(a), typeName(b))
	}
	return v
}

// failOperand: "..." % undefined is the one operation with an undefined operand that works, as printing does.
func (s *state) failOperand(op string, u *Undefined, left Value) {
	if _, ok := text(left); ok && op == "%" {
		return
	}
	s.failUndefined(u)
}

func (s *state) add(a, b Value) Value {
	if x, ok := text(a); ok {
		y, ok := text(b)
		if !ok {
			s.failf(RuntimeError, "can only concatenate str (not \"%s\") to str", typeName(b))
		}
		return s.addTexts(a, b, x, y)
	}
	switch a := a.(type) {
	case *List:
		if b, ok := b.(*List); ok {
			s.reserve(itemBytes * (len(a.Items) + len(b.Items)))
			return &List{Items: append(append([]Value{}, a.Items...), b.Items...)}
		}
	case Tuple:
		if b, ok := b.(Tuple); ok {
			s.reserve(itemBytes * (len(a) + len(b)))
			return append(append(Tuple{}, a...), b...)
		}
	}
	return nil
}

// addTexts joins two texts; where one is Markup, the other is escaped.
func (s *state) addTexts(a, b Value, x, y string) Value {
	_, left := a.(Markup)
	_, right := b.(Markup)
	switch {
	case left && !right:
		y = s.escape(y)
	case right && !left:
		x = s.escape(x)
	}
	s.reserve(len(x) + len(y))
	if left || right {
		return Markup(x + y)
	}
	return x + y
}

func (s *state) multiply(a, b Value) Value {
	if _, ok := smallInt(a); ok {
		a, b = b, a
	}
	n, ok := smallInt(b)
	if !ok {
		return nil
	}
	times := int(max(n, 0))
	switch a := a.(type) {
	case string, Markup:
		t, _ := text(a)
		s.reserveTimes(len(t), times)
		return like(a, strings.Repeat(t, times))
	case *List:
		return &List{Items: s.repeat(a.Items, times)}
	case Tuple:
		return Tuple(s.repeat(a, times))
	}
	return nil
}

func (s *state) repeat(items []Value, times int) []Value {
	s.reserveTimes(itemBytes*len(items), times)
	out := make([]Value, 0, len(items)*times)
	if len(items) > 0 {
		for range times {
			out = append(out, items...)
		}
	}
	return out
}

func (n *unaryExpr) eval(s *state) Value {
	v := s.eval(n.value)
	s.at = n.offset
	if u, ok := v.(*Undefined); ok {
		s.failUndefined(u)
	}
	if !isNumber(v) {
		s.failf(RuntimeError, "bad operand type for unary %s: '%s'", n.op, typeName(v))
	}
	if f, ok := v.(float64); ok {
		if n.op == "-" {
			return -f
		}
		return f
	}
	return s.arithmetic(n.op, int64(0), v)
}

// eval of a chain a < b < c stops at the first comparison that is false.
func (n *compareExpr) eval(s *state) Value {
	left := s.eval(n.first)
	for i, op := range n.ops {
		right := s.eval(n.operands[i])
		s.at = n.offset
		if !s.compare(op, left, right) {
			return false
		}
		left = right
	}
	return true
}

func (s *state) compare(op string, a, b Value) bool {
	switch op {
	case "==":
		return s.equal(a, b)
	case "!=":
		return !s.equal(a, b)
	case "in":
		return s.contains(b, a)
	case "not in":
		return !s.contains(b, a)
	}
	c, ordered := s.order(a, b, op)
	if !ordered {
		return false
	}
	switch op {
	case "<":
		return c < 0
	case "<=":
		return c <= 0
	case ">":
		return c > 0
	}
	return c >= 0
}

// contains is Python's v in seq.
func (s *state) contains(seq, v Value) bool {
	switch c := seq.(type) {
	case string, Markup:
		t, _ := text(c)
		s.spend(len(t) / bytesPerStep)
		return strings.Contains(t, s.wantText(v, "in <str>"))
	case *Dict:
		return c.find(s.hashKey(v)) >= 0
	case *view:
		if c.kind == 'k' {
			return c.dict.find(s.hashKey(v)) >= 0
		}
	case *rangeValue:
		if isNumber(v) {
			return c.contains(v)
		}
	}
	it, ok := s.tryIter(seq)
	if !ok {
		s.failf(RuntimeError, "argument of type '%s' is not iterable", typeName(seq))
	}
	for x, ok := it.next(); ok; x, ok = it.next() {
		s.spend(1)
		if s.equal(x, v) {
			return true
		}
	}
	return false
}
