package chat

import (
	"testing"
	"time"
)

func TestMeter(t *testing.T) {
	var m meter
	start := time.Unix(100, 0)
	for i, c := range []struct {
		generated int
		after     time.Duration
		want      float64
	}{{0, 0, 0}, {3, time.Second, 0}, {13, 2 * time.Second, 10}, {13, 3 * time.Second, 5}, {33, 4 * time.Second, 10}} {
		if got := m.add(batch{generated: c.generated, when: start.Add(c.after)}); got != c.want {
			t.Errorf("step %d: %g t/s, want %g", i, got, c.want)
		}
	}
}
