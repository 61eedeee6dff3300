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
	var items []json.RawMessage
	if kindOf(data) != "an array" {
		p, err := onePrompt(name, data, m)
		return []prompt{p}, false, err
	}
	if err := json.Unmarshal(data, &items); err != nil || len(items) == 0 {
		return nil, false, badRequest("field '%s' must not be empty", name)
	}
	if !isList(items) {
		p, err := mixedPrompt(name, items, m)
		return []prompt{p}, false, err
	}
	if len(items) > maxPrompts {
		return nil, false, badRequest("field '%s' has %d prompts, %d may be in one request", name, len(items), maxPrompts)
	}
	for _, item := range items {
		p, err := onePrompt(name, item, m)
		if err != nil {
			return nil, false, err
		}
		prompts = append(prompts, p)
	}
	return prompts, true, nil
}

// isList tells a list of prompts from the parts of one: a list has no bare token.
func isList(items []json.RawMessage) bool {
	for _, item := range items {
		if kindOf(item) == "a number" {
			return false
		}
	}
	return true
}

// onePrompt reads a prompt that is no list of them.
func onePrompt(name string, data json.RawMessage, m *engine.Model) (p prompt, err error) {
	switch kindOf(data) {
	case "a string":
		return p, json.Unmarshal(data, &p.text)
	case "an array":
		var items []json.RawMessage
		if json.Unmarshal(data, &items) == nil && len(items) > 0 {
			return mixedPrompt(name, items, m)
		}
		return p, badRequest("field '%s' must not be empty", name)
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
func mixedPrompt(name string, items []json.RawMessage, m *engine.Model) (prompt, error) {
	var encode func(string, bool) []engine.Token
	if v := m.Vocab(); v != nil {
		encode = func(text string, first bool) []engine.Token {
			return v.Encode(text, vocab.EncodeOptions{AddSpecial: first, ParseSpecial: true})
		}
	}
	tokens, err := readTokens(name, items, encode)
	return prompt{tokens: tokens}, err
}

// readTokens reads tokens, and texts where encode is not nil.
func readTokens(name string, items []json.RawMessage, encode func(text string, first bool) []engine.Token) ([]engine.Token, error) {
	if len(items) > maxPieces {
		return nil, badRequest("field '%s' has more than %d elements", name, maxPieces)
	}
	want := "a token"
	if encode != nil {
		want = "a token or a text"
	}
	tokens := []engine.Token{}
	for i, item := range items {
		var token engine.Token
		var text string
		switch kind := kindOf(item); {
		case kind == "a number" && json.Unmarshal(item, &token) == nil:
			tokens = append(tokens, token)
		case kind == "a string" && encode != nil && json.Unmarshal(item, &text) == nil:
			tokens = append(tokens, encode(text, i == 0)...)
		default:
			return nil, badRequest("element %d of field '%s' must be %s, got %s", i, name, want, kind)
		}
	}
	return tokens, nil
}
