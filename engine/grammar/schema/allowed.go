package schema

import (
	"strconv"

	"github.com/llamakit/llamakit/engine/grammar/rx"
)

// group is keywords that become one shape together, at the place of the first of them.
type group uint8

const (
	noGroup group = iota
	typeGroup
	numberGroup
	stringGroup
	memberGroup
	itemGroup
	singleGroup  // a keyword by itself
	lateGroup    // after all others
	handledGroup // by another keyword
)

var groups = map[string]group{
	"type": typeGroup, "enum": typeGroup, "const": typeGroup,
	"minimum": numberGroup, "maximum": numberGroup, "exclusiveMinimum": numberGroup, "exclusiveMaximum": numberGroup, "multipleOf": numberGroup,
	"minLength": stringGroup, "maxLength": stringGroup, "pattern": stringGroup, "format": stringGroup,
	"properties": memberGroup, "patternProperties": memberGroup, "additionalProperties": memberGroup, "required": memberGroup,
	"minProperties": memberGroup, "maxProperties": memberGroup, "propertyNames": memberGroup,
	"items": itemGroup, "prefixItems": itemGroup, "additionalItems": itemGroup, "minItems": itemGroup, "maxItems": itemGroup,
	"uniqueItems": itemGroup, "contains": itemGroup, "minContains": itemGroup, "maxContains": itemGroup,
	"allOf": singleGroup, "anyOf": singleGroup, "oneOf": singleGroup, "not": singleGroup, "if": singleGroup, "$ref": singleGroup,
	"$dynamicRef": singleGroup, "$recursiveRef": singleGroup, "dependentRequired": singleGroup, "dependentSchemas": singleGroup,
	"dependencies":          singleGroup,
	"unevaluatedProperties": lateGroup, "unevaluatedItems": lateGroup,
	"then": handledGroup, "else": handledGroup,
}

// annotations say nothing about which values are allowed.
var annotations = map[string]bool{"$schema": true, "$id": true, "id": true, "$comment": true, "$anchor": true, "$dynamicAnchor": true,
	"$recursiveAnchor": true, "$vocabulary": true, "$defs": true, "definitions": true, "title": true, "description": true, "default": true,
	"examples": true, "example": true, "deprecated": true, "readOnly": true, "writeOnly": true, "contentEncoding": true,
	"contentMediaType": true, "contentSchema": true}

// keywords returns the keywords of n in the order in which they are looked at: type first, which makes the rest small.
func (c *compiler) keywords(n *schemaNode) []string {
	if c.doc.old && n.get("$ref") != nil {
		return []string{"$ref"}
	}
	var first, middle, last []string
	done := make(map[group]bool)
	for _, k := range n.keys {
		g := groups[k]
		switch {
		case g == noGroup:
			if !annotations[k] {
				c.notice(n.pointer, k, "unknown keyword")
			}
		case g == handledGroup:
		case g == singleGroup:
			middle = append(middle, k)
		case g == lateGroup:
			last = append(last, k)
		case g == typeGroup:
			first = append(first, k)
		case !done[g]:
			done[g] = true
			middle = append(middle, k)
		}
	}
	return append(append(first, middle...), last...)
}

// allowed returns the values that n allows.
func (c *compiler) allowed(n *schemaNode) (*shape, error) {
	s := c.everything()
	if n.kind == isBool {
		if !n.yes {
			return &shape{}, nil
		}
		return s, nil
	}
	for _, k := range c.keywords(n) {
		x, err := c.keyword(n, k, s)
		if err == nil && x != nil {
			x, err = c.intersect(s, x)
		}
		if err != nil {
			if err = c.unsupported(blame(err, n, k)); err != nil {
				return nil, err
			}
			continue
		}
		if x != nil {
			s = x
		}
	}
	return s, nil
}

// keyword returns the values that a keyword, or its group, allows; nil is all. So far is what those before it allow.
func (c *compiler) keyword(n *schemaNode, k string, sofar *shape) (*shape, error) {
	switch groups[k] {
	case typeGroup:
		return c.typed(n, k, false)
	case numberGroup:
		return c.part(func(s *shape) (err error) { s.num, err = c.numeric(n); return })
	case stringGroup:
		return c.part(func(s *shape) (err error) {
			if f := n.get("format"); f != nil {
				s.num = c.numberFormat(f.text)
			}
			s.str, err = c.stringy(n)
			return err
		})
	case memberGroup:
		return c.part(func(s *shape) error {
			o, err := c.members(n)
			s.objects = []*object{o}
			return err
		})
	case itemGroup:
		return c.part(func(s *shape) error {
			a, err := c.itemList(n)
			s.arrays = []*array{a}
			if a != nil && a.limited && a.min > a.max {
				s.arrays = nil
			}
			return err
		})
	case lateGroup:
		return c.unevaluated(n, k, sofar)
	}
	return c.combined(n, k)
}

// part is everything but for what f narrows.
func (c *compiler) part(f func(*shape) error) (*shape, error) {
	s := c.everything()
	return s, f(s)
}

// typed is type, enum and const. With all, numbers are in all their spellings, as complements need.
func (c *compiler) typed(n *schemaNode, k string, all bool) (*shape, error) {
	v := n.get(k)
	switch k {
	case "const":
		return c.constant(n, k, v, all)
	case "enum":
		if v.kind != isArray {
			return nil, fail(n, k, "this is no array")
		}
		return c.constants(n, k, v.items, all)
	}
	names := []*value{v}
	if v.kind == isArray {
		names = v.items
	}
	s := &shape{}
	for _, x := range names {
		if err := c.addType(n, s, x, all); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// constants is the values of enum.
func (c *compiler) constants(n *schemaNode, k string, values []*value, all bool) (*shape, error) {
	var list []*shape
	var nums []rx.ID
	var strs []string
	for _, v := range values {
		if v.kind == isString {
			strs = append(strs, v.text)
			continue
		}
		s, err := c.constant(n, k, v, all)
		if err != nil {
			return nil, err
		}
		if v.kind == isNumber {
			nums = append(nums, s.num)
			continue
		}
		list = append(list, s)
	}
	return c.unite(append(list, &shape{num: c.rx.Alt(nums...), str: c.text.literals(strs)})...)
}

func (c *compiler) addType(n *schemaNode, s *shape, name *value, all bool) error {
	every := c.everything()
	switch {
	case name.kind != isString:
		return fail(n, "type", "a type is a string")
	case name.text == "null":
		s.null = true
	case name.text == "boolean":
		s.yes, s.no = true, true
	case name.text == "number":
		s.num = every.num
	case name.text == "integer" && all:
		s.num = c.uniteNumbers(s.num, c.num.integral)
	case name.text == "integer":
		s.num = c.uniteNumbers(s.num, c.num.integer)
	case name.text == "string":
		s.str = every.str
	case name.text == "array":
		s.arrays = every.arrays
	case name.text == "object":
		s.objects = every.objects
	default:
		return fail(n, "type", "unknown type %q", name.text)
	}
	return nil
}

// constant is one value. Arrays and objects become a schema that only they satisfy.
func (c *compiler) constant(n *schemaNode, k string, v *value, all bool) (*shape, error) {
	switch v.kind {
	case isNull:
		return &shape{null: true}, nil
	case isBool:
		return &shape{yes: v.yes, no: !v.yes}, nil
	case isString:
		return &shape{str: c.text.literals([]string{v.text})}, nil
	case isNumber:
		d, err := parseDecimal(v.text)
		if err != nil {
			return nil, fail(n, k, "%s: %v", v.text, err)
		}
		return &shape{num: c.num.equal(d, all)}, nil
	}
	s, err := c.node(n, k, c.exactly(v))
	if err != nil {
		return nil, err
	}
	return c.literal(literal{s, false})
}

// exactly returns a schema for one array or object.
func (c *compiler) exactly(v *value) *value {
	if s := c.exact[v]; s != nil {
		return s
	}
	var s *value
	if v.kind == isArray {
		items := &value{kind: isArray}
		for _, x := range v.items {
			items.items = append(items.items, jsonObject("const", x))
		}
		s = jsonObject("type", &value{kind: isString, text: "array"}, "prefixItems", items, "items", boolean(false), "minItems", integer(len(v.items)))
	} else {
		props, required := jsonObject(), &value{kind: isArray}
		for _, k := range v.keys {
			props.put(k, jsonObject("const", v.get(k)))
			required.items = append(required.items, &value{kind: isString, text: k})
		}
		s = jsonObject("type", &value{kind: isString, text: "object"}, "properties", props, "required", required, "additionalProperties", boolean(false))
	}
	c.exact[v] = s
	return s
}

// count reads a keyword that is a number of things; ok is false when it is not there.
func (c *compiler) count(n *schemaNode, k string) (count int, ok bool, err error) {
	v := n.get(k)
	if v == nil {
		return 0, false, nil
	}
	d, err := parseDecimal(v.text)
	if v.kind != isNumber || err != nil || d.minus || d.frac != "" {
		return 0, false, fail(n, k, "this is no count")
	}
	count, err = strconv.Atoi("0" + d.whole)
	if err != nil || count > maxItems {
		return 0, false, fail(n, k, "more than %d", maxItems)
	}
	return count, true, nil
}
