package jinja

import (
	"strings"
)

// statement parses what stands in {% %}, up to the end of the last tag that belongs to it.
func (p *parser) statement(ends []string) stmt {
	t := p.expectKind(tokName, "a tag name")
	switch t.text {
	case "if":
		return p.ifStatement()
	case "for":
		return p.forStatement(t)
	case "set":
		return p.set()
	case "macro":
		return p.macro(t)
	case "call":
		return p.callBlock(t)
	case "filter":
		filters := p.filterChain(true)
		return &filterNode{filters, p.bodyTo("endfilter")}
	case "with":
		return p.with()
	case "generation":
		return &scopeNode{p.function(func() []stmt { return p.bodyTo("endgeneration") })}
	case "print":
		return p.print()
	case "break", "continue":
		return p.jump(t)
	}
	p.unknownTag(t, ends)
	return nil
}

func (p *parser) unknownTag(t token, ends []string) {
	switch t.text {
	case "include", "import", "from", "extends":
		p.fail(t, "'%s' is not supported: a chat template stands alone and reads no files", t.text)
	case "block", "autoescape", "trans", "debug":
		p.fail(t, "'%s' is not supported in chat templates", t.text)
	}
	if len(ends) > 0 {
		p.fail(t, "unknown tag '%s'; expected %s here", t.text, strings.Join(ends, " or "))
	}
	p.fail(t, "unknown tag '%s'", t.text)
}

func (p *parser) ifStatement() stmt {
	n := &ifNode{}
	p.soft++
	for {
		n.tests = append(n.tests, p.tuple(false))
		n.bodies = append(n.bodies, p.body("elif", "else", "endif"))
		if end := p.next(); end.text == "else" {
			n.bodies = append(n.bodies, p.bodyTo("endif"))
			break
		} else if end.text == "endif" {
			break
		}
	}
	p.soft--
	return n
}

func (p *parser) forStatement(t token) stmt {
	n := &forNode{offset: t.offset, symbol: p.symbol("loop")}
	n.target = p.target("in")
	p.expect("in")
	n.iterable = p.tuple(false, "recursive")
	if p.skip("if") {
		n.test = p.expression(true)
	}
	n.recursive = p.skip("recursive")
	outer := p.captures
	p.captures = false
	p.loops++
	n.body = p.body("else", "endfor")
	p.loops--
	n.captures = p.captures
	p.captures = p.captures || outer
	if p.next().text == "else" {
		n.orElse = p.bodyTo("endfor")
	}
	return n
}

func (p *parser) set() stmt {
	target := p.target("")
	if p.skip("=") {
		return &setNode{target, p.tuple(true)}
	}
	filters := p.filterChain(false)
	return &setBlockNode{target, filters, p.bodyTo("endset")}
}

func (p *parser) with() stmt {
	n := &withNode{}
	for p.cur().kind != tokTagClose && !p.cur().is(":") {
		if len(n.targets) > 0 {
			p.expect(",")
		}
		n.targets = append(n.targets, p.target(""))
		p.expect("=")
		n.values = append(n.values, p.expression(true))
	}
	n.body = p.bodyTo("endwith")
	return n
}

func (p *parser) print() stmt {
	n := &printNode{}
	for p.cur().kind != tokTagClose {
		if len(n.values) > 0 {
			p.expect(",")
		}
		n.values = append(n.values, p.expression(true))
	}
	return n
}

func (p *parser) jump(t token) stmt {
	if p.loops == 0 {
		p.fail(t, "'%s' outside a loop", t.text)
	}
	if t.text == "break" {
		return &jumpNode{breakLoop}
	}
	return &jumpNode{continueLoop}
}

// function parses a body that break and continue cannot leave.
func (p *parser) function(parse func() []stmt) []stmt {
	loops := p.loops
	p.loops = 0
	p.captures = true
	body := parse()
	p.loops = loops
	return body
}

func (p *parser) macro(t token) stmt {
	n := &macroNode{offset: t.offset}
	n.name = p.expectKind(tokName, "the macro's name").text
	n.symbol = p.symbol(n.name)
	p.signature(n)
	p.macroBody(n, "endmacro")
	return n
}

func (p *parser) callBlock(t token) stmt {
	block := &macroNode{offset: t.offset}
	if p.cur().is("(") {
		p.signature(block)
	}
	call, ok := p.expression(true).(*callExpr)
	if !ok {
		p.fail(t, "expected a call after 'call'")
	}
	p.macroBody(block, "endcall")
	return &callNode{call, block}
}

// macroBody parses the body; names of it like caller tell what the macro accepts.
func (p *parser) macroBody(n *macroNode, end string) {
	p.macros = append(p.macros, n)
	n.body = p.function(func() []stmt { return p.bodyTo(end) })
	p.macros = p.macros[:len(p.macros)-1]
}

var specialNames = [3]string{"caller", "kwargs", "varargs"}

// signature parses the parameters of a macro.
func (p *parser) signature(n *macroNode) {
	for i, name := range specialNames {
		n.special[i] = p.symbol(name)
	}
	p.expect("(")
	defaults := false
	for !p.cur().is(")") {
		if len(n.params) > 0 {
			p.expect(",")
		}
		t := p.expectKind(tokName, "a parameter")
		param := macroParam{name: t.text, symbol: p.symbol(t.text)}
		n.explicit = n.explicit || t.text == "caller"
		if p.skip("=") {
			p.macros = append(p.macros, n)
			param.value = p.expression(true)
			p.macros = p.macros[:len(p.macros)-1]
			defaults = true
		} else if defaults {
			p.fail(t, "a parameter without a default follows one with a default")
		}
		n.params = append(n.params, param)
	}
	p.expect(")")
}

// noteSpecial records that the macros around use caller, kwargs or varargs.
func (p *parser) noteSpecial(name string) {
	for _, m := range p.macros {
		switch name {
		case "caller":
			m.caller = true
		case "kwargs":
			m.kwargs = true
		case "varargs":
			m.varargs = true
		}
	}
}
