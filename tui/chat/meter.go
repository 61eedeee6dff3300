package chat

import "time"

// meter measures the speed of an answer while it comes.
type meter struct {
	since  time.Time // when the first tokens came
	tokens int       // that came after those
}

// add counts a batch and returns the tokens per second so far; 0: not known yet.
func (m *meter) add(b batch) float64 {
	switch {
	case b.tokens == 0:
	case m.since.IsZero():
		m.since = b.when
	default:
		m.tokens += b.tokens
	}
	if d := b.when.Sub(m.since); m.tokens > 0 && d > 0 {
		return float64(m.tokens) / d.Seconds()
	}
	return 0
}
