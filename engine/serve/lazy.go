package serve

import (
	"encoding/json"
	"regexp"
	"slices"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/vocab"
)

// llama.cpp's kinds of triggers.
const (
	triggerToken = iota
	triggerWord
	triggerPattern
	triggerPatternFull
)

// Limits of what a request may wait for.
const (
	maxTriggers  = 256
	maxPreserved = 1024
)

// readLazy reads grammar_lazy, grammar_triggers and preserved_tokens.
func (f *structure) readLazy(o *object, m *engine.Model) {
	lazy := false
	o.bool("grammar_lazy", &lazy)
	items, _ := o.array("grammar_triggers")
	var kept []string
	o.strs("preserved_tokens", &kept)
	if len(items) > maxTriggers || len(kept) > maxPreserved {
		o.fail("grammar_triggers", "and preserved_tokens may be %d and %d", maxTriggers, maxPreserved)
	}
	for _, text := range kept {
		if t, ok := single(m, text); ok { // a word of several tokens is shown anyway
			f.preserved = append(f.preserved, t)
		}
	}
	if !lazy || o.err != nil {
		return
	}
	if len(items) == 0 {
		o.fail("grammar_lazy", "is true, and grammar_triggers has nothing that could begin the grammar")
	}
	f.told, _ = o.raw("grammar_triggers")
	for i, item := range items {
		in, err := parseObject(indexed("grammar_triggers", i)+".", item)
		if err != nil {
			o.err = err
			return
		}
		f.readTrigger(in, m)
		if o.adopt(in); o.err != nil {
			return
		}
	}
}

// single is the one token that a text is.
func single(m *engine.Model, text string) (engine.Token, bool) {
	if m.Vocab() == nil {
		return 0, false
	}
	list := m.Vocab().Encode(text, vocab.EncodeOptions{ParseSpecial: true})
	return append(list, 0)[0], len(list) == 1
}

// readTrigger reads a trigger: {"type": 0, "token": 7} or {"type": 1 to 3, "value": "text"}.
func (f *structure) readTrigger(o *object, m *engine.Model) {
	kind, token, value := -1, 0, ""
	o.int("type", &kind, triggerToken, triggerPatternFull)
	o.str("value", &value)
	if o.int("token", &token, 0, maxInt); o.err != nil {
		return
	}
	switch {
	case kind < 0:
		o.fail("type", "is required: 0 (token), 1 (word), 2 (pattern) or 3 (pattern of all that was written)")
	case kind == triggerToken && m.Vocab() != nil && !m.Vocab().Valid(engine.Token(token)):
		o.fail("token", "is %d, the vocabulary has %d tokens", token, m.Vocab().Size())
	case kind == triggerToken:
		f.triggers = append(f.triggers, engine.Trigger{Token: engine.Token(token)})
	case value == "":
		o.fail("value", "is required")
	case kind == triggerWord:
		f.addWord(value, m)
	default:
		f.addPattern(o, value, kind == triggerPatternFull)
	}
}

// addWord waits for a text. One that is a control token is shown from now on, else it could not be seen.
func (f *structure) addWord(text string, m *engine.Model) {
	f.triggers = append(f.triggers, engine.Trigger{Word: text})
	if t, ok := single(m, text); ok && m.Vocab().IsControl(t) && !slices.Contains(f.preserved, t) {
		f.preserved = append(f.preserved, t)
	}
}

func (f *structure) addPattern(o *object, text string, whole bool) {
	pattern := text
	if whole {
		pattern = `\A(?:` + text + `)\z`
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		o.fail("value", "is no pattern that is known here: %v", err)
		return
	}
	f.triggers = append(f.triggers, engine.Trigger{Pattern: re})
}

// lists are what an answer tells of the triggers.
func (f *structure) lists(o *settings) {
	o.GrammarLazy = len(f.triggers) > 0
	_ = json.Unmarshal(f.told, &o.GrammarTriggers) // it was read before
	for _, t := range f.preserved {
		o.PreservedTokens = append(o.PreservedTokens, t)
	}
}
