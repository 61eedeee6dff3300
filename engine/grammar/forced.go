package grammar

import "bytes"

// maxForced bounds the bytes that Forced looks ahead.
const maxForced = 1024

// ForcedBytes returns the bytes that must come next, as far as there is only one way to go on. The matcher does not move.
func (m *Matcher) ForcedBytes() []byte {
	if m.stopped {
		return nil
	}
	m.g.mu.Lock()
	defer m.g.mu.Unlock()
	var out []byte
	for s := m.state; len(out) < maxForced; {
		c, next := m.g.builder.Only(s)
		if next == nil {
			return out
		}
		out, s = append(out, c), next
	}
	return out
}

// Forced returns tokens for the bytes that must come next, as encode makes them of a text. Tokens at the end that a longer
// token could take the place of are left to the model, since it has learnt texts in their usual tokens.
func (m *Matcher) Forced(encode func(text string) []Token) []Token {
	text := m.ForcedBytes()
	if len(text) == 0 {
		return nil
	}
	c := m.Clone()
	if _, err := c.AcceptBytes(text); err != nil {
		return nil
	}
	list := encode(string(text))
	for i, t := range list {
		p := m.v.pieces[t]
		if !bytes.HasPrefix(text, p) || len(p) == 0 || !c.Ended() && m.v.longer(text) {
			return list[:i]
		}
		text = text[len(p):]
	}
	return list
}

// longer reports whether a token begins with text and goes on.
func (v *Vocabulary) longer(text []byte) bool {
	lo, hi := 0, len(v.order)
	for lo < hi {
		if mid := (lo + hi) / 2; bytes.Compare(v.pieces[v.order[mid]], text) <= 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo < len(v.order) && bytes.HasPrefix(v.pieces[v.order[lo]], text)
}
