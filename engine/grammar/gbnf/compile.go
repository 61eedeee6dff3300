package gbnf

import (
	"fmt"
	"slices"

	"github.com/llamakit/llamakit/engine/grammar/pushdown"
	"github.com/llamakit/llamakit/engine/grammar/rx"
)

// maxWeight bounds the regular languages that are one terminal, in the sense of rx.Arena.Weight: beyond, rules are called.
const maxWeight = 2000

// Compile makes the expression of the rule root, and lists the tokens that the grammar names. An error is a *SyntaxError. find may be
// nil: then tokens have no names, only numbers.
func Compile(b *pushdown.Builder, text string, find Lookup) (e pushdown.Expr, tokens []int32, err error) {
	defer func() {
		if s, ok := recover().(*SyntaxError); ok {
			err = s
		}
	}()
	g := read(text, find)
	c := compiler{Builder: b, g: g, done: make([]*value, len(g.rules))}
	return c.expr(*c.rule(g.index["root"])), g.tokens(), nil
}

// read parses a grammar and checks its rules. It panics with a *SyntaxError.
func read(text string, find Lookup) *grammar {
	if len(text) > maxSize {
		panic(&SyntaxError{Line: 1, Column: 1, Reason: fmt.Sprintf("%d bytes, of %d that a grammar may have", len(text), maxSize)})
	}
	p := parser{text: text, find: find}
	g := &grammar{text: text, rules: p.parse()}
	g.resolve()
	g.analyse()
	return g
}

type compiler struct {
	*pushdown.Builder
	g    *grammar
	done []*value // by rule
}

// value is a regular language, or else an expression.
type value struct {
	regular bool
	rx      rx.ID
	expr    pushdown.Expr
}

func (c *compiler) expr(v value) pushdown.Expr {
	if v.regular {
		return c.Term(v.rx)
	}
	return v.expr
}

// rule compiles a rule once. One that leads back to itself is called, and so is a large one.
func (c *compiler) rule(r int) *value {
	if c.done[r] != nil {
		return c.done[r]
	}
	if !c.g.ends[r] {
		c.done[r] = &value{regular: true, rx: rx.Nothing}
		return c.done[r]
	}
	call := c.Rule()
	if c.g.recursive[r] {
		c.done[r] = &value{expr: c.Call(call)}
		c.Define(call, c.expr(c.alternatives(c.g.rules[r].body)))
		return c.done[r]
	}
	v := c.alternatives(c.g.rules[r].body)
	if !v.regular || c.RX.Weight(v.rx) > maxWeight {
		c.Define(call, c.expr(v))
		v = value{expr: c.Call(call)}
	}
	c.done[r] = &v
	return c.done[r]
}

func (c *compiler) alternatives(a alternatives) value {
	var regular []rx.ID
	var exprs []pushdown.Expr
	for _, seq := range a {
		if v := c.sequence(seq); v.regular {
			regular = append(regular, v.rx)
		} else {
			exprs = append(exprs, v.expr)
		}
	}
	all := c.RX.Alt(regular...)
	if len(exprs) == 0 {
		return value{regular: true, rx: all}
	}
	return value{expr: c.Alt(append(exprs, c.Term(all))...)}
}

func (c *compiler) sequence(seq sequence) value {
	v := value{regular: true, rx: rx.Empty}
	for i := range slices.Backward(seq) {
		x := c.item(&seq[i])
		if x.regular && v.regular && c.RX.Weight(x.rx)+c.RX.Weight(v.rx) <= 10*maxWeight {
			v.rx = c.RX.Cat(x.rx, v.rx)
		} else {
			v = value{expr: c.Cat(c.expr(x), c.expr(v))}
		}
	}
	return v
}

func (c *compiler) item(it *item) value {
	v := c.atom(it)
	switch {
	case it.min == 1 && it.max == 1:
		return v
	case v.regular:
		return value{regular: true, rx: c.RX.Repeat(v.rx, it.min, it.max)}
	}
	return value{expr: c.Repeat(v.expr, it.min, it.max)}
}

func (c *compiler) atom(it *item) value {
	switch it.kind {
	case itemLiteral:
		return value{regular: true, rx: c.RX.Literal(it.text)}
	case itemClass:
		return value{regular: true, rx: c.class(it)}
	case itemRule:
		return *c.rule(c.g.index[it.text])
	case itemToken:
		return value{regular: true, rx: c.token(it)}
	}
	return c.alternatives(it.group)
}

// class matches one character in UTF-8.
func (c *compiler) class(it *item) rx.ID {
	set := rx.NewRunes(it.ranges...)
	if it.negate {
		set = set.Not()
	}
	return c.RX.Runes(set)
}
