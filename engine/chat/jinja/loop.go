package jinja

// loop is the variable of that name inside a for loop.
type loop struct {
	node     *forNode
	iterable Value
	it       *iterator
	scope    *scope // around the loop
	index0   int
	depth0   int
	length   int // -1: not known yet
	current  Value
	previous Value
	ahead    Value // the next item, when hasAhead
	hasAhead bool
	changed  []Value // of the last call of loop.changed
	asked    bool    // loop.changed was called
}

// advance moves to the next item.
func (l *loop) advance() (Value, bool) {
	v, ok := l.peek()
	if !ok {
		return nil, false
	}
	l.ahead, l.hasAhead = nil, false
	l.index0++
	l.previous, l.current = l.current, v
	return v, true
}

func (l *loop) peek() (Value, bool) {
	if !l.hasAhead {
		l.ahead, l.hasAhead = l.it.next()
	}
	return l.ahead, l.hasAhead
}

// size is loop.length; a sequence without a length is read to its end.
func (l *loop) size(s *state) int {
	if l.length >= 0 {
		return l.length
	}
	if n, ok := s.size(l.iterable); ok {
		l.length = n
		return n
	}
	rest := s.items(l.it)
	l.it = &iterator{items: rest}
	l.length = len(rest) + l.index0 + 1
	if l.hasAhead {
		l.length++
	}
	return l.length
}

func (l *loop) attr(s *state, name string) (Value, bool) {
	switch name {
	case "index":
		return int64(l.index0 + 1), true
	case "index0":
		return int64(l.index0), true
	case "first":
		return l.index0 == 0, true
	case "last":
		_, more := l.peek()
		return !more, true
	case "length":
		return int64(l.size(s)), true
	case "revindex":
		return int64(l.size(s) - l.index0), true
	case "revindex0":
		return int64(l.size(s) - l.index0 - 1), true
	case "depth":
		return int64(l.depth0 + 1), true
	case "depth0":
		return int64(l.depth0), true
	}
	return l.neighbour(name)
}

func (l *loop) neighbour(name string) (Value, bool) {
	switch name {
	case "previtem":
		if l.index0 == 0 {
			return &Undefined{name: name, hint: "there is no previous item"}, true
		}
		return l.previous, true
	case "nextitem":
		if v, ok := l.peek(); ok {
			return v, true
		}
		return &Undefined{name: name, hint: "there is no next item"}, true
	case "cycle":
		return &method{l, loopCycle}, true
	case "changed":
		return &method{l, loopChanged}, true
	}
	return nil, false
}

var loopCycle = rawFn("loop.cycle", func(s *state, a *callArgs) Value {
	values := a.pos[1:]
	if len(values) == 0 {
		s.failf(RuntimeError, "no items for cycling given")
	}
	return values[a.pos[0].(*loop).index0%len(values)]
})

var loopChanged = rawFn("loop.changed", func(s *state, a *callArgs) Value {
	l, values := a.pos[0].(*loop), a.pos[1:]
	if l.asked && s.equalItems(l.changed, values) {
		return false
	}
	l.changed, l.asked = append([]Value(nil), values...), true
	return true
})

// call is loop(items) in a recursive loop: the body once more over the items, as text.
func (l *loop) call(s *state, a *callArgs) Value {
	if !l.node.recursive {
		s.failf(RuntimeError, "The loop must have the 'recursive' marker to be called recursively.")
	}
	if len(a.pos) != 1 || len(a.names) > 0 {
		s.failf(RuntimeError, "loop takes one argument, got %d", len(a.pos)+len(a.names))
	}
	s.enter()
	at, saved := s.at, s.scope
	s.scope = l.scope
	text := s.capture(func() { l.node.run(s, a.pos[0], l.depth0+1) })
	s.scope, s.at = saved, at
	s.leave()
	return text
}
