package debug

import (
	"strings"
	"unicode/utf8"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/vocab"
)

// token describes a token.
func (s *Session) token(t engine.Token) Token {
	v := s.model.Vocab()
	return NewToken(t, v.Piece(t, true), v.Kind(t).String())
}

// NewToken describes a token by what it stands for.
func NewToken(t engine.Token, piece []byte, kind string) Token {
	out := Token{ID: t, Text: strings.ToValidUTF8(string(piece), "\ufffd"), Kind: kind}
	if !utf8.Valid(piece) {
		for _, b := range piece {
			out.Bytes = append(out.Bytes, int(b))
		}
	}
	return out
}

// locate describes the tokens of a text, with where in it they are.
func (s *Session) locate(text string, tokens []engine.Token) []Token {
	v := s.model.Vocab()
	spelled := v.BOS != vocab.None && len(tokens) > 0 && tokens[0] == v.BOS && strings.HasPrefix(text, v.Text(v.BOS)) && !v.DoubleBOS(tokens)
	at := v.Locate(text, tokens, vocab.EncodeOptions{AddSpecial: !spelled, ParseSpecial: true})
	out := make([]Token, len(tokens))
	for i, t := range tokens {
		out[i] = s.token(t)
		out[i].Offset, out[i].Length = at[i].From, at[i].To-at[i].From
	}
	return out
}

// appendAnswer adds a token to an answer.
func (s *Session) appendAnswer(answer []Token, t engine.Token) []Token {
	next := s.token(t)
	if n := len(answer); n > 0 {
		next.Offset = answer[n-1].Offset + answer[n-1].Length
	}
	if !next.Special() {
		next.Length = len(s.model.Vocab().Piece(t, false))
	}
	return append(answer, next)
}
