package engine

import (
	"strings"
	"sync"

	"github.com/llamakit/llamakit/engine/chat/calls"
	"github.com/llamakit/llamakit/engine/grammar"
	"github.com/llamakit/llamakit/engine/vocab"
)

// callTokens is a vocabulary as a format of calls needs it.
type callTokens struct {
	marks map[Token]bool      // control tokens that calls are made of
	words *grammar.Vocabulary // in which these have their texts
}

// callTokens are made once a format.
func (m *Model) callTokens(f *calls.Format) *callTokens {
	find, _ := m.formats.LoadOrStore(f, sync.OnceValue(func() *callTokens {
		marks := m.callMarks(f)
		if len(marks) == 0 {
			return &callTokens{words: m.words()}
		}
		return &callTokens{marks, grammar.NewVocabulary(marked{m.vocab, marks})}
	}))
	return find.(func() *callTokens)()
}

func (m *Model) callMarks(f *calls.Format) map[Token]bool {
	marks := map[Token]bool{}
	literals := strings.Join(f.Literals(), "\n")
	for t := range Token(m.vocab.Size()) {
		if text := m.vocab.Text(t); m.vocab.IsControl(t) && len(text) > 2 && strings.Contains(literals, text) {
			marks[t] = true
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
