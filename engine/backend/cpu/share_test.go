package cpu

import (
	"sync"
	"sync/atomic"
	"testing"
)

// TestEveryPartOnce: workers that take parts at once get each part of a step once, whatever their number.
func TestEveryPartOnce(t *testing.T) {
	for workers := 1; workers <= 5; workers++ {
		w := newWalk(1, workers)
		for _, parts := range []int{0, 1, 2, 7, 1000} {
			w.progress[0].begin(parts)
			taken := make([]atomic.Int32, parts)
			var wg sync.WaitGroup
			for worker := range workers {
				wg.Go(func() {
					for part, ok := w.progress[0].take(worker); ok; part, ok = w.progress[0].take(worker) {
						taken[part].Add(1)
					}
				})
			}
			wg.Wait()
			for part := range taken {
				if n := taken[part].Load(); n != 1 {
					t.Errorf("%d workers, %d parts: part %d was taken %d times", workers, parts, part, n)
				}
			}
		}
	}
}

// TestSharesLieSideBySide: a worker that is alone with its share goes through it in order, then takes the others' from the end.
func TestSharesLieSideBySide(t *testing.T) {
	w := newWalk(1, 2)
	w.progress[0].begin(5)
	for _, want := range []int{2, 3, 4, 1, 0} {
		if part, ok := w.progress[0].take(1); !ok || part != want {
			t.Fatalf("part %d, %v, want %d", part, ok, want)
		}
	}
}
