package debug

import (
	"strings"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/engine/vocab"
)

// Attempt is a control token that the text of a message spells: whoever wrote it could have ended a turn with it, and begun
// another.
type Attempt struct {
	Message int          `json:"message"` // index of the message
	Role    string       `json:"role"`
	Token   engine.Token `json:"token"`
	Text    string       `json:"text"`
	Offset  int          `json:"offset"` // in the rendered text
	Taken   bool         `json:"taken"`  // it became the control token; else it stayed text
}

// attempts finds the control tokens that messages spell, and marks the tokens that came of them.
func (s *Session) attempts(messages []chat.Message, text string, tokens []Token) (found []Attempt) {
	at := 0
	for i := range messages {
		m := &messages[i]
		for _, part := range spoken(m) {
			begin := strings.Index(text[at:], part)
			if begin < 0 {
				continue
			}
			begin += at
			for _, a := range s.spelled(part) {
				a.Message, a.Role, a.Offset = i, m.Role, a.Offset+begin
				a.Taken = mark(tokens, a)
				found = append(found, a)
			}
			at = begin + len(part)
		}
	}
	return found
}

// spoken are the texts of a message in the order in which templates write them.
func spoken(m *chat.Message) (parts []string) {
	add := func(text string) {
		if text = strings.TrimSpace(text); text != "" {
			parts = append(parts, text)
		}
	}
	add(m.Reasoning)
	if m.Parts == nil {
		add(m.Content)
	}
	for _, p := range m.Parts {
		add(p.Text)
	}
	return parts
}

// spelled lists the control tokens that a text spells.
func (s *Session) spelled(text string) (found []Attempt) {
	v := s.model.Vocab()
	o := vocab.EncodeOptions{ParseSpecial: true}
	tokens := v.Encode(text, o)
	var at []vocab.Range
	for i, t := range tokens {
		if !v.IsControl(t) {
			continue
		}
		if at == nil {
			at = v.Locate(text, tokens, o)
		}
		found = append(found, Attempt{Token: t, Text: v.Text(t), Offset: at[i].From})
	}
	return found
}

// mark marks the tokens of an attempt and reports whether one is the control token.
func mark(tokens []Token, a Attempt) (taken bool) {
	for i := range tokens {
		t := &tokens[i]
		if t.Length > 0 && t.Offset < a.Offset+len(a.Text) && t.Offset+t.Length > a.Offset {
			t.User = true
			taken = taken || t.ID == a.Token
		}
	}
	return taken
}
