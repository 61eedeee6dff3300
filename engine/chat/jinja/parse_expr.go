package jinja

// The grammar of expressions, loosest first; each level is one function:
//
//	tuple    expression {"," expression}
//	cond     or ["if" or ["else" cond]]
//	or, and, not
//	compare  sum {("==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not in") sum}
//	sum      concat {("+" | "-") concat}
//	concat   product {"~" product}
//	product  power {("*" | "/" | "//" | "%") power}
//	power    unary {"**" unary}                          which groups to the left, and -1 ** 2 is 1: Jinja2's choice
//	unary    {"-" | "+"} primary {postfix} {filter | test}

// tuple parses one expression, or several as a tuple. ends are names before which it may end after a comma.
func (p *parser) tuple(cond bool, ends ...string) expr {
	items, isTuple := []expr{}, false
	for !p.tupleEnd(ends) {
		items = append(items, p.expression(cond))
		if !p.skip(",") {
			break
		}
		isTuple = true
	}
	switch {
	case isTuple:
		return &tupleExpr{items}
	case len(items) == 0:
		p.fail(p.cur(), "expected an expression, got %s", p.cur().describe())
	}
	return items[0]
}

func (p *parser) tupleEnd(ends []string) bool {
	t := p.cur()
	return t.kind == tokVarClose || t.kind == tokTagClose || t.is(")") || isOneOf(t, ends)
}

func (p *parser) expression(cond bool) expr {
	p.enter()
	defer p.leave()
	if cond {
		return p.cond()
	}
	return p.or()
}

func (p *parser) cond() expr {
	unknown := len(p.unknown)
	value := p.or()
	for p.skip("if") {
		n := &condExpr{test: p.or(), then: value}
		if p.skip("else") {
			n.orElse = p.expression(true)
		}
		value, p.unknown = n, p.unknown[:unknown]
	}
	return value
}

func (p *parser) or() expr {
	left := p.and()
	for p.skip("or") {
		left = &logicExpr{true, left, p.and()}
	}
	return left
}

func (p *parser) and() expr {
	left := p.not()
	for p.skip("and") {
		left = &logicExpr{false, left, p.not()}
	}
	return left
}

func (p *parser) not() expr {
	if !p.skip("not") {
		return p.compare()
	}
	p.enter()
	defer p.leave()
	return &notExpr{p.not()}
}

func (p *parser) compare() expr {
	first := p.sum()
	n := &compareExpr{offset: p.cur().offset, first: first}
	for {
		op := p.comparison()
		if op == "" {
			break
		}
		n.ops = append(n.ops, op)
		n.operands = append(n.operands, p.sum())
	}
	if len(n.ops) == 0 {
		return first
	}
	return n
}

// comparison takes a comparison operator.
func (p *parser) comparison() string {
	t := p.cur()
	switch {
	case t.is("not") && p.peek().is("in"):
		p.next()
		p.next()
		return "not in"
	case t.is("in"), t.is("=="), t.is("!="), t.is("<"), t.is("<="), t.is(">"), t.is(">="):
		return p.next().text
	}
	return ""
}

func (p *parser) sum() expr {
	left := p.concat()
	for p.cur().is("+") || p.cur().is("-") {
		t := p.next()
		left = &binaryExpr{t.offset, t.text, left, p.concat()}
	}
	return left
}

func (p *parser) concat() expr {
	first := p.product()
	if !p.cur().is("~") {
		return first
	}
	n := &concatExpr{offset: p.cur().offset, parts: []expr{first}}
	for p.skip("~") {
		n.parts = append(n.parts, p.product())
	}
	return n
}

func (p *parser) product() expr {
	left := p.power()
	for p.cur().is("*") || p.cur().is("/") || p.cur().is("//") || p.cur().is("%") {
		t := p.next()
		left = &binaryExpr{t.offset, t.text, left, p.power()}
	}
	return left
}

func (p *parser) power() expr {
	left := p.unary(true)
	for p.cur().is("**") {
		t := p.next()
		left = &binaryExpr{t.offset, t.text, left, p.unary(true)}
	}
	return left
}

func (p *parser) unary(filters bool) expr {
	var n expr
	if t := p.cur(); t.is("-") || t.is("+") {
		p.next()
		p.enter()
		n = &unaryExpr{t.offset, t.text, p.unary(false)}
		p.leave()
	} else {
		n = p.primary()
	}
	n = p.postfix(n)
	if filters {
		n = p.filtersAndTests(n)
	}
	return n
}
