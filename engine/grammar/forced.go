package grammar

// maxForced bounds the bytes that ForcedBytes looks ahead.
const maxForced = 1024

// Forced reports whether the text cannot end here and one byte only can come next. Which tokens begin with it is for Mask to say: text
// that is certain can most often be written in several tokens, and a model has learnt one of the ways.
func (m *Matcher) Forced() bool { return len(m.forced(1)) > 0 }

// ForcedBytes returns the bytes that must come next, as far as there is only one way to go on. The matcher does not move.
func (m *Matcher) ForcedBytes() []byte { return m.forced(maxForced) }

func (m *Matcher) forced(most int) (text []byte) {
	if m.stopped {
		return nil
	}
	m.g.mu.Lock()
	defer m.g.mu.Unlock()
	for s := m.state; len(text) < most; {
		c, next := m.g.builder.Only(s)
		if next == nil {
			break
		}
		text, s = append(text, c), next
	}
	return text
}
