package source

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/llamakit/llamakit/engine"
)

// Prompt asks the server to render a conversation, and to cut it.
func (s *Server) Prompt(ctx context.Context, r Request) (string, []engine.Token, error) {
	if len(r.Tokens) > 0 {
		text, err := s.detokenize(ctx, r.Tokens)
		return text, r.Tokens, err
	}
	text, add := r.Prompt, true
	if len(r.Messages) > 0 {
		body, err := r.Body(s.info.Sampling)
		if err != nil {
			return "", nil, err
		}
		var rendered struct{ Prompt string }
		if err := s.client.Call(ctx, "/apply-template", body, &rendered); err != nil {
			return "", nil, err
		}
		text = rendered.Prompt
		add = s.bos == "" || !strings.HasPrefix(text, s.bos) // the template wrote it
	}
	tokens, err := s.Tokenize(ctx, text, add)
	ids := make([]engine.Token, len(tokens))
	for i, t := range tokens {
		ids[i] = t.ID
	}
	return text, ids, err
}

// Tokenize asks the server to cut a text.
func (s *Server) Tokenize(ctx context.Context, text string, add bool) ([]Token, error) {
	body := Body{{"content", text}, {"add_special", add}, {"parse_special", true}, {"with_pieces", true}}
	var answer struct {
		Tokens []struct {
			ID    engine.Token
			Piece json.RawMessage
		}
	}
	if err := s.client.Call(ctx, "/tokenize", body, &answer); err != nil {
		return nil, err
	}
	out := make([]Token, len(answer.Tokens))
	for i, t := range answer.Tokens {
		out[i] = Token{ID: t.ID, Bytes: pieceBytes(t.Piece)}
	}
	s.learn(out...)
	return out, nil
}

// pieceBytes reads a piece: text, or a list of bytes where it is a part of a character.
func pieceBytes(data json.RawMessage) []byte {
	var text string
	if json.Unmarshal(data, &text) == nil {
		return []byte(text)
	}
	var numbers []byte
	var list []int
	if json.Unmarshal(data, &list) == nil {
		for _, n := range list {
			numbers = append(numbers, byte(n))
		}
	}
	return numbers
}

// learn remembers the texts of tokens.
func (s *Server) learn(tokens ...Token) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range tokens {
		s.pieces[t.ID] = t
	}
}

func (s *Server) known(id engine.Token) (Token, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.pieces[id]
	return t, ok
}

// Pieces are the texts of tokens: of those that no answer has told, one question each.
func (s *Server) Pieces(ctx context.Context, ids []engine.Token) ([]Token, error) {
	out := make([]Token, len(ids))
	for i, id := range ids {
		t, ok := s.known(id)
		if !ok {
			text, err := s.detokenize(ctx, []engine.Token{id})
			if err != nil {
				return nil, err
			}
			t = Token{ID: id, Bytes: []byte(text)}
			s.learn(t)
		}
		out[i] = t
	}
	return out, nil
}

func (s *Server) detokenize(ctx context.Context, ids []engine.Token) (string, error) {
	var answer struct{ Content string }
	err := s.client.Call(ctx, "/detokenize", Body{{"tokens", ids}}, &answer)
	return answer.Content, err
}
