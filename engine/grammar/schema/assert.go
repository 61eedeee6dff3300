package schema

import (
	"errors"

	"github.com/llamakit/llamakit/engine/grammar/ecma"
	"github.com/llamakit/llamakit/engine/grammar/rx"
)

// numeric returns the numbers that the keywords for numbers allow.
func (c *compiler) numeric(n *schemaNode) (rx.ID, error) {
	e := c.num.any
	for _, k := range []string{"minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf"} {
		x, err := c.bound(n, k)
		if err != nil {
			return 0, err
		}
		e = c.num.and(e, x)
	}
	return e, nil
}

// bound returns the numbers that one keyword allows.
func (c *compiler) bound(n *schemaNode, k string) (rx.ID, error) {
	v := n.get(k)
	if v == nil || v.kind == isBool { // drafts before 6 have exclusiveMinimum as a boolean
		return c.num.any, nil
	}
	if v.kind != isNumber {
		return 0, fail(n, k, "this is no number")
	}
	d, err := parseDecimal(v.text)
	if err != nil {
		return 0, fail(n, k, "%s: %v", v.text, err)
	}
	exclusive := func(k string) bool { x := n.get(k); return x != nil && x.kind == isBool && x.yes }
	switch k {
	case "minimum":
		return c.num.atLeast(d, exclusive("exclusiveMinimum")), nil
	case "exclusiveMinimum":
		return c.num.atLeast(d, true), nil
	case "maximum":
		return c.num.atMost(d, exclusive("exclusiveMaximum")), nil
	case "exclusiveMaximum":
		return c.num.atMost(d, true), nil
	}
	e, err := c.num.multipleOf(d)
	if err != nil {
		return 0, fail(n, k, "%s: %v", v.text, err)
	}
	return e, nil
}

// stringy returns the strings that the keywords for strings allow.
func (c *compiler) stringy(n *schemaNode) (rx.ID, error) {
	e := c.text.any
	for _, k := range []string{"minLength", "pattern", "format"} {
		x, err := c.stringKeyword(n, k)
		if err != nil {
			return 0, err
		}
		e = c.text.and(e, x)
	}
	return e, nil
}

// stringKeyword returns the strings that one keyword allows; minLength stands for both lengths.
func (c *compiler) stringKeyword(n *schemaNode, k string) (rx.ID, error) {
	v := n.get(k)
	switch {
	case k == "minLength":
		lo, _, err := c.count(n, "minLength")
		if err != nil {
			return 0, err
		}
		hi, ok, err := c.count(n, "maxLength")
		if !ok {
			hi = rx.Unbounded
		}
		if lo > hi {
			return rx.Nothing, err
		}
		return c.rx.Repeat(c.text.char, lo, hi), err
	case v == nil:
		return c.text.any, nil
	case v.kind != isString:
		return 0, fail(n, k, "this is no string")
	case k == "pattern":
		return c.compilePattern(n, k, v.text)
	}
	return c.format(n, v.text)
}

// compilePattern returns the strings in which a pattern is found.
func (c *compiler) compilePattern(n *schemaNode, k, pattern string) (rx.ID, error) {
	if e, ok := c.pattern[pattern]; ok {
		return e, nil
	}
	e, err := ecma.Compile(c.rx, c.text.set, pattern)
	var bad *ecma.Error
	if errors.As(err, &bad) {
		return 0, fail(n, k, "pattern %q: %v", pattern, err)
	}
	if c.rx.TooLarge() {
		return 0, fail(n, k, "pattern %q has too many alternatives", pattern)
	}
	c.pattern[pattern] = e
	return e, nil
}
