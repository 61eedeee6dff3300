package engine

import (
	"strings"

	"github.com/llamakit/llamakit/engine/vocab"
)

// RankPrompt puts a query and a document together as the model's reranker was trained on: by the template "rerank" of the file, or
// else, as BERT does with two sentences, BOS query EOS SEP document EOS, without the tokens that the vocabulary does not add.
func (m *Model) RankPrompt(query, document string) ([]Token, error) {
	if m.vocab == nil {
		return nil, m.noVocab
	}
	if template := m.text("tokenizer.chat_template.rerank"); template != "" {
		text := strings.NewReplacer("{query}", query, "{document}", document).Replace(template)
		return m.vocab.Encode(text, vocab.EncodeOptions{ParseSpecial: true}), nil
	}
	v := m.vocab
	eos := v.EOS
	if eos == vocab.None {
		eos = v.SEP
	}
	var out []Token
	add := func(wanted bool, t Token) {
		if wanted && t != vocab.None {
			out = append(out, t)
		}
	}
	add(v.AddBOS, v.BOS)
	out = append(out, v.Encode(query, vocab.EncodeOptions{})...)
	add(v.AddEOS, eos)
	add(v.AddSEP, v.SEP)
	out = append(out, v.Encode(document, vocab.EncodeOptions{})...)
	add(v.AddEOS, eos)
	return out, nil
}
