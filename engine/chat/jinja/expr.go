package jinja

// expr is an expression.
type expr interface{ eval(s *state) Value }

// eval evaluates an expression, counting steps and depth.
func (s *state) eval(n expr) Value {
	s.fuel--
	if s.fuel < 0 {
		s.refuel()
	}
	s.enter()
	v := n.eval(s)
	s.leave()
	return v
}

type (
	constExpr struct{ value Value }
	nameExpr  struct {
		name   string
		symbol int
	}
	listExpr  struct{ items []expr }
	tupleExpr struct{ items []expr }
	dictExpr  struct {
		offset       int
		keys, values []expr
	}
	condExpr struct {
		test, then expr
		orElse     expr // nil: undefined
	}
	logicExpr struct { // and, or
		or          bool
		left, right expr
	}
	notExpr  struct{ value expr }
	attrExpr struct {
		offset int
		object expr
		name   string
	}
	itemExpr struct {
		offset int
		object expr
		key    expr
	}
	sliceExpr  struct{ start, stop, step expr } // each may be nil
	concatExpr struct {
		offset int
		parts  []expr
	}
)

func (n *constExpr) eval(*state) Value { return n.value }

func (n *nameExpr) eval(s *state) Value {
	if v, ok := s.lookup(n.symbol); ok {
		return v
	}
	return &Undefined{name: n.name}
}

func (s *state) evalAll(exprs []expr) []Value {
	s.reserve(itemBytes * len(exprs))
	values := make([]Value, len(exprs))
	for i, e := range exprs {
		values[i] = s.eval(e)
	}
	return values
}

func (n *listExpr) eval(s *state) Value { return &List{Items: s.evalAll(n.items)} }

func (n *tupleExpr) eval(s *state) Value { return Tuple(s.evalAll(n.items)) }

func (n *dictExpr) eval(s *state) Value {
	s.reserve(3 * itemBytes * len(n.keys))
	d := NewDict()
	for i := range n.keys {
		key, value := s.eval(n.keys[i]), s.eval(n.values[i])
		s.at = n.offset
		d.put(s.hashKey(key), key, value)
	}
	return d
}

func (n *condExpr) eval(s *state) Value {
	switch {
	case s.truth(s.eval(n.test)):
		return s.eval(n.then)
	case n.orElse != nil:
		return s.eval(n.orElse)
	}
	return &Undefined{hint: "the inline if-expression evaluated to false and no else section was defined."}
}

func (n *logicExpr) eval(s *state) Value {
	left := s.eval(n.left)
	if s.truth(left) == n.or {
		return left
	}
	return s.eval(n.right)
}

func (n *notExpr) eval(s *state) Value { return !s.truth(s.eval(n.value)) }

func (n *attrExpr) eval(s *state) Value {
	object := s.eval(n.object)
	s.at = n.offset
	return s.getAttr(object, n.name)
}

func (n *itemExpr) eval(s *state) Value {
	object := s.eval(n.object)
	key := s.eval(n.key)
	s.at = n.offset
	return s.getItem(object, key)
}

func (n *sliceExpr) eval(s *state) Value {
	part := func(e expr) Value {
		if e == nil {
			return nil
		}
		return s.eval(e)
	}
	return sliceValue{part(n.start), part(n.stop), part(n.step)}
}

func (n *concatExpr) eval(s *state) Value {
	parts := make([]string, len(n.parts))
	size := 0
	for i, e := range n.parts {
		parts[i] = s.str(s.eval(e))
		size += len(parts[i])
	}
	s.at = n.offset
	return s.join(parts, "")
}
