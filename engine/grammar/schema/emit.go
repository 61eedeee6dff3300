package schema

import (
	"github.com/llamakit/llamakit/engine/grammar/pushdown"
	"github.com/llamakit/llamakit/engine/grammar/rx"
)

// layout is the white space and punctuation between values, each with what may stand beside it.
type layout struct {
	beforeName  rx.ID
	afterName   rx.ID // up to the value
	afterValue  rx.ID // of a member
	comma       rx.ID
	inside      rx.ID // after an opening bracket with something inside
	closeArray  rx.ID
	closeObject rx.ID
	openArray   rx.ID
	openObject  rx.ID
	emptyArray  rx.ID // closing bracket after nothing
	emptyObject rx.ID
}

func newLayout(a *rx.Arena, o Options) layout {
	blank, line := a.Opt(a.Byte(' ')), rx.Empty
	if o.MaxIndent == 0 {
		o.MaxIndent = 40
	}
	if o.Compact {
		blank = rx.Empty
	} else {
		indent := a.Repeat(a.Alt(a.Byte(' '), a.Byte('\t')), 0, o.MaxIndent)
		line = a.Alt(blank, a.Cat(a.Byte('\n'), indent))
	}
	quote := a.Byte('"')
	return layout{
		beforeName: quote, afterName: a.Cat(quote, a.Byte(':'), blank), afterValue: rx.Empty, comma: a.Cat(a.Byte(','), line), inside: line,
		openArray: a.Byte('['), closeArray: a.Cat(line, a.Byte(']')), emptyArray: a.Cat(blank, a.Byte(']')),
		openObject: a.Byte('{'), closeObject: a.Cat(line, a.Byte('}')), emptyObject: a.Cat(blank, a.Byte('}')),
	}
}

// call is the rule of a conjunction that can be satisfied. All it leads to are made, so that no later step meets anything
// new.
func (c *compiler) call(x conj) pushdown.Expr {
	todo := []conj{x}
	for len(todo) > 0 {
		y := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if q := &c.conjs[y]; !q.emitted {
			q.emitted = true
			var more []conj
			body := c.emit(q.shape, &more)
			c.b.Define(c.conjs[y].rule, body)
			todo = append(todo, more...)
		}
	}
	return c.b.Call(c.conjs[x].rule)
}

// emit makes the expression of a shape and adds the conjunctions that it calls to more.
func (c *compiler) emit(s *shape, more *[]conj) pushdown.Expr {
	list := []pushdown.Expr{c.b.Term(c.scalars(s))}
	for _, a := range s.arrays {
		if c.arrayPossible(a) {
			list = append(list, c.emitArray(a, more))
		}
	}
	for _, o := range s.objects {
		if c.objectPossible(o) {
			list = append(list, c.emitObject(o, more))
		}
	}
	return c.b.Alt(list...)
}

// value is the expression of what satisfies x, where that is possible.
func (c *compiler) value(x conj, more *[]conj) (pushdown.Expr, bool) {
	if !c.conjs[x].possible {
		return pushdown.Nothing, false
	}
	*more = append(*more, x)
	return c.b.Call(c.conjs[x].rule), true
}
