package hf

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
)

// Scores of tokens that take no part in merges, as llama.cpp's converter writes them.
const (
	addedScore  = -1000
	unusedScore = -10000
)

// pieceVocabulary makes the token list of a tokenizer.model, with the tokens that other files add.
func (f *Folder) pieceVocabulary(data []byte, t *tokenizerJSON, size int, config *tokenizerConfig) (*Vocabulary, error) {
	added := map[string]int{}
	if _, err := f.readJSON("added_tokens.json", &added); err != nil {
		return nil, err
	}
	m, err := parseSentencePiece(data)
	var v *Vocabulary
	if err == nil {
		v, err = m.vocabulary(size, added, config.tokens(), t.Added)
	}
	if err == nil {
		err = f.finish(v, t, config)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(f.Path, "tokenizer.model"), err)
	}
	return v, nil
}

// vocabulary places the pieces, and the tokens that other files add or mark: added_tokens.json, tokenizer_config.json and,
// where neither has a token, tokenizer.json.
func (m *sentencePiece) vocabulary(size int, added map[string]int, marked, more []addedToken) (*Vocabulary, error) {
	if m.modelType != 2 {
		return nil, fmt.Errorf("%w SentencePiece model of type %d, want 2 (BPE)", ErrUnsupported, m.modelType)
	}
	if size == 0 {
		size = m.size(added, marked, more)
	}
	for i, p := range m.pieces {
		if p.kind < int(Normal) || p.kind > int(Byte) {
			return nil, fmt.Errorf("piece %d is of type %d, want 1 to 6", i, p.kind)
		}
	}
	if len(m.pieces) > size {
		return nil, fmt.Errorf("%d tokens, but the embedding has %d rows only", len(m.pieces), size)
	}
	v := &Vocabulary{Model: "llama", Pre: "default", add: map[string]bool{}}
	if err := v.pad(size, len(m.pieces)+len(added)+len(marked)+len(more)); err != nil {
		return nil, err
	}
	v.placePieces(m.pieces)
	v.placeAdded(added)
	v.markAdded(marked)
	v.markAdded(v.unknownTo(more))
	for _, t := range append(marked, more...) {
		if t.ID >= 0 && t.ID < size && (v.Kinds[t.ID] == Control || v.Kinds[t.ID] == UserDefined) {
			v.Scores[t.ID] = addedScore
		}
	}
	prefix := m.addDummyPrefix
	v.prefix = &prefix
	return v, nil
}

// size is the number of tokens where no embedding says it.
func (m *sentencePiece) size(added map[string]int, lists ...[]addedToken) int {
	size := len(m.pieces)
	grow := func(id int) {
		if id >= size && id < maxVocab {
			size = id + 1
		}
	}
	for _, id := range added {
		grow(id)
	}
	for _, list := range lists {
		for _, t := range list {
			grow(t.ID)
		}
	}
	return size
}

// placePieces sets the tokens of the model. A user-defined piece counts as an ordinary one, as in llama.cpp's converter: its
// text has ▁ for a space, while user-defined tokens of GGUF are looked for in the text before spaces are replaced.
func (v *Vocabulary) placePieces(pieces []piece) {
	v.Scores = make([]float32, len(v.Tokens))
	for i := range v.Scores {
		v.Scores[i] = unusedScore
	}
	for i, p := range pieces {
		kind := Kind(p.kind)
		if kind == UserDefined {
			kind = Normal
		}
		v.Tokens[i], v.Scores[i], v.Kinds[i] = p.text, p.score, kind
	}
}

// placeAdded sets the tokens of added_tokens.json.
func (v *Vocabulary) placeAdded(added map[string]int) {
	for _, text := range slices.Sorted(maps.Keys(added)) {
		if id := added[text]; id >= 0 && id < len(v.Tokens) {
			v.Tokens[id], v.Scores[id], v.Kinds[id] = text, addedScore, UserDefined
		} else {
			v.note("added token %q has the number %d, beyond the %d rows of the embedding: left out", text, id, len(v.Tokens))
		}
	}
}

// unknownTo are those of the tokens whose number no other file gives a text, beyond the embedding or not.
func (v *Vocabulary) unknownTo(tokens []addedToken) []addedToken {
	var out []addedToken
	for _, t := range tokens {
		if t.ID >= 0 && t.ID < len(v.Tokens) && v.Kinds[t.ID] == Unused {
			out = append(out, t)
		}
	}
	return out
}
