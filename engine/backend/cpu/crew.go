package cpu

import (
	"runtime"
	"sync/atomic"
	"time"
)

// crew is a set of workers that walk through a list of steps. The caller is worker 0; the others are goroutines locked to
// threads. The parts of a step are handed out by a counter, and the next step begins when all parts are done: nobody waits
// for a worker that the system has taken off its processor, unless it holds a part. Waiting is spinning, because a step of a
// small model takes microseconds and a channel takes as long.
type crew struct {
	n     int
	start []chan *walk // one a worker beside the caller
	walks []*walk      // to be used again when every worker has left them
}

// step is a piece of the forward pass that can be cut into independent parts.
type step interface {
	// parts says how many parts the batch of r makes. It is asked before the first step runs.
	parts(r *run) int
	// do computes one part; worker is the number of the worker, for scratch memory.
	do(r *run, worker, part int)
}

// walk is one batch on its way through the steps.
type walk struct {
	r        *run
	progress []progress   // by step
	workers  atomic.Int32 // still walking, the caller left out
}

// progress of one step, on a cache line of its own.
type progress struct {
	parts int32
	next  atomic.Int32 // part to hand out
	done  atomic.Int32
	_     [52]byte
}

func newCrew(n int) *crew {
	c := &crew{n: n}
	for worker := 1; worker < n; worker++ {
		start := make(chan *walk)
		c.start = append(c.start, start)
		go func() {
			runtime.LockOSThread()
			for w := range start {
				w.steps(worker)
				w.workers.Add(-1)
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

// run takes r through all steps. Workers that are still busy with an earlier batch are left out.
func (c *crew) run(r *run) {
	w := c.free(len(r.steps))
	w.r = r
	for i, s := range r.steps {
		p := &w.progress[i]
		p.parts = int32(s.parts(r))
		p.next.Store(0)
		p.done.Store(0)
	}
	for _, start := range c.start {
		w.workers.Add(1)
		select {
		case start <- w:
		default:
			w.workers.Add(-1)
		}
	}
	w.steps(0)
}

// free returns a walk that no worker is in any more. There is always one among n+1, since each of the n-1 workers is in
// one at most.
func (c *crew) free(steps int) *walk {
	for len(c.walks) <= c.n {
		c.walks = append(c.walks, &walk{progress: make([]progress, steps)})
	}
	i := 0
	for c.walks[i].workers.Load() > 0 {
		i++
	}
	return c.walks[i]
}

// steps helps with every step until all are done.
func (w *walk) steps(worker int) {
	for i := range w.progress {
		p := &w.progress[i]
		for part := p.next.Add(1) - 1; part < p.parts; part = p.next.Add(1) - 1 {
			w.r.steps[i].do(w.r, worker, int(part))
			p.done.Add(1)
		}
		p.wait()
	}
}

const (
	spins  = 1 << 12 // checks before giving the processor to other goroutines: some tens of microseconds
	yields = 1 << 6  // then before sleeping, for machines with more workers than free processors
)

// wait returns when all parts are done.
func (p *progress) wait() {
	for i := 0; p.done.Load() < p.parts; i++ {
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
