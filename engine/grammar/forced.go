package grammar

// Forced reports whether the text cannot end here and one byte only can come next. Which tokens begin with it is for Mask to say: text
// that is certain can most often be written in several tokens, and a model has learnt one of the ways.
func (m *Matcher) Forced() bool {
	if m.stopped {
		return false
	}
	m.g.mu.Lock()
	defer m.g.mu.Unlock()
	_, next := m.g.builder.Only(m.state)
	return next != nil
}
