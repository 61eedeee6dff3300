// Package parallel runs independent pieces of work on several processors.
package parallel

import (
	"context"
	"sync"
	"sync/atomic"
)

// Do calls do for 0 to n-1, as many at a time as there are workers, in no order. The first error, or the end of ctx, stops it
// and is returned.
func Do(ctx context.Context, workers, n int, do func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(n, workers) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				if err := do(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}
