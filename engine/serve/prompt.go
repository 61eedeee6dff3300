package serve

import (
	"encoding/json"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/vocab"
)

// prompt is a text, or tokens.
type prompt struct {
	text   string
	tokens []engine.Token // nil: the text is meant
}

// request is the engine's request for a prompt with the parameters.
func (p *params) request(in prompt) engine.Request {
	r := engine.Request{Prompt: in.text, Tokens: in.tokens, Sampling: p.sampling, MaxTokens: p.max, Stop: p.stop, IgnoreEOG: p.ignoreEOS,
		Keep: p.keep, Fresh: p.fresh, Probs: p.probs, TopProbs: p.topProbs, ProbsDrawn: p.probsDrawn, Grammar: p.form.grammar, Calls: p.form.calls, Triggers: p.form.triggers,
		Preserved: p.form.preserved}
	if p.slot >= 0 {
		r.Pinned, r.Slot = true, p.slot
	}
	if p.max == 0 { // llama.cpp generates one token too
		r.MaxTokens = 1
	}
	return r
}

// promptKinds is what a prompt may be.
const promptKinds = "a text, an array of tokens, of texts mixed with tokens, or an object with prompt_string, or an array of such"

// readPrompts reads one prompt or several. list reports that the field was a list of prompts.
func readPrompts(o *object, name string, m *engine.Model) (prompts []prompt, list bool, err error) {
	data, ok := o.raw(name)
	switch {
	case o.err != nil:
		return nil, false, o.err
	case !ok:
		return nil, false, badRequest("field '%s' is required: %s", name, promptKinds)
	}
	if kindOf(data) != "an array" {
		p, err := onePrompt(name, data, m)
		return []prompt{p}, false, err
	}
	n, list := shape(data)
	switch {
	case n == 0:
		return nil, false, badRequest("field '%s' must not be empty", name)
	case !list:
		p, err := mixedPrompt(name, data, m)
		return []prompt{p}, false, err
	case n > maxPrompts:
		return nil, false, badRequest("field '%s' has %d prompts, %d may be in one request", name, n, maxPrompts)
	}
	for item := range elements(data) {
		p, err := onePrompt(name, item, m)
		if err != nil {
			return nil, false, err
		}
		prompts = append(prompts, p)
	}
	return prompts, true, nil
}

// shape counts the elements of an array, and tells a list of prompts from the parts of one: a list has no bare token.
func shape(data json.RawMessage) (n int, list bool) {
	list = true
	for item := range elements(data) {
		n++
		list = list && kindOf(item) != "a number"
	}
	return n, list
}

// onePrompt reads a prompt that is no list of them.
func onePrompt(name string, data json.RawMessage, m *engine.Model) (p prompt, err error) {
	switch kindOf(data) {
	case "a string":
		return p, json.Unmarshal(data, &p.text)
	case "an array":
		if n, _ := shape(data); n == 0 {
			return p, badRequest("field '%s' must not be empty", name)
		}
		return mixedPrompt(name, data, m)
	case "an object":
		o, err := parseObject(name+".", data)
		if err != nil {
			return p, err
		}
		if media, _ := o.array("multimodal_data"); len(media) > 0 {
			return p, badRequest("field '%s' has images or sound, this model takes text only", name)
		}
		if o.has("prompt_string") {
			o.str("prompt_string", &p.text)
			return p, o.err
		}
	}
	return p, badRequest("field '%s' must be %s, got %s", name, promptKinds, kindOf(data))
}

// mixedPrompt reads tokens and texts, which follow one another. The first text may be preceded by BOS.
func mixedPrompt(name string, data json.RawMessage, m *engine.Model) (prompt, error) {
	var encode encoder
	if v := m.Vocab(); v != nil {
		encode = func(text string, first bool) ([]engine.Token, error) {
			if err := m.Fits(text); err != nil {
				return nil, refused(err)
			}
			return v.Encode(text, vocab.EncodeOptions{AddSpecial: first, ParseSpecial: true}), nil
		}
	}
	tokens, err := readTokens(name, data, encode)
	return prompt{tokens: tokens}, err
}

// encoder makes tokens of a text, which may be the first.
type encoder func(text string, first bool) ([]engine.Token, error)

// readTokens reads an array of tokens, and of texts where encode is not nil.
func readTokens(name string, data json.RawMessage, encode encoder) ([]engine.Token, error) {
	want := "a token"
	if encode != nil {
		want = "a token or a text"
	}
	tokens, i := []engine.Token{}, 0
	for item := range elements(data) {
		var token engine.Token
		var text string
		switch kind := kindOf(item); {
		case i == maxPieces:
			return nil, badRequest("field '%s' has more than %d elements", name, maxPieces)
		case kind == "a number" && json.Unmarshal(item, &token) == nil:
			tokens = append(tokens, token)
		case kind == "a string" && encode != nil && json.Unmarshal(item, &text) == nil:
			of, err := encode(text, i == 0)
			if err != nil {
				return nil, err
			}
			tokens = append(tokens, of...)
		default:
			return nil, badRequest("element %d of field '%s' must be %s, got %s", i, name, want, kind)
		}
		i++
	}
	return tokens, nil
}
