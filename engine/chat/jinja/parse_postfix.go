package jinja

import (
	"math/big"
	"strings"
)

// postfix parses attributes, subscripts and calls.
func (p *parser) postfix(n expr) expr {
	for {
		switch t := p.cur(); {
		case t.is("."):
			p.next()
			n = p.attribute(n, t)
		case t.is("["):
			p.next()
			n = &itemExpr{t.offset, n, p.subscript()}
		case t.is("("):
			n = p.call(n)
		default:
			return n
		}
	}
}

func (p *parser) attribute(n expr, dot token) expr {
	t := p.next()
	switch t.kind {
	case tokName:
		p.t.words[t.text] = true
		return &attrExpr{t.offset, n, t.text}
	case tokInt:
		index, ok := new(big.Int).SetString(t.text, 0)
		if ok && index.IsInt64() {
			return &itemExpr{dot.offset, n, &constExpr{index.Int64()}}
		}
	}
	p.fail(t, "expected a name or number after '.', got %s", t.describe())
	return nil
}

func (p *parser) subscript() expr {
	var parts []expr
	for !p.cur().is("]") {
		if len(parts) > 0 {
			p.expect(",")
		}
		parts = append(parts, p.subscriptPart())
	}
	p.expect("]")
	if len(parts) == 1 {
		return parts[0]
	}
	return &tupleExpr{parts}
}

// subscriptPart parses an index or a slice a:b:c, of which every part may be missing.
func (p *parser) subscriptPart() expr {
	n := &sliceExpr{}
	if !p.cur().is(":") {
		n.start = p.expression(true)
		if !p.cur().is(":") {
			return n.start
		}
	}
	p.next()
	if !p.sliceEnd() && !p.cur().is(":") {
		n.stop = p.expression(true)
	}
	if p.skip(":") && !p.sliceEnd() {
		n.step = p.expression(true)
	}
	return n
}

func (p *parser) sliceEnd() bool { return p.cur().is("]") || p.cur().is(",") }

func (p *parser) call(callee expr) expr {
	n := &callExpr{offset: p.cur().offset, callee: callee}
	p.arguments(&n.args)
	if name, ok := callee.(*nameExpr); ok && name.name == "strftime_now" {
		n.offset = min(n.offset, len(p.t.source))
		p.noteClock(n)
	}
	return n
}

// noteClock looks at a call of strftime_now: with a format that is written out we know how fine it is.
func (p *parser) noteClock(n *callExpr) {
	if len(n.args.pos) != 1 {
		return
	}
	if c, ok := n.args.pos[0].(*constExpr); ok {
		if format, ok := text(c.value); ok {
			p.dateCalls++
			p.clock = p.clock || finerThanDay(format)
		}
	}
}

// maxArguments bounds the arguments that a call writes out.
const maxArguments = 255

// arguments parses (a, b, name=c, *d, **e).
func (p *parser) arguments(a *arguments) {
	open := p.expect("(")
	for !p.cur().is(")") {
		if len(a.pos)+len(a.names) >= maxArguments {
			p.fail(p.cur(), "more than %d arguments", maxArguments)
		}
		p.argument(a, open)
		if !p.skip(",") {
			break
		}
	}
	p.expect(")")
}

func (p *parser) argument(a *arguments, open token) {
	ok := true
	switch t := p.cur(); {
	case t.is("*"):
		p.next()
		ok = a.star == nil && a.dstar == nil
		a.star = p.expression(true)
	case t.is("**"):
		p.next()
		ok = a.dstar == nil
		a.dstar = p.expression(true)
	case t.kind == tokName && p.peek().is("="):
		p.next()
		p.next()
		ok = a.dstar == nil
		if contains(a.names, t.text) {
			p.fail(t, "keyword argument repeated: %s", t.text)
		}
		a.names = append(a.names, t.text)
		a.named = append(a.named, p.expression(true))
	default:
		ok = a.star == nil && a.dstar == nil && len(a.names) == 0
		a.pos = append(a.pos, p.expression(true))
	}
	if !ok {
		p.fail(open, "invalid order of arguments in a call")
	}
}

// filtersAndTests parses | filter, is test, and calls of what they give.
func (p *parser) filtersAndTests(n expr) expr {
	for {
		switch t := p.cur(); {
		case t.is("|"):
			p.next()
			n = p.filter(n)
		case t.is("is"):
			p.next()
			n = p.test(n, t)
		case t.is("("):
			n = p.call(n)
		default:
			return n
		}
	}
}

func (p *parser) filter(input expr) *filterExpr {
	t := p.expectKind(tokName, "the name of a filter")
	n := &filterExpr{offset: t.offset, input: input, name: p.dotted(t.text)}
	n.filter = filters[n.name]
	if n.filter == nil {
		p.noteUnknown(t, "filter", n.name)
	}
	if p.cur().is("(") {
		p.arguments(&n.args)
	}
	return n
}

func (p *parser) dotted(name string) string {
	var b strings.Builder
	b.WriteString(name)
	for p.skip(".") {
		b.WriteString("." + p.expectKind(tokName, "a name").text)
	}
	return b.String()
}

// filterChain parses the filters of a block: | a | b, or a | b when the first has no bar before it.
func (p *parser) filterChain(bare bool) []*filterExpr {
	var chain []*filterExpr
	for bare || p.skip("|") {
		chain = append(chain, p.filter(nil))
		bare = false
	}
	return chain
}

func (p *parser) test(input expr, is token) expr {
	negated := p.skip("not")
	t := p.expectKind(tokName, "the name of a test")
	n := &testExpr{offset: t.offset, input: input, name: p.dotted(t.text)}
	n.test = tests[n.name]
	if n.test == nil {
		p.noteUnknown(t, "test", n.name)
	}
	switch {
	case p.cur().is("("):
		p.arguments(&n.args)
	case p.cur().is("is"):
		p.fail(is, "You cannot chain multiple tests with is")
	case p.bareArgument():
		n.args.pos = []expr{p.postfix(p.primary())}
	}
	if negated {
		return &notExpr{n}
	}
	return n
}

// bareArgument: a test may take one argument without parentheses.
func (p *parser) bareArgument() bool {
	t := p.cur()
	switch t.kind {
	case tokName:
		return t.text != "else" && t.text != "or" && t.text != "and"
	case tokString, tokInt, tokFloat:
		return true
	}
	return t.is("[") || t.is("{")
}
