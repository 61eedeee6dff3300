package schema

import (
	"errors"
	"fmt"
	"slices"

	"github.com/llamakit/llamakit/engine/grammar/rx"
)

// shape is a set of JSON values: the union of its parts.
type shape struct {
	null    bool
	yes, no bool  // true and false
	num     rx.ID // as it is written
	str     rx.ID // without quotes
	arrays  []*array
	objects []*object
}

// everything is the shape of all values.
func (c *compiler) everything() *shape {
	return &shape{null: true, yes: true, no: true, num: c.num.any, str: c.text.any, arrays: []*array{{}}, objects: []*object{c.anyObject()}}
}

// scalar reports whether there is a value that is no array and no object.
func (c *compiler) scalar(s *shape) bool {
	return s.null || s.yes || s.no || c.rx.Alive(s.num) || c.rx.Alive(s.str)
}

// errTooMany is of shapes with too many parts.
var errTooMany = fmt.Errorf("more than %d alternatives for arrays or objects", maxAlternatives)

// blame makes errTooMany the error of a keyword.
func blame(err error, n *schemaNode, keyword string) error {
	if errors.Is(err, errTooMany) {
		return fail(n, keyword, "%v", err)
	}
	return err
}

// intersect returns the values in both.
func (c *compiler) intersect(x, y *shape) (*shape, error) {
	s := &shape{null: x.null && y.null, yes: x.yes && y.yes, no: x.no && y.no, num: c.num.and(x.num, y.num), str: c.text.and(x.str, y.str)}
	if len(x.arrays)*len(y.arrays) > maxAlternatives || len(x.objects)*len(y.objects) > maxAlternatives {
		return nil, errTooMany
	}
	for _, a := range x.arrays {
		for _, b := range y.arrays {
			both, err := c.intersectArrays(a, b)
			if err != nil {
				return nil, err
			}
			if both != nil {
				s.arrays = append(s.arrays, both)
			}
		}
	}
	for _, a := range x.objects {
		for _, b := range y.objects {
			both, err := c.intersectObjects(a, b)
			if err != nil {
				return nil, err
			}
			if both != nil {
				s.objects = append(s.objects, both)
			}
		}
	}
	return s, nil
}

// unite returns the values in one of the shapes.
func (c *compiler) unite(list ...*shape) (*shape, error) {
	s := &shape{}
	for _, x := range list {
		s.null, s.yes, s.no = s.null || x.null, s.yes || x.yes, s.no || x.no
		s.num, s.str = c.uniteNumbers(s.num, x.num), c.uniteStrings(s.str, x.str)
		s.arrays = append(s.arrays, x.arrays...)
		s.objects = append(s.objects, x.objects...)
	}
	c.absorb(s)
	if len(s.arrays) > maxAlternatives || len(s.objects) > maxAlternatives {
		return nil, errTooMany
	}
	return s, nil
}

// absorb drops the parts beside one that has no condition.
func (c *compiler) absorb(s *shape) {
	if i := slices.IndexFunc(s.arrays, (*array).free); i >= 0 {
		s.arrays = []*array{s.arrays[i]}
	}
	if i := slices.IndexFunc(s.objects, c.freeObject); i >= 0 {
		s.objects = []*object{s.objects[i]}
	}
}

func (c *compiler) uniteNumbers(x, y rx.ID) rx.ID {
	if x == c.num.any || y == c.num.any {
		return c.num.any
	}
	return c.rx.Alt(x, y)
}

func (c *compiler) uniteStrings(x, y rx.ID) rx.ID {
	if x == c.text.any || y == c.text.any {
		return c.text.any
	}
	return c.rx.Alt(x, y)
}

// disjoint reports whether surely no value is in both. The depth bounds how far members are looked into.
func (c *compiler) disjoint(x, y *shape, depth int) bool {
	s, err := c.intersect(x, y)
	return err == nil && !c.scalar(s) && c.noArrays(s, depth) && c.noObjects(s, depth)
}

func (c *compiler) noObjects(s *shape, depth int) bool {
	for _, o := range s.objects {
		empty := o.min > len(o.props) && len(o.classes) == 0
		for _, p := range o.props {
			empty = empty || p.required && c.empty(p.value, depth-1)
		}
		if !empty {
			return false
		}
	}
	return true
}

func (c *compiler) noArrays(s *shape, depth int) bool {
	for _, a := range s.arrays {
		empty := a.limited && a.min > a.max
		for i := range min(a.min, len(a.prefix)+1) {
			empty = empty || c.empty(a.at(i), depth-1)
		}
		if !empty {
			return false
		}
	}
	return true
}

// empty reports whether surely no value satisfies x.
func (c *compiler) empty(x conj, depth int) bool {
	if x == truth || depth <= 0 || c.conjs[x].busy {
		return x == falsehood
	}
	c.conjs[x].busy = true
	defer func() { c.conjs[x].busy = false }()
	s, err := c.shapeOf(x)
	return err == nil && !c.scalar(s) && c.noArrays(s, depth) && c.noObjects(s, depth)
}

// possible reports whether a value of s can be written, as far as is known of the conjunctions inside.
func (c *compiler) possible(s *shape) bool {
	if c.scalar(s) {
		return true
	}
	for _, a := range s.arrays {
		if c.arrayPossible(a) {
			return true
		}
	}
	for _, o := range s.objects {
		if c.objectPossible(o) {
			return true
		}
	}
	return false
}

// children returns the conjunctions that values of s are made of.
func (c *compiler) children(s *shape) ([]conj, error) {
	var out []conj
	for _, a := range s.arrays {
		l, err := c.itemValues(a)
		if err != nil {
			return nil, err
		}
		out = append(out, l...)
	}
	var resolved []*object
	for _, o := range s.objects {
		l, err := c.resolve(o)
		if err != nil {
			return nil, err
		}
		resolved = append(resolved, l...)
	}
	s.objects = resolved
	for _, o := range resolved {
		for _, p := range o.props {
			out = append(out, p.value)
		}
		for _, k := range o.classes {
			out = append(out, k.value)
		}
		for _, k := range o.last {
			out = append(out, k.value)
		}
	}
	return out, nil
}
