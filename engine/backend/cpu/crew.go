package cpu

import (
	"runtime"
	"sync/atomic"
	"time"
)

// crew is a fixed set of workers that walk through a list of steps together. The caller is worker 0; the others are
// goroutines locked to threads. Inside a step the parts are handed out by a counter; between steps all meet at a
// barrier that spins, because a step of a small model takes microseconds and a channel takes as long.
type crew struct {
	n     int
	start []chan *run // one a worker beside the caller
	done  chan struct{}

	arrived atomic.Int32
	phase   atomic.Uint32
}

// step is a piece of the forward pass that can be cut into independent parts.
type step interface {
	// parts says how many parts the batch of r makes.
	parts(r *run) int
	// do computes one part; worker is the number of the worker, for scratch memory.
	do(r *run, worker, part int)
}

func newCrew(n int) *crew {
	c := &crew{n: n, done: make(chan struct{}, n)}
	for w := 1; w < n; w++ {
		start := make(chan *run)
		c.start = append(c.start, start)
		go func() {
			runtime.LockOSThread()
			for r := range start {
				c.walk(r, w)
				c.done <- struct{}{}
			}
		}()
	}
	return c
}

// close ends the workers. No run may be under way.
func (c *crew) close() {
	for _, start := range c.start {
		close(start)
	}
}

// run walks through all steps of r and returns when every worker is done.
func (c *crew) run(r *run) {
	for i := range r.next {
		r.next[i].Store(0)
	}
	for _, start := range c.start {
		start <- r
	}
	c.walk(r, 0)
	for range c.start {
		<-c.done
	}
}

func (c *crew) walk(r *run, worker int) {
	for i, s := range r.steps {
		n := int32(s.parts(r))
		for part := r.next[i].Add(1) - 1; part < n; part = r.next[i].Add(1) - 1 {
			s.do(r, worker, int(part))
		}
		c.meet()
	}
}

const (
	spins  = 1 << 12 // checks before giving the processor to other goroutines: some tens of microseconds
	yields = 1 << 6  // then before sleeping, for machines with more workers than free processors
)

// meet returns when all workers have called it.
func (c *crew) meet() {
	if c.n == 1 {
		return
	}
	phase := c.phase.Load()
	if c.arrived.Add(1) == int32(c.n) {
		c.arrived.Store(0)
		c.phase.Add(1)
		return
	}
	for i := 0; c.phase.Load() == phase; i++ {
		switch {
		case i < spins:
			pause()
		case i < spins+yields:
			runtime.Gosched()
		default:
			time.Sleep(20 * time.Microsecond)
		}
	}
}
