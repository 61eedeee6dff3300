package schema

import "github.com/llamakit/llamakit/engine/grammar/rx"

// refused returns the values that n refuses: the union of what its keywords refuse.
func (c *compiler) refused(n *schemaNode) (*shape, error) {
	if n.kind == isBool {
		return c.allowed(&schemaNode{value: boolean(!n.yes)})
	}
	if c.lenient { // what is dropped from the schema would be added here
		c.lenient = false
		defer func() { c.lenient = true }()
	}
	var parts []*shape
	for _, k := range c.keywords(n) {
		s, err := c.refusedBy(n, k)
		if err != nil {
			return nil, blame(err, n, k)
		}
		parts = append(parts, s)
	}
	s, err := c.unite(parts...)
	if err != nil {
		return nil, blame(err, n, "not")
	}
	s.forgetEvaluated()
	return s, nil
}

// forgetEvaluated makes everything unevaluated, as it is under not.
func (s *shape) forgetEvaluated() {
	for i := range s.arrays {
		x := *s.arrays[i]
		x.evaluated = 0
		s.arrays[i] = &x
	}
	for i := range s.objects {
		x := *s.objects[i]
		x.evaluated = rx.Nothing
		s.objects[i] = &x
	}
}

func (c *compiler) refusedBy(n *schemaNode, k string) (*shape, error) {
	switch groups[k] {
	case typeGroup:
		return c.notTyped(n, k)
	case numberGroup:
		e, err := c.numeric(n)
		return &shape{num: c.num.not(e)}, err
	case stringGroup:
		return c.notStringy(n)
	case memberGroup:
		return c.notMembers(n)
	case itemGroup:
		return c.notItems(n)
	case lateGroup:
		return nil, fail(n, k, "what it refuses cannot be expressed")
	}
	switch k {
	case "$ref", "$dynamicRef", "$recursiveRef":
		target, err := c.target(n, k)
		if err != nil {
			return nil, err
		}
		return c.literal(literal{target, true})
	case "not":
		s, err := c.node(n, k, n.get(k))
		if err != nil {
			return nil, err
		}
		return c.literal(literal{s, false})
	case "if":
		return c.conditional(n, true)
	case "dependentRequired", "dependentSchemas", "dependencies":
		return c.dependent(n, k, true)
	}
	list, err := c.list(n, k)
	if err != nil {
		return nil, err
	}
	switch k {
	case "allOf":
		return c.any(n, list, true)
	case "anyOf":
		return c.all(n, list, true)
	}
	return c.notOne(n, list)
}

// notTyped is the values of other types or, of enum and const, the other values.
func (c *compiler) notTyped(n *schemaNode, k string) (*shape, error) {
	s, err := c.typed(n, k, true)
	if err != nil {
		return nil, err
	}
	other := &shape{null: !s.null, yes: !s.yes, no: !s.no}
	if s.num != c.num.any {
		if other.num = c.num.any; s.num != rx.Nothing {
			other.num = c.num.not(s.num)
		}
	}
	if s.str != c.text.any {
		if other.str = c.text.any; s.str != rx.Nothing {
			other.str = c.text.not(s.str)
		}
	}
	every := c.everything()
	if s.arrays == nil {
		other.arrays = every.arrays
	}
	if s.objects == nil {
		other.objects = every.objects
	}
	if k == "type" || s.arrays == nil && s.objects == nil {
		return other, nil
	}
	return c.notConstants(n, k, other)
}

// notConstants adds the arrays and objects that differ from the constants.
func (c *compiler) notConstants(n *schemaNode, k string, scalars *shape) (*shape, error) {
	list := []*value{n.get(k)}
	if k == "enum" {
		list = list[0].items
	}
	every := c.everything()
	s := &shape{null: scalars.null, yes: scalars.yes, no: scalars.no, num: scalars.num, str: scalars.str, arrays: every.arrays, objects: every.objects}
	for _, v := range list {
		if v.kind != isArray && v.kind != isObject {
			continue
		}
		exact, err := c.node(n, k, c.exactly(v))
		if err != nil {
			return nil, err
		}
		not, err := c.literal(literal{exact, true})
		if err == nil {
			s, err = c.intersect(s, not)
		}
		if err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (c *compiler) notStringy(n *schemaNode) (*shape, error) {
	if f := n.get("format"); f != nil && !exactFormats[f.text] {
		return nil, fail(n, "format", "what %q refuses is not known exactly", f.text)
	}
	e, err := c.stringy(n)
	if err != nil {
		return nil, err
	}
	if e == c.text.any {
		return &shape{}, nil
	}
	if n.get("pattern") == nil && n.get("format") == nil {
		return c.notLengths(n)
	}
	return &shape{str: c.text.not(e)}, nil
}

// notLengths keeps strings in any spelling, which a complement does not.
func (c *compiler) notLengths(n *schemaNode) (*shape, error) {
	var list []rx.ID
	if lo, ok, err := c.count(n, "minLength"); err != nil {
		return nil, err
	} else if ok && lo > 0 {
		list = append(list, c.rx.Repeat(c.text.char, 0, lo-1))
	}
	if hi, ok, err := c.count(n, "maxLength"); err != nil {
		return nil, err
	} else if ok {
		list = append(list, c.rx.Repeat(c.text.char, hi+1, rx.Unbounded))
	}
	return &shape{str: c.rx.Alt(list...)}, nil
}

// notOne is the values that none of the schemas allows, or two.
func (c *compiler) notOne(n *schemaNode, list []*schemaNode) (*shape, error) {
	none, err := c.all(n, list, true)
	if err != nil {
		return nil, err
	}
	parts := []*shape{none}
	for i, x := range list {
		for _, y := range list[:i] {
			both, err := c.all(n, []*schemaNode{x, y}, false)
			if err != nil {
				return nil, err
			}
			parts = append(parts, both)
		}
	}
	return c.unite(parts...)
}
