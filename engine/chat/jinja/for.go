package jinja

// forNode is {% for target in iterable if test recursive %} body {% else %} orElse {% endfor %}.
type forNode struct {
	offset    int
	target    target
	iterable  expr
	test      expr // nil: every item
	recursive bool
	body      []stmt
	orElse    []stmt
	symbol    int  // of the variable loop
	captures  bool // the body defines macros, which keep the scope of their iteration
}

func (n *forNode) exec(s *state) control {
	n.run(s, s.eval(n.iterable), 0)
	return next
}

// run walks one iterable; a recursive loop comes here again from its body.
func (n *forNode) run(s *state, iterable Value, depth0 int) {
	s.at = n.offset
	l := &loop{node: n, iterable: iterable, it: s.iter(iterable), scope: s.scope, index0: -1, depth0: depth0, length: -1}
	if n.test != nil {
		l.it = n.filtered(s, l.it)
		l.iterable = l.it
	}
	outer := s.scope
	s.stack = append(s.stack, nil)
	own := newScope(outer)
	finished := false // a body ran to its end; Jinja2 takes the else branch also when break or continue cut all short
	for item, ok := l.advance(); ok; item, ok = l.advance() {
		s.spend(1)
		if n.captures {
			own = newScope(outer)
		}
		own.vars = own.vars[:0]
		c := n.step(s, own, l, item)
		if c == breakLoop {
			break
		}
		finished = finished || c == next
	}
	s.scope = outer
	s.stack = s.stack[:len(s.stack)-1]
	if !finished && n.orElse != nil {
		s.scoped(n.orElse)
	}
}

// step runs the body for one item.
func (n *forNode) step(s *state, own *scope, l *loop, item Value) control {
	s.scope = own
	s.stack[len(s.stack)-1] = item
	s.at = n.offset
	own.set(n.symbol, l)
	n.target.assign(s, item)
	return s.exec(n.body)
}

// filtered passes on the items for which the test holds, each tested when it is asked for.
func (n *forNode) filtered(s *state, it *iterator) *iterator {
	own := newScope(s.scope)
	return s.generator(func() (Value, bool) {
		for item, ok := it.next(); ok; item, ok = it.next() {
			s.spend(1)
			if n.holds(s, own, item) {
				return item, true
			}
		}
		return nil, false
	})
}

func (n *forNode) holds(s *state, own *scope, item Value) bool {
	saved := s.scope
	s.scope = own
	own.vars = own.vars[:0]
	n.target.assign(s, item)
	ok := s.truth(s.eval(n.test))
	s.scope = saved
	return ok
}

// target is what set, for and with assign to.
type target interface{ assign(s *state, v Value) }

type (
	nameTarget  struct{ symbol int }
	tupleTarget struct {
		offset int
		parts  []target
	}
	nsTarget struct { // ns.attr
		offset int
		object *nameExpr
		attr   string
	}
)

func (t *nameTarget) assign(s *state, v Value) { s.assign(t.symbol, v) }

func (t *tupleTarget) assign(s *state, v Value) {
	s.at = t.offset
	items := s.firstItems(v, len(t.parts))
	if len(items) != len(t.parts) {
		s.failf(RuntimeError, "cannot unpack %d values into %d names", len(items), len(t.parts))
	}
	for i, p := range t.parts {
		p.assign(s, items[i])
	}
}

// firstItems returns the elements of v, but not many more than n.
func (s *state) firstItems(v Value, n int) []Value {
	it := s.iter(v)
	items := make([]Value, 0, n)
	for x, ok := it.next(); ok && len(items) <= n; x, ok = it.next() {
		items = append(items, x)
	}
	return items
}

func (t *nsTarget) assign(s *state, v Value) {
	object, ok := s.eval(t.object).(*namespace)
	s.at = t.offset
	if !ok {
		s.failf(RuntimeError, "cannot assign attribute on non-namespace object")
	}
	object.attrs.Set(t.attr, v)
}
