package jinja

import (
	"math/big"
	"strconv"
	"strings"
)

func (p *parser) primary() expr {
	t := p.next()
	switch t.kind {
	case tokName:
		return p.name(t)
	case tokString:
		text := p.strings(t.text)
		p.t.words[text] = true
		return &constExpr{text}
	case tokInt:
		n, ok := new(big.Int).SetString(t.text, 0)
		if !ok || n.BitLen() > maxBits {
			p.fail(t, "bad integer %s", t.text)
		}
		return &constExpr{fromBig(n)}
	case tokFloat:
		f, _ := strconv.ParseFloat(t.text, 64) // out of range is infinity, as in Python
		return &constExpr{f}
	}
	switch {
	case t.is("("):
		return p.parenthesis()
	case t.is("["):
		return &listExpr{p.list("]")}
	case t.is("{"):
		return p.dict(t)
	}
	p.pos = max(p.pos-1, 0)
	p.fail(t, "unexpected %s", t.describe())
	return nil
}

func (p *parser) name(t token) expr {
	switch t.text {
	case "true", "True":
		return &constExpr{true}
	case "false", "False":
		return &constExpr{false}
	case "none", "None":
		return &constExpr{nil}
	case "caller", "kwargs", "varargs":
		p.noteSpecial(t.text)
	case "strftime_now":
		p.clockNames++
	}
	return &nameExpr{t.text, p.symbol(t.text)}
}

// strings joins adjacent string literals.
func (p *parser) strings(text string) string {
	if p.cur().kind != tokString {
		return text
	}
	parts := []string{text}
	for p.cur().kind == tokString {
		parts = append(parts, p.next().text)
	}
	return strings.Join(parts, "")
}

func (p *parser) parenthesis() expr {
	if p.skip(")") {
		return &tupleExpr{}
	}
	n := p.tuple(true)
	p.expect(")")
	return n
}

func (p *parser) list(end string) []expr {
	items := []expr{}
	for !p.cur().is(end) {
		items = append(items, p.expression(true))
		if !p.skip(",") {
			break
		}
	}
	p.expect(end)
	return items
}

func (p *parser) dict(t token) expr {
	n := &dictExpr{offset: t.offset}
	for !p.cur().is("}") {
		n.keys = append(n.keys, p.expression(true))
		p.expect(":")
		n.values = append(n.values, p.expression(true))
		if !p.skip(",") {
			break
		}
	}
	p.expect("}")
	return n
}
