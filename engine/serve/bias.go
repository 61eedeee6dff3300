package serve

import (
	"encoding/json"
	"math"
	"strconv"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/vocab"
)

// readBias reads {"token": bias} or [[token, bias]], where a token is its number or a text, each of whose tokens is meant, and
// a bias is a number, or false to ban the token.
func (p *params) readBias(o *object, m *engine.Model) {
	data, ok := o.raw("logit_bias")
	if !ok || o.err != nil {
		return
	}
	bias := map[engine.Token]float32{}
	for t, b := range p.sampling.LogitBias {
		bias[t] = b
	}
	p.sampling.LogitBias = bias
	add := func(tokens []engine.Token, value json.RawMessage) {
		b := biasOf(o, value)
		for _, t := range tokens {
			bias[t] = b
		}
	}
	if kindOf(data) == "an object" {
		if inner := o.object("logit_bias"); inner != nil {
			for name, value := range inner.fields {
				add(namedTokens(m, name), value)
			}
		}
		return
	}
	var pairs [][]json.RawMessage
	if !o.read("logit_bias", "an object, or an array of pairs [token, bias]", &pairs) {
		return
	}
	for _, pair := range pairs {
		if len(pair) != 2 {
			o.fail("logit_bias", "must be an array of pairs [token, bias], one of them has %d elements", len(pair))
			return
		}
		add(biasTokens(o, m, pair[0]), pair[1])
	}
}

// biasOf reads a bias.
func biasOf(o *object, value json.RawMessage) float32 {
	var b float64
	if json.Unmarshal(value, &b) == nil && kindOf(value) == "a number" {
		return float32(b)
	}
	if string(value) != "false" {
		o.fail("logit_bias", "has a bias that is neither a number nor false: %s", kindOf(value))
	}
	return float32(math.Inf(-1))
}

// biasTokens reads a token of a pair.
func biasTokens(o *object, m *engine.Model, data json.RawMessage) []engine.Token {
	var id engine.Token
	var text string
	switch kind := kindOf(data); {
	case kind == "a number" && json.Unmarshal(data, &id) == nil:
		return []engine.Token{id}
	case kind == "a string" && json.Unmarshal(data, &text) == nil:
		return textTokens(m, text)
	default:
		o.fail("logit_bias", "has a token that is neither a number of one nor a text: %s", kind)
		return nil
	}
}

// namedTokens are the tokens that a key of an object means: a number, or a text.
func namedTokens(m *engine.Model, name string) []engine.Token {
	if id, err := strconv.ParseInt(name, 10, 32); err == nil {
		return []engine.Token{engine.Token(id)}
	}
	return textTokens(m, name)
}

func textTokens(m *engine.Model, text string) []engine.Token {
	if m.Vocab() == nil {
		return nil
	}
	return m.Vocab().Encode(text, vocab.EncodeOptions{})
}
