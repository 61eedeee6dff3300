package schema

import (
	"errors"

	"github.com/llamakit/llamakit/engine/grammar/rx"
)

// object is a set of objects: those that satisfy all its parts.
type object struct {
	props    []prop
	classes  []class // of the other names: no name is in two, and those in none are not allowed
	min, max int     // members
	limited  bool    // max counts
	minAt    *schemaNode

	exists []demand // of each, one member at least
	last   []class  // of resolved objects: the last of the other members is one of these; nil: there is no such demand

	evaluated rx.ID // names that unevaluatedProperties leaves alone
}

// prop is a member with a known name. Declared ones, which properties names, come first. It is not allowed when its value is falsehood.
type prop struct {
	name     string
	value    conj
	required bool
	declared bool
}

// demand is a class that has to have a member, because a keyword is refused.
type demand struct {
	class
	at      *schemaNode
	keyword string
}

// class is members whose names are in a language, without quotes.
type class struct {
	names rx.ID
	value conj
}

func (c *compiler) anyObject() *object {
	return &object{classes: []class{{c.text.own, truth}}}
}

// freeObject reports whether o is all objects.
func (c *compiler) freeObject(o *object) bool {
	return len(o.props)+len(o.exists)+o.min == 0 && !o.limited && len(o.classes) == 1 && o.classes[0] == (class{c.text.own, truth})
}

// lookup returns what the value of a name has to satisfy.
func (c *compiler) lookup(o *object, name string) conj {
	for _, p := range o.props {
		if p.name == name {
			return p.value
		}
	}
	spelt := c.text.spelling(name)
	for _, k := range o.classes {
		if c.rx.Match(k.names, spelt) {
			return k.value
		}
	}
	return falsehood
}

func (o *object) required(name string) bool {
	for _, p := range o.props {
		if p.name == name {
			return p.required
		}
	}
	return false
}

// demand makes name required, or with falsehood as value forbidden.
func (c *compiler) demand(o *object, name string, value conj, required bool) error {
	for i := range o.props {
		if p := &o.props[i]; p.name == name {
			var err error
			p.required = p.required || required
			p.value, err = c.and(p.value, value)
			return err
		}
	}
	value, err := c.and(c.lookup(o, name), value)
	o.props = append(o.props, prop{name: name, value: value, required: required})
	return err
}

// intersectObjects returns nil when no object is in both.
func (c *compiler) intersectObjects(a, b *object) (*object, error) {
	o := &object{min: max(a.min, b.min), minAt: a.minAt, evaluated: c.rx.Alt(a.evaluated, b.evaluated)}
	if b.min > a.min {
		o.minAt = b.minAt
	}
	o.max, o.limited = narrower(a.max, a.limited, b.max, b.limited)
	o.exists = append(append([]demand(nil), a.exists...), b.exists...)
	if err := c.joinProps(o, a, b); err != nil {
		return nil, err
	}
	required := 0
	for _, p := range o.props {
		if p.required {
			required++
			if p.value == falsehood {
				return nil, nil
			}
		}
	}
	if o.limited && max(required, o.min) > o.max {
		return nil, nil
	}
	return o, c.joinClasses(o, a.classes, b.classes)
}

// joinProps gives o the known members of both: those that a declares, then those that b does, then those only demanded.
func (c *compiler) joinProps(o, a, b *object) error {
	done := make(map[string]bool)
	join := func(x, y *object, declared bool) error {
		for _, p := range x.props {
			if done[p.name] || p.declared != declared {
				continue
			}
			done[p.name] = true
			var err error
			if p.value, err = c.and(p.value, c.lookup(y, p.name)); err != nil {
				return err
			}
			p.required = p.required || y.required(p.name)
			o.props = append(o.props, p)
		}
		return nil
	}
	return errors.Join(join(a, b, true), join(b, a, true), join(a, b, false), join(b, a, false))
}

// joinClasses gives o the classes that are in one of a and in one of b.
func (c *compiler) joinClasses(o *object, a, b []class) error {
	for _, k := range a {
		for _, l := range b {
			names := c.andNames(k.names, l.names)
			value, err := c.and(k.value, l.value)
			if err != nil {
				return err
			}
			if value != falsehood && c.rx.Alive(names) {
				o.classes = append(o.classes, class{names, value})
			}
		}
	}
	if len(o.classes) > maxAlternatives {
		return errTooMany
	}
	return nil
}

// andNames intersects languages of names; that of all names is the neutral element.
func (c *compiler) andNames(x, y rx.ID) rx.ID {
	switch {
	case x == c.text.own:
		return y
	case y == c.text.own:
		return x
	}
	return c.rx.And(x, y)
}

// withoutNames takes names out of a language.
func (c *compiler) withoutNames(x, names rx.ID) rx.ID {
	if names == rx.Nothing {
		return x
	}
	return c.rx.And(x, c.rx.Not(names))
}

func narrower(a int, aLimited bool, b int, bLimited bool) (int, bool) {
	switch {
	case !aLimited:
		return b, bLimited
	case !bLimited:
		return a, true
	}
	return min(a, b), true
}

// otherNames is the language of a class in quotes, without the names that o knows.
func (c *compiler) otherNames(o *object, names rx.ID) rx.ID {
	var known []string
	for _, p := range o.props {
		if c.rx.Match(names, c.text.spelling(p.name)) {
			known = append(known, p.name)
		}
	}
	return c.withoutNames(names, c.text.literals(known))
}
