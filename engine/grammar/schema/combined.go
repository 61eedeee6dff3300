package schema

// depthOfProof is how deep members are looked into to show that alternatives exclude each other.
const depthOfProof = 4

// combined is the keywords that combine schemas.
func (c *compiler) combined(n *schemaNode, k string) (*shape, error) {
	v := n.get(k)
	switch k {
	case "$ref", "$dynamicRef", "$recursiveRef":
		target, err := c.target(n, k)
		if err != nil {
			return nil, err
		}
		return c.literal(literal{target, false})
	case "not":
		s, err := c.node(n, k, v)
		if err != nil {
			return nil, err
		}
		return c.literal(literal{s, true})
	case "if":
		return c.conditional(n, false)
	case "dependentRequired", "dependentSchemas", "dependencies":
		return c.dependent(n, k, false)
	}
	list, err := c.list(n, k)
	if err != nil {
		return nil, err
	}
	switch k {
	case "allOf":
		return c.all(n, list, false)
	case "anyOf":
		return c.any(n, list, false)
	}
	return c.one(n, list)
}

// target is the schema that a reference leads to.
func (c *compiler) target(n *schemaNode, k string) (*schemaNode, error) {
	ref := n.get(k)
	if ref.kind != isString {
		return nil, fail(n, k, "a reference is a string")
	}
	if k != "$ref" && c.doc.dynamic(ref.text) {
		return nil, fail(n, k, "the target depends on how the schema was reached")
	}
	target, reason := c.doc.find(n, ref.text)
	if target == nil {
		return nil, fail(n, k, "%s", reason)
	}
	return target, nil
}

// list is the schemas of allOf, anyOf or oneOf.
func (c *compiler) list(n *schemaNode, k string) ([]*schemaNode, error) {
	v := n.get(k)
	if v.kind != isArray || len(v.items) == 0 {
		return nil, fail(n, k, "this is no list of schemas")
	}
	var out []*schemaNode
	for _, x := range v.items {
		s, err := c.node(n, k, x)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// all returns the values that all schemas allow or, with not, refuse.
func (c *compiler) all(n *schemaNode, list []*schemaNode, not bool) (*shape, error) {
	s := c.everything()
	for _, x := range list {
		one, err := c.literal(literal{x, not})
		if err == nil {
			s, err = c.intersect(s, one)
		}
		if err != nil {
			return nil, err
		}
	}
	return s, nil
}

// any returns the values that one of the schemas allows or, with not, refuses.
func (c *compiler) any(n *schemaNode, list []*schemaNode, not bool) (*shape, error) {
	var shapes []*shape
	for _, x := range list {
		s, err := c.literal(literal{x, not})
		if err != nil {
			return nil, err
		}
		shapes = append(shapes, s)
	}
	return c.unite(shapes...)
}

// one returns the values that exactly one schema allows: what a schema refuses is taken out of those that it overlaps with.
func (c *compiler) one(n *schemaNode, list []*schemaNode) (*shape, error) {
	var shapes, out []*shape
	for _, x := range list {
		s, err := c.literal(literal{x, false})
		if err != nil {
			return nil, err
		}
		shapes = append(shapes, s)
	}
	for i, s := range shapes {
		for j, other := range list {
			if i == j || c.disjoint(s, shapes[j], depthOfProof) {
				continue
			}
			not, err := c.literal(literal{other, true})
			if err == nil {
				s, err = c.intersect(s, not)
			}
			if err != nil {
				if err = c.unsupported(err); err != nil {
					return nil, err
				}
			}
		}
		out = append(out, s)
	}
	return c.unite(out...)
}

// conditional is if, then and else; with not, the values that they refuse.
func (c *compiler) conditional(n *schemaNode, not bool) (*shape, error) {
	test, err := c.node(n, "if", n.get("if"))
	if err != nil {
		return nil, err
	}
	var branches []*shape
	for i, k := range []string{"then", "else"} {
		x, err := c.literal(literal{test, i == 1})
		if err != nil {
			return nil, err
		}
		branch := n.get(k)
		if branch == nil {
			branch = boolean(true)
		}
		s, err := c.node(n, k, branch)
		if err != nil {
			return nil, err
		}
		y, err := c.literal(literal{s, not})
		if err != nil {
			return nil, err
		}
		if x, err = c.intersect(x, y); err != nil {
			return nil, err
		}
		branches = append(branches, x)
	}
	return c.unite(branches...)
}

// dependent is what a member demands when it is there; with not, the objects that break a demand.
func (c *compiler) dependent(n *schemaNode, k string, not bool) (*shape, error) {
	v := n.get(k)
	if v.kind != isObject {
		return nil, fail(n, k, "this is no object")
	}
	s := c.everything()
	var broken []*shape
	for _, name := range v.keys {
		demand, err := c.demanded(n, k, v.get(name), not)
		if err != nil {
			return nil, err
		}
		present, err := c.withMember(name, truth, true)
		if err == nil {
			present, err = c.intersect(present, demand)
		}
		if err != nil {
			return nil, err
		}
		if not {
			present.null, present.yes, present.no, present.num, present.str, present.arrays = false, false, false, 0, 0, nil
			broken = append(broken, present)
			continue
		}
		absent, err := c.withMember(name, falsehood, false)
		if err != nil {
			return nil, err
		}
		either := c.everything()
		either.objects = append(absent.objects, present.objects...)
		if s, err = c.intersect(s, either); err != nil {
			return nil, err
		}
	}
	if not {
		return c.unite(broken...)
	}
	return s, nil
}

// demanded is the list of names or the schema of a dependency, or what breaks it.
func (c *compiler) demanded(n *schemaNode, k string, v *value, not bool) (*shape, error) {
	if v.kind != isArray {
		s, err := c.node(n, k, v)
		if err != nil {
			return nil, err
		}
		return c.literal(literal{s, not})
	}
	s, err := c.node(n, k, c.needs(v))
	if err != nil {
		return nil, err
	}
	return c.literal(literal{s, not})
}

// needs returns a schema that demands names.
func (c *compiler) needs(names *value) *value {
	if c.exact[names] == nil {
		c.exact[names] = jsonObject("required", names)
	}
	return c.exact[names]
}

// withMember is everything, where objects have a member as demand has it.
func (c *compiler) withMember(name string, v conj, required bool) (*shape, error) {
	s := c.everything()
	return s, c.demand(s.objects[0], name, v, required)
}
