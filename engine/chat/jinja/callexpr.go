package jinja

// arguments are the argument expressions of a call, filter or test.
type arguments struct {
	pos   []expr
	names []string
	named []expr
	star  expr // *args, or nil
	dstar expr // **kwargs, or nil
}

type (
	callExpr struct {
		offset int
		callee expr
		args   arguments
	}
	filterExpr struct {
		offset int
		input  expr // nil in a block's chain of filters
		name   string
		filter *builtin // nil: there is none of that name
		args   arguments
	}
	testExpr struct {
		offset int
		input  expr
		name   string
		test   *builtin // nil: there is none of that name
		args   arguments
	}
)

// eval evaluates the arguments; positional ones follow the values in front.
func (a *arguments) eval(s *state, front ...Value) *callArgs {
	args := &callArgs{pos: make([]Value, len(front), len(front)+len(a.pos)), names: a.names}
	copy(args.pos, front)
	for _, e := range a.pos {
		args.pos = append(args.pos, s.eval(e))
	}
	if len(a.named) > 0 {
		args.named = make([]Value, len(a.named))
		for i, e := range a.named {
			args.named[i] = s.eval(e)
		}
	}
	if a.star != nil {
		args.pos = append(args.pos, s.items(s.eval(a.star))...)
	}
	if a.dstar != nil {
		a.spread(s, args)
	}
	args.names = args.names[:len(args.names):len(args.names)] // appending to it must not write into the template
	return args
}

// spread adds **kwargs.
func (a *arguments) spread(s *state, args *callArgs) {
	d, ok := s.eval(a.dstar).(*Dict)
	if !ok {
		s.failf(RuntimeError, "the argument after ** must be a mapping")
	}
	args.names = append([]string(nil), args.names...)
	for i := range d.entries {
		name := s.wantText(d.entries[i].key, "keywords after **")
		s.spend(1 + len(args.names)/4)
		if contains(args.names, name) {
			s.failf(RuntimeError, "got multiple values for keyword argument '%s'", name)
		}
		args.names = append(args.names, name)
		args.named = append(args.named, d.entries[i].value)
	}
}

func contains(names []string, name string) bool {
	for _, n := range names {
		if n == name {
			return true
		}
	}
	return false
}

// prepare evaluates what is called and with what.
func (n *callExpr) prepare(s *state) (Value, *callArgs) {
	f := s.eval(n.callee)
	return f, n.args.eval(s)
}

func (n *callExpr) eval(s *state) Value {
	f, args := n.prepare(s)
	s.at = n.offset
	return s.call(f, args)
}

func (n *filterExpr) eval(s *state) Value { return n.apply(s, s.eval(n.input)) }

func (n *filterExpr) apply(s *state, v Value) Value {
	if n.filter == nil {
		s.at = n.offset
		s.failf(RuntimeError, "No filter named '%s'.", n.name)
	}
	if n.filter.raw == nil && len(n.args.pos) == 0 && len(n.filter.params) == 1 && n.args.plain() {
		s.at = n.offset
		return n.filter.bound(s, []Value{v})
	}
	args := n.args.eval(s, v)
	s.at = n.offset
	return n.filter.invoke(s, args)
}

// plain reports that all arguments are positional.
func (a *arguments) plain() bool { return len(a.names) == 0 && a.star == nil && a.dstar == nil }

func (n *testExpr) eval(s *state) Value {
	v := s.eval(n.input)
	s.at = n.offset
	if n.test == nil {
		s.failf(RuntimeError, "No test named '%s'.", n.name)
	}
	args := n.args.eval(s, v)
	s.at = n.offset
	return s.truth(n.test.invoke(s, args))
}

// filterNamed and testNamed are for filters that take the name of another, like map and select.
func (s *state) filterNamed(v Value) *builtin {
	name, _ := text(v)
	if b, ok := filters[name]; ok {
		return b
	}
	s.failf(RuntimeError, "No filter named '%s'.", s.str(v))
	return nil
}

func (s *state) testNamed(v Value) *builtin {
	name, _ := text(v)
	if b, ok := tests[name]; ok {
		return b
	}
	s.failf(RuntimeError, "No test named '%s'.", s.str(v))
	return nil
}
