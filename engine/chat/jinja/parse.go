package jinja

import "fmt"

// maxNesting bounds how deep statements and expressions may nest, which bounds the parser's own recursion.
const maxNesting = 300

// parser turns tokens into statements by recursive descent. It fails with a panic that Parse recovers.
type parser struct {
	t      *Template
	tokens []token
	pos    int
	depth  int
	open   []string // end tags that are awaited, for messages
	loops  int      // for loops around the place within the same function body
	soft   int      // if statements around: an unknown filter within fails only when it is reached
	macros []*macroNode

	unknown    []unknown // filters and tests that do not exist, outside if statements and expressions
	captures   bool      // a macro or call block was parsed since this was last reset
	clock      bool      // strftime_now is called for a time
	clockNames int       // how often strftime_now is named,
	dateCalls  int       // and how often it is called with a known format
}

func (p *parser) cur() token { return p.tokens[p.pos] }

func (p *parser) peek() token { return p.tokens[min(p.pos+1, len(p.tokens)-1)] }

func (p *parser) next() token {
	t := p.tokens[p.pos]
	if p.pos < len(p.tokens)-1 {
		p.pos++
	}
	return t
}

func (p *parser) fail(at token, format string, args ...any) {
	panic(syntaxError(p.t.Name, p.t.source, at.offset, fmt.Sprintf(format, args...)))
}

type unknown struct {
	at         token
	what, name string
}

// noteUnknown records a filter or test that does not exist. Outside of conditions the template fails for it at once.
func (p *parser) noteUnknown(at token, what, name string) {
	if p.soft == 0 {
		p.unknown = append(p.unknown, unknown{at, what, name})
	}
}

// skip takes the current token if it is that name or operator.
func (p *parser) skip(text string) bool {
	if p.cur().is(text) {
		p.next()
		return true
	}
	return false
}

func (p *parser) expect(text string) token {
	if !p.cur().is(text) {
		p.unexpected("'" + text + "'")
	}
	return p.next()
}

func (p *parser) expectKind(k kind, what string) token {
	if p.cur().kind != k {
		p.unexpected(what)
	}
	return p.next()
}

func (p *parser) unexpected(want string) {
	if p.cur().kind == tokEOF && len(p.open) > 0 {
		p.fail(p.cur(), "unexpected end of template, expected %s; a %s is missing", want, p.open[len(p.open)-1])
	}
	p.fail(p.cur(), "expected %s, got %s", want, p.cur().describe())
}

func (p *parser) enter() {
	p.depth++
	if p.depth > maxNesting {
		p.fail(p.cur(), "nested more than %d deep", maxNesting)
	}
}

func (p *parser) leave() { p.depth-- }

// symbol gives the number of a variable.
func (p *parser) symbol(name string) int {
	n, ok := p.t.symbols[name]
	if !ok {
		n = len(p.t.symbols)
		p.t.symbols[name] = n
	}
	return n
}

// statements parses up to one of the end tags (its name is then the current token), or, without any, to the end.
func (p *parser) statements(ends ...string) []stmt {
	p.enter()
	var body []stmt
	for {
		switch t := p.cur(); t.kind {
		case tokEOF:
			if len(ends) > 0 {
				p.fail(t, "unexpected end of template: a {%% %s %%} is missing", ends[len(ends)-1])
			}
			p.leave()
			return body
		case tokText:
			p.next()
			body = append(body, &textNode{t.text})
		case tokVarOpen:
			body = append(body, p.output())
		default:
			p.next()
			if isOneOf(p.cur(), ends) {
				p.leave()
				return body
			}
			body = append(body, p.statement(ends))
			p.expectKind(tokTagClose, "the end of the tag")
		}
	}
}

func isOneOf(t token, names []string) bool {
	return t.kind == tokName && contains(names, t.text)
}

func (p *parser) output() stmt {
	p.next()
	value := p.tuple(true)
	p.expectKind(tokVarClose, "'}}'")
	return &outputNode{value}
}

// body parses the statements after a tag: a colon may end the tag, as in Python.
func (p *parser) body(ends ...string) []stmt {
	p.skip(":")
	p.expectKind(tokTagClose, "the end of the tag")
	p.open = append(p.open, "{% "+ends[len(ends)-1]+" %}")
	body := p.statements(ends...)
	p.open = p.open[:len(p.open)-1]
	return body
}

// bodyTo is body with one end tag, which it takes.
func (p *parser) bodyTo(end string) []stmt {
	body := p.body(end)
	p.next()
	return body
}
