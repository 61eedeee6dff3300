package hf

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// vocabulary makes the token list of a tokenizer.json.
func (t *tokenizerJSON) vocabulary(size int, config *tokenizerConfig) (*Vocabulary, error) {
	switch t.Model.Type {
	case "BPE":
		return t.bpe(size, config)
	case "WordPiece":
		return t.wordPiece(size, config)
	case "Unigram":
		return t.unigram(size, config)
	}
	return nil, fmt.Errorf("%w tokenizer model %q, want BPE, WordPiece or Unigram", ErrUnsupported, t.Model.Type)
}

// bpe makes that of byte-level BPE as it is, and that of BPE with byte fallback, which is how SentencePiece models are written
// there, as a SentencePiece model.
func (t *tokenizerJSON) bpe(size int, config *tokenizerConfig) (*Vocabulary, error) {
	v := &Vocabulary{Model: "gpt2", add: map[string]bool{}, normalizer: map[string]bool{}}
	for kind, name := range map[string]string{"Lowercase": "lowercase", "NFC": "nfc"} {
		if t.Normalizer.find(kind) != nil {
			v.normalizer[name] = true
		}
	}
	if t.Model.ByteFallback {
		v.Model, v.Pre = "llama", "default"
		prefix := t.spacePrefix()
		v.prefix = &prefix
	} else {
		var err error
		if v.Pre, err = t.preName(config); err != nil {
			return nil, err
		}
		v.Merges = t.Model.Merges.lines()
	}
	if err := v.place(t, size); err != nil {
		return nil, err
	}
	v.markAdded(t.Added)
	v.markAdded(config.tokens())
	if v.Model == "llama" {
		v.scoreByMerges(t.Model.Merges)
	}
	return v, nil
}

// place puts every token at its number.
func (v *Vocabulary) place(t *tokenizerJSON, size int) error {
	last := -1
	for text, id := range t.Model.Vocab.numbers {
		if id < 0 || id >= maxVocab {
			return fmt.Errorf("token %q has the number %d, want 0 to %d", text, id, maxVocab-1)
		}
		last = max(last, id)
	}
	for _, a := range t.Added {
		if a.ID < 0 || a.ID >= maxVocab {
			return fmt.Errorf("added token %q has the number %d, want 0 to %d", a.Content, a.ID, maxVocab-1)
		}
		last = max(last, a.ID)
	}
	switch {
	case last < 0:
		return errors.New("the vocabulary is empty")
	case size == 0:
		size = last + 1
	case last >= size:
		return fmt.Errorf("%d tokens, but the embedding has %d rows only", last+1, size)
	}
	if err := v.pad(size, len(t.Model.Vocab.numbers)+len(t.Added)); err != nil {
		return err
	}
	for text, id := range t.Model.Vocab.numbers {
		if v.Kinds[id] == Normal {
			return fmt.Errorf("tokens %q and %q have the same number %d", min(v.Tokens[id], text), max(v.Tokens[id], text), id)
		}
		v.Tokens[id], v.Kinds[id] = text, Normal
	}
	return nil
}

// markAdded sets the text and the kind of added tokens. Those beyond the embedding cannot be used and are left out.
func (v *Vocabulary) markAdded(tokens []addedToken) {
	for _, a := range tokens {
		switch {
		case a.ID < 0 || a.ID >= len(v.Tokens):
			v.note("added token %q has the number %d, beyond the %d rows of the embedding: left out", a.Content, a.ID, len(v.Tokens))
		case a.Special || looksSpecial(a.Content):
			v.Tokens[a.ID], v.Kinds[a.ID] = a.Content, Control
		default: // it is looked for in the text as it is written, where spaces are spaces
			v.Tokens[a.ID], v.Kinds[a.ID] = strings.ReplaceAll(a.Content, "▁", " "), UserDefined
		}
	}
}

// looksSpecial says of tokens that some models forget to mark as special.
func looksSpecial(text string) bool {
	switch text {
	case "<pad>", "<mask>", "<2mass>", "[@BOS@]":
		return true
	}
	around := func(begin, end string) bool { return strings.HasPrefix(text, begin) && strings.HasSuffix(text, end) }
	return around("<|", "|>") || around("<｜", "｜>") || around("<unused", ">")
}

var byteToken = regexp.MustCompile(`^<0x[0-9A-Fa-f]{2}>$`)

// scoreByMerges gives the tokens of a SentencePiece BPE scores in the order of its merges: what is merged first is best. Byte
// tokens get their kind. The unknown token is found by its usual name.
//
// (llama.cpp's converter gives all tokens the same score here, with which its programs cannot merge in the right order.)
func (v *Vocabulary) scoreByMerges(merges mergeList) {
	rank := make(map[string]int, len(merges))
	for i, m := range merges {
		joined := m[0] + m[1]
		if _, ok := rank[joined]; !ok {
			rank[joined] = i
		}
	}
	v.Scores = make([]float32, len(v.Tokens))
	for i, text := range v.Tokens {
		r, merged := rank[text]
		switch {
		case v.Kinds[i] == Unused:
			v.Scores[i] = unusedScore
		case v.Kinds[i] != Normal:
			v.Scores[i] = addedScore
		case byteToken.MatchString(text):
			v.Kinds[i] = Byte
		case merged:
			v.Scores[i] = float32(-r)
		case text == "<unk>":
			v.Kinds[i] = Unknown
		default:
			v.Scores[i] = float32(-len(merges))
		}
	}
}
