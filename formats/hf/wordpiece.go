package hf

import "strings"

// wordPiece makes the token list of BERT's tokenizer. GGUF marks the beginning of a word with ▁ instead of its continuations
// with ##.
func (t *tokenizerJSON) wordPiece(size int, config *tokenizerConfig) (*Vocabulary, error) {
	v := &Vocabulary{Model: "bert", Pre: "default", add: map[string]bool{}, normalizer: map[string]bool{}}
	if err := v.place(t, size); err != nil {
		return nil, err
	}
	v.markAdded(t.Added)
	v.markAdded(config.tokens())
	for i, text := range v.Tokens {
		if v.Kinds[i] != Normal {
			continue
		}
		if rest, ok := strings.CutPrefix(text, "##"); ok && rest != "" {
			v.Tokens[i] = rest
		} else {
			v.Tokens[i] = "▁" + text
		}
	}
	if n := t.Normalizer.find("BertNormalizer"); n != nil {
		v.normalizer["lowercase"] = n.Lowercase == nil || *n.Lowercase
		if n.StripAccents != nil {
			v.normalizer["strip_accents"] = *n.StripAccents
		}
	}
	return v, nil
}

// bertTexts fill in the special tokens of a BERT without tokenizer_config.json.
var bertTexts = map[string]string{"unk": "[UNK]", "sep": "[SEP]", "pad": "[PAD]", "cls": "[CLS]", "mask": "[MASK]", "bos": "[CLS]", "eos": "[SEP]"}

func (v *Vocabulary) fillTexts(texts map[string]string) {
	if v.Model != "bert" {
		return
	}
	for name, text := range bertTexts {
		if texts[name] == "" {
			texts[name] = text
		}
	}
}
