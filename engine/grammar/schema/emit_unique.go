package schema

import (
	"math/bits"

	"github.com/llamakit/llamakit/engine/grammar/pushdown"
)

// uniqueSource writes out an array of different values, of which there are few. A bit of Marks is a value that was used.
type uniqueSource struct {
	values   []pushdown.Expr
	min, max int
	inside   pushdown.Expr
	comma    pushdown.Expr
	emptyEnd pushdown.Expr
	end      pushdown.Expr
}

func (c *compiler) emitUnique(a *array) pushdown.Expr {
	s := &uniqueSource{min: a.min, max: a.max,
		inside: c.b.Term(c.layout.inside), comma: c.b.Term(c.layout.comma), end: c.b.Term(c.layout.closeArray), emptyEnd: c.b.Term(c.layout.emptyArray)}
	values, _ := c.uniqueValues(a)
	for _, v := range values {
		s.values = append(s.values, c.b.Term(c.rx.Literal(v)))
	}
	if !a.limited {
		s.max = len(values)
	}
	return c.b.Lazy(s, pushdown.Position{})
}

// Expand writes out what may come after the values that were used.
func (s *uniqueSource) Expand(b *pushdown.Builder, at pushdown.Position) pushdown.Expr {
	used := bits.OnesCount64(at.Marks)
	before, end := s.comma, s.end
	if used == 0 {
		before, end = s.inside, s.emptyEnd
	}
	var list []pushdown.Expr
	for i, v := range s.values {
		if at.Marks>>i&1 == 0 && used < s.max {
			list = append(list, b.Cat(before, v, b.Lazy(s, pushdown.Position{Marks: at.Marks | 1<<i})))
		}
	}
	if used >= s.min {
		list = append(list, end)
	}
	return b.Alt(list...)
}
