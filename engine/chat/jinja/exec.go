package jinja

// stmt is a statement. exec tells whether break or continue ended the surrounding list.
type stmt interface{ exec(s *state) control }

type control int

const (
	next control = iota
	breakLoop
	continueLoop
)

// exec runs a list of statements.
func (s *state) exec(body []stmt) control {
	s.enter()
	for _, n := range body {
		s.spend(1)
		if c := n.exec(s); c != next {
			s.leave()
			return c
		}
	}
	s.leave()
	return next
}

// scoped runs a list of statements in a scope of its own.
func (s *state) scoped(body []stmt) control {
	s.push()
	c := s.exec(body)
	s.pop()
	return c
}

type (
	textNode   struct{ text string }
	outputNode struct{ value expr }
	ifNode     struct {
		tests  []expr
		bodies [][]stmt // one more than tests when there is an else
	}
	setNode struct {
		target target
		value  expr
	}
	setBlockNode struct {
		target  target
		filters []*filterExpr
		body    []stmt
	}
	filterNode struct { // {% filter ... %}
		filters []*filterExpr
		body    []stmt
	}
	callNode struct { // {% call f() %}
		call  *callExpr
		block *macroNode
	}
	withNode struct {
		targets []target
		values  []expr
		body    []stmt
	}
	scopeNode struct{ body []stmt } // {% generation %}
	jumpNode  struct{ control control }
)

func (n *textNode) exec(s *state) control {
	s.write(n.text)
	return next
}

func (n *outputNode) exec(s *state) control {
	s.write(s.str(s.eval(n.value)))
	return next
}

func (n *ifNode) exec(s *state) control {
	for i, test := range n.tests {
		if s.truth(s.eval(test)) {
			return s.exec(n.bodies[i])
		}
	}
	if len(n.bodies) > len(n.tests) {
		return s.exec(n.bodies[len(n.tests)])
	}
	return next
}

func (n *setNode) exec(s *state) control {
	n.target.assign(s, s.eval(n.value))
	return next
}

func (n *setBlockNode) exec(s *state) control {
	text, c := s.block(n.filters, n.body)
	if c == next {
		n.target.assign(s, text)
	}
	return c
}

// block runs a body and puts what it wrote through filters.
func (s *state) block(filters []*filterExpr, body []stmt) (Value, control) {
	var c control
	s.push()
	var v Value = s.capture(func() { c = s.exec(body) })
	if c == next {
		for _, f := range filters {
			v = f.apply(s, v)
		}
	}
	s.pop()
	return v, c
}

func (n *filterNode) exec(s *state) control {
	v, c := s.block(n.filters, n.body)
	if c == next {
		s.write(s.str(v))
	}
	return c
}

func (n *macroNode) exec(s *state) control {
	s.assign(n.symbol, &macro{n, s.scope})
	return next
}

func (n *callNode) exec(s *state) control {
	f, args := n.call.prepare(s)
	args.names = append(args.names, "caller")
	args.named = append(args.named, &macro{n.block, s.scope})
	s.at = n.call.offset
	s.write(s.str(s.call(f, args)))
	return next
}

func (n *withNode) exec(s *state) control {
	values := make([]Value, len(n.values))
	for i, v := range n.values {
		values[i] = s.eval(v)
	}
	s.push()
	for i, t := range n.targets {
		t.assign(s, values[i])
	}
	c := s.exec(n.body)
	s.pop()
	return c
}

func (n *scopeNode) exec(s *state) control { return s.scoped(n.body) }

func (n *jumpNode) exec(s *state) control { return n.control }

// printNode is {% print a, b %}.
type printNode struct{ values []expr }

func (n *printNode) exec(s *state) control {
	for _, v := range n.values {
		s.write(s.str(s.eval(v)))
	}
	return next
}
