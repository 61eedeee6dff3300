package schema

import (
	"slices"

	"github.com/llamakit/llamakit/engine/grammar/rx"
)

// notMembers is the objects that one of the keywords for members refuses.
func (c *compiler) notMembers(n *schemaNode) (*shape, error) {
	s := &shape{}
	add := func(name string, v conj, required bool) error {
		o := c.anyObject()
		s.objects = append(s.objects, o)
		return c.demand(o, name, v, required)
	}
	if props := n.get("properties"); props != nil {
		for _, name := range props.keys {
			v, err := c.sub(n, "properties", props.get(name), true)
			if err == nil && v != falsehood {
				err = add(name, v, true)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	if r := n.get("required"); r != nil {
		for _, name := range r.items {
			if err := add(name.text, falsehood, false); err != nil {
				return nil, err
			}
		}
	}
	if lo, ok, err := c.count(n, "minProperties"); err != nil {
		return nil, err
	} else if ok && lo > 0 {
		o := c.anyObject()
		o.max, o.limited = lo-1, true
		s.objects = append(s.objects, o)
	}
	if hi, ok, err := c.count(n, "maxProperties"); err != nil {
		return nil, err
	} else if ok {
		o := c.anyObject()
		o.min, o.minAt = hi+1, n
		s.objects = append(s.objects, o)
	}
	return s, c.notOthers(n, s)
}

// notOthers adds the objects with a member that a pattern, additionalProperties or propertyNames refuses.
func (c *compiler) notOthers(n *schemaNode, s *shape) error {
	exists := func(names rx.ID, v conj, k string) {
		if v != falsehood && c.rx.Alive(names) {
			o := c.anyObject()
			o.exists = []demand{{class{names, v}, n, k}}
			s.objects = append(s.objects, o)
		}
	}
	others := c.text.own
	if patterns := n.get("patternProperties"); patterns != nil {
		for _, p := range patterns.keys {
			names, err := c.compilePattern(n, "patternProperties", p)
			if err != nil {
				return err
			}
			v, err := c.sub(n, "patternProperties", patterns.get(p), true)
			if err != nil {
				return err
			}
			exists(names, v, "patternProperties")
			others = c.withoutNames(others, names)
		}
	}
	if more := n.get("additionalProperties"); more != nil {
		if props := n.get("properties"); props != nil {
			others = c.withoutNames(others, c.text.literals(props.keys))
		}
		v, err := c.sub(n, "additionalProperties", more, true)
		if err != nil {
			return err
		}
		exists(others, v, "additionalProperties")
	}
	if names := n.get("propertyNames"); names != nil {
		e, err := c.nameShape(n, names)
		if err != nil {
			return err
		}
		exists(c.text.not(e), truth, "propertyNames")
	}
	return nil
}

// notItems is the arrays that one of the keywords for items refuses.
func (c *compiler) notItems(n *schemaNode) (*shape, error) {
	a, err := c.itemList(n)
	if err != nil {
		return nil, err
	}
	if a.unique != nil {
		return nil, fail(n, "uniqueItems", "what it refuses cannot be expressed")
	}
	s := &shape{}
	add := func(x *array) { s.arrays = append(s.arrays, x) }
	for i, v := range a.prefix {
		not, err := c.negation(v)
		if err != nil {
			return nil, err
		}
		if not != falsehood {
			add(&array{prefix: append(slices.Repeat([]conj{truth}, i), not), min: i + 1})
		}
	}
	not, err := c.negation(a.rest)
	if err != nil {
		return nil, err
	}
	if not == truth {
		add(&array{min: len(a.prefix) + 1})
	} else if not != falsehood {
		add(&array{contains: []contains{{value: not, from: len(a.prefix), min: 1}}})
	}
	if a.min > 0 {
		add(&array{max: a.min - 1, limited: true})
	}
	if a.limited {
		add(&array{min: a.max + 1})
	}
	for _, k := range a.contains {
		if k.min > 0 {
			no, err := c.negation(k.value)
			if err != nil {
				return nil, err
			}
			add(&array{contains: []contains{{value: k.value, not: no, max: k.min - 1, limited: true}}})
		}
		if k.limited {
			add(&array{contains: []contains{{value: k.value, min: k.max + 1}}})
		}
	}
	return s, nil
}

// negation is the values that a conjunction of one literal refuses.
func (c *compiler) negation(x conj) (conj, error) {
	switch x {
	case truth:
		return falsehood, nil
	case falsehood:
		return truth, nil
	}
	l := c.conjs[x].literals[0]
	return c.of(l.node, !l.not)
}
