package jinja

// macro is a function that a template defined, or the body of a call block.
type macro struct {
	node  *macroNode
	scope *scope // where it was defined
}

// macroNode is the definition: {% macro name(params) %} or {% call(params) f() %}.
type macroNode struct {
	offset   int
	name     string // empty for a call block
	symbol   int
	params   []macroParam
	body     []stmt
	caller   bool // the body uses caller, kwargs, varargs
	kwargs   bool
	varargs  bool
	special  [3]int // symbols of these three
	explicit bool   // caller is one of the parameters
}

type macroParam struct {
	name   string
	symbol int
	value  expr // default, or nil
}

func (m *macro) describe() string {
	if m.node.name == "" {
		return "anonymous"
	}
	return "'" + m.node.name + "'"
}

func (m *macro) attr(name string) (Value, bool) {
	switch name {
	case "name":
		if m.node.name == "" {
			return nil, true
		}
		return m.node.name, true
	case "arguments":
		names := []Value{}
		for _, p := range m.node.params {
			names = append(names, p.name)
		}
		return Tuple(names), true
	case "catch_kwargs":
		return m.node.kwargs, true
	case "catch_varargs":
		return m.node.varargs, true
	case "caller":
		return m.node.caller, true
	}
	return nil, false
}

// call runs the body with the arguments bound and returns what it wrote.
func (m *macro) call(s *state, a *callArgs) Value {
	s.enter()
	at, saved := s.at, s.scope
	own := newScope(m.scope)
	args := *a
	values := m.take(s, &args)
	s.scope = own
	m.bind(s, own, values)
	m.bindSpecial(s, own, &args)
	text := s.capture(func() { s.exec(m.node.body) })
	s.scope, s.at = saved, at
	s.leave()
	return text
}

// take fetches the parameters' values from the arguments; unset where there is none.
func (m *macro) take(s *state, a *callArgs) []Value {
	values := make([]Value, len(m.node.params))
	for i, p := range m.node.params {
		values[i] = unset{}
		if i < len(a.pos) {
			values[i] = a.pos[i]
		} else if v, ok := a.take(s, p.name); ok {
			values[i] = v
		}
	}
	a.pos = a.pos[min(len(a.pos), len(values)):]
	return values
}

// bind sets the parameters in order, so that a default can use those before it.
func (m *macro) bind(s *state, own *scope, values []Value) {
	for i, p := range m.node.params {
		v := values[i]
		if _, missing := v.(unset); missing {
			v = m.absent(s, p)
		}
		own.set(p.symbol, v)
	}
}

func (m *macro) absent(s *state, p macroParam) Value {
	if p.value != nil {
		return s.eval(p.value)
	}
	return &Undefined{name: p.name, hint: "parameter '" + p.name + "' was not provided"}
}

// bindSpecial sets caller, kwargs and varargs where the body uses them; leftovers are errors where it does not.
func (m *macro) bindSpecial(s *state, own *scope, a *callArgs) {
	n := m.node
	if n.caller && !n.explicit {
		v, ok := a.take(s, "caller")
		if !ok || v == nil {
			v = &Undefined{name: "caller", hint: "No caller defined"}
		}
		own.set(n.special[0], v)
	}
	if n.kwargs {
		own.set(n.special[1], a.dict())
	} else if len(a.names) > 0 {
		s.failf(RuntimeError, "macro %s takes no keyword argument '%s'", m.describe(), a.names[0])
	}
	if n.varargs {
		own.set(n.special[2], Tuple(append([]Value(nil), a.pos...)))
	} else if len(a.pos) > 0 {
		s.failf(RuntimeError, "macro %s takes not more than %d argument(s)", m.describe(), len(n.params))
	}
}
