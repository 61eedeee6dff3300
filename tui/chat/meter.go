package chat

import (
	"fmt"
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

// Status shows the context's use and the speed.
func (v *View) Status() string {
	s := v.contextUse()
	if v.speed != "" {
		s += "  " + v.speed
	}
	switch {
	case v.calling != nil:
		s += "  a tool is at work, Esc stops it"
	case v.running != nil:
		s += "  Esc stops"
	}
	return s
}

func (v *View) contextUse() string {
	context := v.source.Info().Context
	if context == 0 {
		return fmt.Sprintf("%d tokens", v.used)
	}
	used := min(v.used, context) // a shifted context forgets
	s := fmt.Sprintf("%d of %d tokens (%d%%)", used, context, 100*used/context)
	if v.width >= 60 {
		s = gauge(float64(used)/float64(context)) + " " + s
	}
	return s
}
