package gbnf

import (
	"strconv"
	"unicode/utf8"

	"github.com/llamakit/llamakit/engine/grammar/rx"
)

type parser struct {
	text string
	pos  int
	rule string
	find Lookup
}

// parse reads all rules. It panics with *SyntaxError; Compile recovers.
func (p *parser) parse() []rule {
	var rules []rule
	for p.space(true); p.pos < len(p.text); p.space(true) {
		r := rule{at: p.pos}
		r.name = p.name()
		if r.name == "" {
			p.fail(p.pos, "a rule begins with a name of letters, digits and hyphens")
		}
		p.rule = r.name
		p.space(false)
		if !p.take("::=") {
			p.fail(p.pos, "::= is missing")
		}
		p.space(true)
		r.body = p.alternatives(0)
		if p.pos < len(p.text) && !p.newline() {
			p.fail(p.pos, "unexpected "+p.quote()+" after the rule")
		}
		rules = append(rules, r)
		p.rule = ""
	}
	return rules
}

// alternatives reads up to the end of the line, or of the group when depth is not 0.
func (p *parser) alternatives(depth int) alternatives {
	if depth > maxDepth {
		p.fail(p.pos, "parentheses are nested more than "+strconv.Itoa(maxDepth)+" deep")
	}
	list := alternatives{p.sequence(depth)}
	for p.take("|") {
		p.space(true)
		list = append(list, p.sequence(depth))
	}
	return list
}

func (p *parser) sequence(depth int) sequence {
	var seq sequence
	for p.pos < len(p.text) {
		it := item{at: p.pos, min: 1, max: 1}
		switch c := p.text[p.pos]; {
		case c == '"':
			it.kind, it.text = itemLiteral, p.literal()
		case c == '[':
			it.kind = itemClass
			p.class(&it)
		case c == '.':
			it.kind, it.negate = itemClass, true
			p.pos++
		case c == '(':
			p.pos++
			p.space(true)
			it.kind, it.group = itemGroup, p.alternatives(depth+1)
			if !p.take(")") {
				p.fail(it.at, "this parenthesis is not closed")
			}
		case c == '<' || c == '!':
			it.kind, it.negate = itemToken, p.take("!")
			it.token = p.token()
		case nameByte(c):
			it.kind, it.text = itemRule, p.name()
		default:
			return seq
		}
		p.space(depth > 0)
		p.repetition(&it, depth)
		seq = append(seq, it)
	}
	return seq
}

// repetition reads the operators that follow an item; several apply one after the other.
func (p *parser) repetition(it *item, depth int) {
	for p.pos < len(p.text) {
		lo, hi := 0, rx.Unbounded
		at := p.pos
		switch {
		case p.take("*"):
		case p.take("+"):
			lo = 1
		case p.take("?"):
			hi = 1
		case p.take("{"):
			lo, hi = p.counts(at)
		default:
			return
		}
		if it.min != 1 || it.max != 1 {
			*it = item{kind: itemGroup, at: it.at, group: alternatives{sequence{*it}}}
		}
		it.min, it.max = lo, hi
		p.space(depth > 0)
	}
}

func (p *parser) counts(at int) (lo, hi int) {
	p.space(false)
	lo = p.number()
	hi = lo
	p.space(false)
	if p.take(",") {
		p.space(false)
		hi = rx.Unbounded
		if p.pos < len(p.text) && p.text[p.pos] != '}' {
			hi = p.number()
		}
		p.space(false)
	}
	if !p.take("}") {
		p.fail(p.pos, "} is missing")
	}
	if lo > hi {
		p.fail(at, "the least count is greater than the greatest")
	}
	return lo, hi
}

func (p *parser) number() int {
	from := p.pos
	for p.pos < len(p.text) && p.text[p.pos] >= '0' && p.text[p.pos] <= '9' {
		p.pos++
	}
	n, err := strconv.Atoi(p.text[from:p.pos])
	if from == p.pos {
		p.fail(from, "a number is missing")
	}
	if err != nil || n > maxCount {
		p.fail(from, "counts go up to "+strconv.Itoa(maxCount))
	}
	return n
}

// fail ends the parse.
func (p *parser) fail(at int, reason string) {
	line, col := place(p.text, at)
	panic(&SyntaxError{Line: line, Column: col, Rule: p.rule, Reason: reason})
}

// place turns an offset into line and column.
func place(text string, at int) (line, col int) {
	line, start := 1, 0
	for i := range at {
		if text[i] == '\n' {
			line, start = line+1, i+1
		}
	}
	return line, utf8.RuneCountInString(text[start:at]) + 1
}
