package jinja

// scope holds the variables of a loop iteration, macro call, call block or with block. Names are small integers that
// the parser gave out; a scope has few, so that a linear search is the fastest.
type scope struct {
	vars   []binding
	parent *scope
	depth  int // how many are around it
}

func newScope(parent *scope) *scope {
	if parent == nil {
		return &scope{}
	}
	return &scope{parent: parent, depth: parent.depth + 1}
}

type binding struct {
	symbol int
	value  Value
}

// unset marks a template-wide variable that nobody has given a value.
type unset struct{}

func (s *state) push() *scope {
	s.scope = newScope(s.scope)
	return s.scope
}

func (s *state) pop() { s.scope = s.scope.parent }

// lookup returns the value of a variable, searching outwards.
func (s *state) lookup(symbol int) (Value, bool) {
	for sc := s.scope; sc != nil; sc = sc.parent {
		if len(sc.vars) > 16 || sc.depth > 16 {
			s.spend(len(sc.vars)/16 + 1)
		}
		for i := range sc.vars {
			if sc.vars[i].symbol == symbol {
				return sc.vars[i].value, true
			}
		}
	}
	v := s.root[symbol]
	_, missing := v.(unset)
	return v, !missing
}

// assign sets a variable in the innermost scope.
func (s *state) assign(symbol int, v Value) {
	if s.scope == nil {
		s.root[symbol] = v
		return
	}
	s.spend(len(s.scope.vars) / 16)
	s.scope.set(symbol, v)
}

func (sc *scope) set(symbol int, v Value) {
	for i := range sc.vars {
		if sc.vars[i].symbol == symbol {
			sc.vars[i].value = v
			return
		}
	}
	sc.vars = append(sc.vars, binding{symbol, v})
}
