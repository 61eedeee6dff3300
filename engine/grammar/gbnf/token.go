package gbnf

import (
	"strconv"
	"strings"

	"github.com/llamakit/llamakit/engine/grammar/pushdown"
	"github.com/llamakit/llamakit/engine/grammar/rx"
)

// Lookup finds a token by its text, brackets included.
type Lookup func(text string) (token int32, ok bool)

// AnyToken is a Lookup that knows every text, for a grammar that is not matched here.
func AnyToken(string) (token int32, ok bool) { return 0, true }

// maxToken is the greatest number of a token.
const maxToken = 1<<24 - 1

// token reads <[123]> or <text>.
func (p *parser) token() int32 {
	at := p.pos
	end := strings.IndexByte(p.text[at:], '>')
	if p.pos == len(p.text) || p.text[p.pos] != '<' || end < 2 || strings.ContainsAny(p.text[at:at+end], "\n\r") {
		p.fail(at, "a token is written <[123]> or <text>")
	}
	text := p.text[at : at+end+1]
	p.pos += len(text)
	if number, ok := strings.CutPrefix(text, "<["); ok {
		number, closed := strings.CutSuffix(number, "]>")
		n, err := strconv.ParseUint(number, 10, 32)
		if !closed || err != nil || n > maxToken {
			p.fail(at, "a token is written <[123]>, with a number up to "+strconv.Itoa(maxToken))
		}
		return int32(n)
	}
	if p.find == nil {
		p.fail(at, "without a model tokens have no names: write the number, as in <[123]>")
	}
	t, ok := p.find(text)
	if !ok {
		p.fail(at, text+" is no token of the vocabulary")
	}
	return t
}

// tokens lists the tokens that the grammar names.
func (g *grammar) tokens() (list []int32) {
	for _, r := range g.rules {
		r.body.walk(func(it *item) {
			if it.kind == itemToken {
				list = append(list, it.token)
			}
		})
	}
	return list
}

// token matches one token, or any but that.
func (c *compiler) token(it *item) rx.ID {
	code := pushdown.AppendToken(nil, it.token)
	if !it.negate {
		return c.RX.Literal(string(code))
	}
	any := c.RX.Span(0, pushdown.TokenBase-1)
	var ways []rx.ID // one for each digit that is the first to differ
	for i := 1; i < len(code); i++ {
		var other rx.Set
		other.Add(0, pushdown.TokenBase-1)
		other[code[i]>>6] &^= 1 << (code[i] & 63)
		rest := len(code) - 1 - i
		ways = append(ways, c.RX.Cat(c.RX.Literal(string(code[:i])), c.RX.Set(other), c.RX.Repeat(any, rest, rest)))
	}
	return c.RX.Alt(ways...)
}
