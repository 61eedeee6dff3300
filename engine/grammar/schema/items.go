package schema

// itemList returns the arrays that the keywords for items allow.
func (c *compiler) itemList(n *schemaNode) (*array, error) {
	a := &array{}
	var err error
	prefix, rest, restKey := n.get("prefixItems"), n.get("items"), "items"
	if rest != nil && rest.kind == isArray { // drafts up to 2019-09
		prefix, rest, restKey = rest, n.get("additionalItems"), "additionalItems"
	}
	if prefix != nil {
		if prefix.kind != isArray {
			return nil, fail(n, "prefixItems", "this is no array")
		}
		for _, x := range prefix.items {
			v, err := c.sub(n, "prefixItems", x, false)
			if err != nil {
				return nil, err
			}
			a.prefix = append(a.prefix, v)
		}
		a.evaluated = len(a.prefix)
	}
	if rest != nil {
		if a.rest, err = c.sub(n, restKey, rest, false); err != nil {
			return nil, err
		}
		a.evaluated = maxItems
	}
	if a.min, _, err = c.count(n, "minItems"); err != nil {
		return nil, err
	}
	if a.max, a.limited, err = c.count(n, "maxItems"); err != nil {
		return nil, err
	}
	if u := n.get("uniqueItems"); u != nil && u.yes {
		a.unique = n
	}
	if n.get("contains") != nil {
		if err := c.containsOf(n, a); err != nil {
			return nil, err
		}
	}
	return a, nil
}

func (c *compiler) containsOf(n *schemaNode, a *array) error {
	v, err := c.sub(n, "contains", n.get("contains"), false)
	if err != nil {
		return err
	}
	k := contains{value: v, min: 1}
	if m, ok, err := c.count(n, "minContains"); err != nil {
		return err
	} else if ok {
		k.min = m
	}
	if k.max, k.limited, err = c.count(n, "maxContains"); err != nil {
		return err
	}
	if k.limited {
		if k.not, err = c.sub(n, "contains", n.get("contains"), true); err != nil {
			return err
		}
	}
	if k.min > maxCounted || k.max > maxCounted {
		return fail(n, "contains", "counts go up to %d", maxCounted)
	}
	if k.min > 0 || k.limited {
		a.contains, a.containsAt = append(a.contains, k), n.pointer
	}
	return nil
}
