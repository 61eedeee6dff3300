package jinja

// filterMap applies a filter to every element, or takes an attribute of it.
func filterMap(s *state, a *callArgs) Value {
	it := s.mapped(a)
	apply := s.mapping(&callArgs{a.pos[1:], a.names, a.named})
	return s.generator(func() (Value, bool) {
		v, ok := it.next()
		if !ok {
			return nil, false
		}
		s.spend(1)
		return apply(v), true
	})
}

// mapped is the iterable of map; what is false counts as empty.
func (s *state) mapped(a *callArgs) *iterator {
	if !s.truth(a.pos[0]) {
		return &iterator{}
	}
	return s.iter(a.pos[0])
}

func (s *state) mapping(a *callArgs) func(Value) Value {
	if len(a.pos) > 0 {
		filter, rest := s.filterNamed(a.pos[0]), a.pos[1:]
		return func(v Value) Value { return filter.invoke(s, s.withValue(v, rest, a)) }
	}
	attribute, ok := a.take(s, "attribute")
	if !ok {
		s.failf(RuntimeError, "map requires a filter argument")
	}
	fallback, _ := a.take(s, "default")
	if len(a.names) > 0 {
		s.failf(RuntimeError, "map: Unexpected keyword argument '%s'", a.names[0])
	}
	return s.getter(attribute, fallback)
}

// withValue puts v in front of arguments that are used again and again.
func (s *state) withValue(v Value, rest []Value, a *callArgs) *callArgs {
	return &callArgs{append([]Value{v}, rest...), a.names, a.named}
}

// selecting makes select, reject and their variants that test an attribute. Elements pass when the test, or their own
// truth without one, is as wanted.
func selecting(wanted, byAttribute bool) func(*state, *callArgs) Value {
	return func(s *state, a *callArgs) Value {
		it := s.mapped(a)
		rest := a.pos[1:]
		get := s.getter(nil, nil)
		if byAttribute {
			if len(rest) == 0 {
				s.failf(RuntimeError, "Missing parameter for attribute name")
			}
			get, rest = s.getter(rest[0], nil), rest[1:]
		}
		holds := s.predicate(rest, a)
		return s.generator(func() (Value, bool) {
			for v, ok := it.next(); ok; v, ok = it.next() {
				s.spend(1)
				if holds(get(v)) == wanted {
					return v, true
				}
			}
			return nil, false
		})
	}
}

func (s *state) predicate(rest []Value, a *callArgs) func(Value) bool {
	if len(rest) == 0 {
		return s.truth
	}
	test := s.testNamed(rest[0])
	return func(v Value) bool { return s.truth(test.invoke(s, s.withValue(v, rest[1:], a))) }
}
