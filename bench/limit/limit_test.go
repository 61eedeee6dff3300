package limit

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/llamakit/llamakit/engine/backend/cpu/kernel"
)

// TestMeasure runs the loops of every instruction set that there is.
func TestMeasure(t *testing.T) {
	for _, tier := range []kernel.Tier{kernel.Generic, kernel.AVX2, kernel.AVX512} {
		restore, ok := kernel.Use(tier)
		if !ok {
			continue
		}
		m, err := Measure(context.Background(), 2, Options{Buffer: 3 << 20, Duration: time.Microsecond, Trials: 1})
		restore()
		if err != nil || m.Threads != 2 || !(m.Read > 0 && m.Int8 > 0 && m.Float32 > 0 && m.BF16 > 0) {
			t.Errorf("%v: %+v, %v", tier, m, err)
		}
	}
}

func TestMeasureStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Measure(ctx, 1, Options{Buffer: 1 << 20}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
