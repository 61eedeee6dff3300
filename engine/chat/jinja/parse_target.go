package jinja

// target parses what is assigned to: names, perhaps in tuples, and in a set statement also ns.attr. It ends before the
// name end.
func (p *parser) target(end string) target {
	start := p.cur()
	parts, isTuple := []target{}, false
	for {
		t := p.cur()
		if t.kind == tokTagClose || t.is(")") || end != "" && t.is(end) {
			break
		}
		parts = append(parts, p.targetPart(end))
		if !p.skip(",") {
			break
		}
		isTuple = true
	}
	if len(parts) == 1 && !isTuple {
		return parts[0]
	}
	if len(parts) == 0 {
		p.fail(start, "expected a name to assign to, got %s", start.describe())
	}
	return &tupleTarget{start.offset, parts}
}

func (p *parser) targetPart(end string) target {
	if p.skip("(") {
		p.enter()
		t := p.target("")
		p.leave()
		p.expect(")")
		return t
	}
	t := p.expectKind(tokName, "a name to assign to")
	switch t.text {
	case "true", "True", "false", "False", "none", "None":
		p.fail(t, "can't assign to '%s'", t.text)
	}
	if end == "" && p.skip(".") {
		attr := p.expectKind(tokName, "an attribute")
		return &nsTarget{t.offset, &nameExpr{t.text, p.symbol(t.text)}, attr.text}
	}
	return &nameTarget{p.symbol(t.text)}
}
