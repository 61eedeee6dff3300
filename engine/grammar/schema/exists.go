package schema

import (
	"encoding/json"
	"slices"
)

// maxNames bounds the names that are written out one by one.
const maxNames = 32

// resolve writes out what exists demands: one alternative for every name that could be meant, and one where another member
// is the last one. (A name can be written twice, and then the last counts: so it has to be this one.)
func (c *compiler) resolve(o *object) ([]*object, error) {
	if len(o.exists) == 0 {
		return []*object{o}, nil
	}
	e := o.exists[0]
	var out []*object
	add := func(change func(*object) error) error {
		x := *o
		x.props, x.exists = slices.Clone(o.props), o.exists[1:]
		if err := change(&x); err != nil {
			return err
		}
		list, err := c.resolve(&x)
		if out = append(out, list...); len(out) > maxAlternatives {
			return fail(e.at, e.keyword, "more than %d ways to refuse an object", maxAlternatives)
		}
		return err
	}
	for _, p := range o.props {
		if p.value == falsehood || !c.rx.Match(e.names, c.text.spelling(p.name)) {
			continue
		}
		if err := add(func(x *object) error { return c.demand(x, p.name, e.value, true) }); err != nil {
			return nil, err
		}
	}
	var last []class
	for _, k := range o.classes {
		names := c.otherNames(o, c.andNames(k.names, e.names))
		if texts, ok := c.rx.Texts(names, maxNames); ok {
			for _, t := range texts {
				if err := add(func(x *object) error { return c.demand(x, unquote(t), e.value, true) }); err != nil {
					return nil, err
				}
			}
			continue
		}
		v, err := c.and(k.value, e.value)
		if err != nil {
			return nil, err
		}
		if v != falsehood && c.rx.Alive(names) {
			last = append(last, class{names, v})
		}
	}
	if last == nil {
		return out, nil
	}
	if o.last != nil {
		return nil, fail(e.at, e.keyword, "together with another demand for a member of any name, it is not supported")
	}
	return out, add(func(x *object) error { x.last = last; return nil })
}

// unquote is the name that a spelling stands for.
func unquote(spelt string) string {
	var s string
	_ = json.Unmarshal([]byte(`"`+spelt+`"`), &s) // it is one of ours
	return s
}
