package parallel

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
)

func TestDo(t *testing.T) {
	for _, workers := range []int{1, 3, 50} {
		var calls [20]atomic.Int32
		err := Do(context.Background(), workers, len(calls), func(_ context.Context, i int) error {
			calls[i].Add(1)
			return nil
		})
		for i := range calls {
			if n := calls[i].Load(); err != nil || n != 1 {
				t.Errorf("%d workers, %v: %d calls with %d", workers, err, n, i)
			}
		}
	}
	if err := Do(context.Background(), 4, 0, nil); err != nil {
		t.Error(err)
	}
}

// TestStops: an error, or the end of the context, keeps what has not begun from beginning.
func TestStops(t *testing.T) {
	broken := errors.New("broken")
	var calls atomic.Int32
	err := Do(context.Background(), 2, 1000, func(ctx context.Context, i int) error {
		if calls.Add(1); i == 3 {
			return broken
		}
		if i > 3 {
			<-ctx.Done()
		}
		return nil
	})
	if err != broken || calls.Load() > 10 {
		t.Errorf("%v after %d calls", err, calls.Load())
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	calls.Store(0)
	if err := Do(ctx, 2, 5, func(context.Context, int) error { calls.Add(1); return nil }); err != context.Canceled || calls.Load() > 0 {
		t.Errorf("%v after %d calls", err, calls.Load())
	}
}
