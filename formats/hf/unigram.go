package hf

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
)

// scoredPiece is an entry of a unigram vocabulary: [text, score].
type scoredPiece struct {
	text  string
	score float32
}

func (p *scoredPiece) UnmarshalJSON(data []byte) error {
	pair := [2]any{&p.text, &p.score}
	if json.Unmarshal(data, &pair) != nil || pair[0] == nil || pair[1] == nil {
		return errors.New("an entry of the vocabulary is no text with a score")
	}
	return nil
}

// unigram makes the token list of SentencePiece's unigram model as T5 and XLM-RoBERTa have it.
func (t *tokenizerJSON) unigram(size int, config *tokenizerConfig) (*Vocabulary, error) {
	pieces := t.Model.Vocab.pieces
	numbers := make(map[string]int, len(pieces))
	for i, p := range pieces {
		if _, twice := numbers[p.text]; twice {
			return nil, fmt.Errorf("token %q is there twice", p.text)
		}
		numbers[p.text] = i
	}
	t.Model.Vocab.numbers = numbers
	v := &Vocabulary{Model: "t5", Pre: "default", add: map[string]bool{}}
	if err := v.place(t, size); err != nil {
		return nil, err
	}
	v.Scores = make([]float32, len(v.Tokens))
	for i := range v.Scores {
		v.Scores[i] = unusedScore
		if i < len(pieces) {
			v.Scores[i] = pieces[i].score
		}
	}
	v.markAdded(t.Added)
	v.markAdded(config.tokens())
	if unk := t.Model.UnkID; unk != nil && *unk >= 0 && *unk < len(v.Tokens) {
		v.Kinds[*unk] = Unknown
	}
	prefix := t.spacePrefix()
	v.prefix = &prefix
	v.mergeSpaces = t.mergesSpaces()
	if n := t.Normalizer.find("Precompiled"); n != nil {
		var err error
		if v.charsMap, err = base64.StdEncoding.DecodeString(n.CharsMap); err != nil {
			return nil, fmt.Errorf("precompiled_charsmap: %w", err)
		}
	}
	return v, nil
}

// mergesSpaces says whether a run of spaces counts as one: by a normaliser that replaces it, or where words are split at white
// space.
func (t *tokenizerJSON) mergesSpaces() bool {
	replace := t.Normalizer.find("Replace")
	return replace != nil && replace.Pattern != nil && replace.Pattern.Regex == " {2,}" || t.PreTokenizer.find("WhitespaceSplit") != nil
}
