package jinja

import "math/big"

// maxRange is the longest range that Jinja2's sandbox allows.
const maxRange = 100_000

// globals are the functions that every template has.
var globals map[string]Value

func init() {
	globals = map[string]Value{
		"range":           rawFn("range", makeRange),
		"dict":            rawFn("dict", makeDict),
		"namespace":       rawFn("namespace", func(s *state, a *callArgs) Value { return &namespace{makeDict(s, a).(*Dict)} }),
		"cycler":          rawFn("cycler", makeCycler),
		"joiner":          rawFn("joiner", makeJoiner),
		"lipsum":          rawFn("lipsum", noLipsum),
		"raise_exception": fn("raise_exception", "message", raise),
		"strftime_now": fn("strftime_now", "format", func(s *state, a []Value) Value {
			return s.sized(strftime(s.now, s.wantText(a[0], "strftime_now")))
		}),
	}
}

// raise ends the rendering with the template's own sentence.
func raise(s *state, a []Value) Value {
	s.failf(RaisedError, "%s", s.str(a[0]))
	return nil
}

func noLipsum(s *state, _ *callArgs) Value {
	s.failf(RuntimeError, "lipsum gives random text, which no prompt should have")
	return nil
}

func makeRange(s *state, a *callArgs) Value {
	if len(a.names) > 0 || len(a.pos) < 1 || len(a.pos) > 3 {
		s.failf(RuntimeError, "range takes one to three integers")
	}
	r := &rangeValue{0, 0, 1}
	for i, v := range a.pos {
		if n, ok := v.(*big.Int); ok && n != nil {
			s.failf(LimitError, "range with an integer of more than 64 bits")
		}
		*[]*int64{&r.start, &r.stop, &r.step}[i] = int64(s.wantInt(v, "range"))
	}
	if len(a.pos) == 1 {
		r.start, r.stop = 0, r.start
	}
	if r.step == 0 {
		s.failf(RuntimeError, "range: the step must not be zero")
	}
	if n := r.len(); n > maxRange || n < 0 {
		s.failf(LimitError, "range: more than %d elements", maxRange)
	}
	return r
}

func makeDict(s *state, a *callArgs) Value {
	d := NewDict()
	if len(a.pos) > 1 {
		s.failf(RuntimeError, "dict takes at most one positional argument, got %d", len(a.pos))
	}
	for _, v := range a.pos {
		s.updateDict(d, v)
	}
	s.updateDict(d, a.dict())
	return d
}

// cycler gives its values in turn, whatever loop it is used in.
type cycler struct {
	values []Value
	pos    int
}

func makeCycler(s *state, a *callArgs) Value {
	if len(a.pos) == 0 {
		s.failf(RuntimeError, "cycler needs at least one value")
	}
	return &cycler{values: clone(a.pos)}
}

func (c *cycler) attr(name string) (Value, bool) {
	switch name {
	case "current":
		return c.values[c.pos], true
	case "next":
		return &method{c, cyclerNext}, true
	case "reset":
		return &method{c, cyclerReset}, true
	}
	return nil, false
}

var cyclerNext = fn("cycler.next", "self", func(_ *state, a []Value) Value {
	c := a[0].(*cycler)
	v := c.values[c.pos]
	c.pos = (c.pos + 1) % len(c.values)
	return v
})

var cyclerReset = fn("cycler.reset", "self", func(_ *state, a []Value) Value {
	a[0].(*cycler).pos = 0
	return nil
})

// joiner gives nothing the first time it is called, then its separator.
type joiner struct {
	sep  Value
	used bool
}

func makeJoiner(s *state, a *callArgs) Value {
	j := &joiner{sep: ", "}
	if v, ok := a.take(s, "sep"); ok {
		j.sep = v
	} else if len(a.pos) > 0 {
		j.sep = a.pos[0]
	}
	return j
}

func (j *joiner) call() Value {
	if !j.used {
		j.used = true
		return ""
	}
	return j.sep
}
