package schema

import "github.com/llamakit/llamakit/engine/grammar/rx"

// members returns the objects that the keywords for members allow.
func (c *compiler) members(n *schemaNode) (*object, error) {
	o := &object{}
	classes, matched, err := c.partition(n)
	if err != nil {
		return nil, err
	}
	o.classes = classes
	o.evaluated = matched
	if props := n.get("properties"); props != nil {
		if props.kind != isObject {
			return nil, fail(n, "properties", "this is no object")
		}
		o.evaluated = c.rx.Alt(o.evaluated, c.text.literals(props.keys))
		for _, name := range props.keys {
			v, err := c.sub(n, "properties", props.get(name), false)
			if err != nil {
				return nil, err
			}
			if pattern := c.lookup(&object{classes: classes}, name); c.rx.Match(matched, c.text.spelling(name)) {
				if v, err = c.and(v, pattern); err != nil {
					return nil, err
				}
			}
			o.props = append(o.props, prop{name: name, value: v, declared: true})
		}
	}
	if more := n.get("additionalProperties"); more != nil {
		v, err := c.sub(n, "additionalProperties", more, false)
		if err == nil {
			err = c.restrict(o, matched, true, v)
		}
		if err != nil {
			return nil, err
		}
		o.evaluated = c.text.own
	}
	return o, c.memberLimits(n, o)
}

// partition cuts the names by the patterns that they match; matched is those that match any.
func (c *compiler) partition(n *schemaNode) (classes []class, matched rx.ID, err error) {
	classes = []class{{c.text.own, truth}}
	patterns := n.get("patternProperties")
	if patterns == nil {
		return classes, rx.Nothing, nil
	}
	if patterns.kind != isObject {
		return nil, 0, fail(n, "patternProperties", "this is no object")
	}
	for _, p := range patterns.keys {
		names, err := c.compilePattern(n, "patternProperties", p)
		if err != nil {
			return nil, 0, err
		}
		v, err := c.sub(n, "patternProperties", patterns.get(p), false)
		if err != nil {
			return nil, 0, err
		}
		o := &object{classes: classes}
		if err := c.restrict(o, names, false, v); err != nil {
			return nil, 0, err
		}
		if classes = o.classes; len(classes) > maxAlternatives {
			return nil, 0, fail(n, "patternProperties", "more than %d combinations of patterns", maxAlternatives)
		}
		matched = c.rx.Alt(matched, names)
	}
	return classes, matched, nil
}

// restrict makes the other names that are in a language, or with not those that are not, satisfy v, too.
func (c *compiler) restrict(o *object, names rx.ID, not bool, v conj) error {
	var out []class
	add := func(names rx.ID, v conj) {
		if v != falsehood && c.rx.Alive(names) {
			out = append(out, class{names, v})
		}
	}
	for _, k := range o.classes {
		both, err := c.and(k.value, v)
		if err != nil {
			return err
		}
		if both == k.value {
			add(k.names, both)
			continue
		}
		in, out := both, k.value
		if not {
			in, out = out, in
		}
		add(c.andNames(k.names, names), in)
		add(c.withoutNames(k.names, names), out)
	}
	o.classes = out
	return nil
}

// memberLimits is required, the counts, and propertyNames.
func (c *compiler) memberLimits(n *schemaNode, o *object) (err error) {
	if r := n.get("required"); r != nil && r.kind == isArray {
		for _, name := range r.items {
			if name.kind != isString {
				return fail(n, "required", "a name is a string")
			}
			if err := c.demand(o, name.text, truth, true); err != nil {
				return err
			}
		}
	} else if r != nil && !(r.kind == isBool && c.doc.old) {
		return fail(n, "required", "this is no array")
	}
	if o.min, _, err = c.count(n, "minProperties"); err != nil {
		return err
	}
	o.minAt = n
	if o.max, o.limited, err = c.count(n, "maxProperties"); err != nil {
		return err
	}
	if names := n.get("propertyNames"); names != nil {
		return c.limitNames(n, o, names)
	}
	return nil
}

func (c *compiler) limitNames(n *schemaNode, o *object, names *value) error {
	s, err := c.nameShape(n, names)
	if err != nil || s == c.text.any {
		return err
	}
	for i := range o.props {
		if p := &o.props[i]; !c.rx.Match(s, c.text.spelling(p.name)) {
			p.value = falsehood
		}
	}
	return c.restrict(o, s, true, falsehood)
}

// nameShape returns the strings that propertyNames allows.
func (c *compiler) nameShape(n *schemaNode, names *value) (rx.ID, error) {
	x, err := c.sub(n, "propertyNames", names, false)
	if err != nil {
		return 0, err
	}
	s, err := c.shapeOf(x)
	if err != nil {
		return 0, err
	}
	return s.str, nil
}

// unevaluated is the keywords that apply to what the others have not looked at, in each alternative by itself. Where a
// value satisfies several alternatives, that is stricter than the specification, never laxer.
func (c *compiler) unevaluated(n *schemaNode, k string, sofar *shape) (*shape, error) {
	v, err := c.sub(n, k, n.get(k), false)
	if err != nil {
		return nil, err
	}
	s := c.everything()
	if k == "unevaluatedItems" {
		s.arrays = nil
		for _, a := range sofar.arrays {
			x := *a
			if len(a.contains) > 0 && v != truth {
				return nil, fail(n, k, "together with contains it is not supported")
			}
			if x.evaluated < maxItems {
				x.prefix = append([]conj(nil), a.prefix[:min(x.evaluated, len(a.prefix))]...)
				for len(x.prefix) < x.evaluated {
					x.prefix = append(x.prefix, a.rest)
				}
				x.rest = v
				x.evaluated = maxItems
			}
			s.arrays = append(s.arrays, &x)
		}
		return s, nil
	}
	s.objects = nil
	for _, o := range sofar.objects {
		x := *o
		x.props, x.evaluated = append([]prop(nil), o.props...), c.text.own
		for i := range x.props {
			if p := &x.props[i]; !c.rx.Match(o.evaluated, c.text.spelling(p.name)) {
				if p.value, err = c.and(p.value, v); err != nil {
					return nil, err
				}
			}
		}
		if err := c.restrict(&x, o.evaluated, true, v); err != nil {
			return nil, err
		}
		s.objects = append(s.objects, &x)
	}
	return s, nil
}
