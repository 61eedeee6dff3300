package hf

import "strings"

// wordPieces is BERT's tokenizer: pieces that continue a word begin with ## there; GGUF marks those that begin one instead, with
// the character that SentencePiece has for a space.
func (t *tokenizerJSON) wordPieces(size int, config *tokenizerConfig) (*Vocabulary, error) {
	v := &Vocabulary{Model: "bert", Pre: "default", add: map[string]bool{}, types: 1}
	if n := t.Normalizer; n != nil && n.Lowercase != nil {
		v.lowercase, v.cased = *n.Lowercase, !*n.Lowercase
	}
	if err := v.place(t, size); err != nil {
		return nil, err
	}
	v.markAdded(t.Added)
	v.markAdded(config.tokens())
	for i, text := range v.Tokens {
		if v.Kinds[i] != Normal {
			continue
		}
		if rest, ok := strings.CutPrefix(text, "##"); ok {
			v.Tokens[i] = rest
		} else {
			v.Tokens[i] = "▁" + text
		}
	}
	return v, nil
}
