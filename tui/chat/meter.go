package chat

import (
	"strings"
	"time"
)

// meter measures the speed of an answer while it comes.
type meter struct {
	since time.Time // when the first tokens came
	first int       // how many those were
}

// add takes a batch and returns the tokens per second so far; 0: not known yet.
func (m *meter) add(b batch) float64 {
	if m.since.IsZero() {
		if b.generated > 0 {
			m.since, m.first = b.when, b.generated
		}
		return 0
	}
	if d := b.when.Sub(m.since); b.generated > m.first && d > 0 {
		return float64(b.generated-m.first) / d.Seconds()
	}
	return 0
}

// gauge is a bar of eight cells.
func gauge(fraction float64) string {
	const size = 8
	full := min(int(fraction*size+0.5), size)
	return strings.Repeat("▰", full) + strings.Repeat("▱", size-full)
}
