package engine

import (
	"strings"

	"github.com/llamakit/llamakit/engine/grammar"
	"github.com/llamakit/llamakit/engine/vocab"
)

// callMarks finds the control tokens that calls are made of in the format of the model's template.
func (m *Model) callMarks() map[Token]bool {
	marks := map[Token]bool{}
	literals := m.template.CallFormat().Literals()
	for t := range Token(m.vocab.Size()) {
		text := m.vocab.Text(t)
		if !m.vocab.IsControl(t) || len(text) < 3 {
			continue
		}
		for _, l := range literals {
			marks[t] = marks[t] || strings.Contains(l, text)
		}
		if !marks[t] {
			delete(marks, t)
		}
	}
	return marks
}

// marked is a vocabulary in which some control tokens have their texts, so that a grammar can ask for them.
type marked struct {
	*vocab.Vocab
	marks map[Token]bool
}

// Piece is the text of a token.
func (v marked) Piece(t Token, special bool) []byte { return v.Vocab.Piece(t, special || v.marks[t]) }

// IsEOG leaves out the marks: one that ends a call may also end the answer.
func (v marked) IsEOG(t Token) bool { return v.Vocab.IsEOG(t) && !v.marks[t] }

func (m *Model) markedWords() *grammar.Vocabulary {
	if len(m.marks()) == 0 {
		return m.words()
	}
	return grammar.NewVocabulary(marked{m.vocab, m.marks()})
}
