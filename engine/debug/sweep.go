package debug

import (
	"context"
	"errors"
	"sync"
)

// Sweep runs an input with several seeds, side by side as far as there is room. Runs come in the order of the seeds; done is
// called after each, in any order, one at a time. The first error that is not a run's own ends it.
func Sweep(ctx context.Context, s Runner, in Input, seeds []int64, o Options, done func(*Run)) ([]*Run, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	runs, errs := make([]*Run, len(seeds)), make([]error, len(seeds))
	next := make(chan int)
	var wg sync.WaitGroup
	var mu sync.Mutex
	for range min(s.Parallel(), len(seeds)) {
		wg.Go(func() {
			for i := range next {
				one := in
				one.Sampling.Seed = seeds[i]
				if runs[i], errs[i] = s.Run(ctx, one, o, nil); errs[i] != nil {
					cancel()
				} else if done != nil {
					mu.Lock()
					done(runs[i])
					mu.Unlock()
				}
			}
		})
	}
	for i := range seeds {
		select {
		case next <- i:
		case <-ctx.Done():
		}
	}
	close(next)
	wg.Wait()
	return runs, firstError(errs)
}

// firstError prefers an error to the cancellations that it caused.
func firstError(errs []error) (first error) {
	for _, err := range errs {
		if err != nil && (first == nil || errors.Is(first, context.Canceled)) {
			first = err
		}
	}
	return first
}

// Group is the runs of a sweep that gave the same answer.
type Group struct {
	Answer string  `json:"answer"`
	Stop   string  `json:"stop"`
	Seeds  []int64 `json:"seeds"`
	Parts  int     `json:"parts"` // token at which it parts from the first group; -1: it is the first
}

// Groups gathers equal answers, in the order of their first seeds.
func Groups(runs []*Run) (groups []Group) {
	var first []*Run
	for _, r := range runs {
		known := false
		for i := range groups {
			if parts(first[i].Answer, r.Answer) < 0 {
				groups[i].Seeds, known = append(groups[i].Seeds, r.Input.Sampling.Seed), true
				break
			}
		}
		if !known {
			g := Group{Answer: r.Raw(), Stop: r.Stop.Reason, Seeds: []int64{r.Input.Sampling.Seed}, Parts: -1}
			if len(first) > 0 {
				g.Parts = parts(first[0].Answer, r.Answer)
			}
			first, groups = append(first, r), append(groups, g)
		}
	}
	return groups
}
