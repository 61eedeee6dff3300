package cpu

import (
	"runtime"
	"sync/atomic"
	"time"
)

// crew is a set of workers that walk through a list of steps. The caller is worker 0; the others are goroutines locked to
// threads. Every worker has a share of the parts of a step, which lie side by side, so that it reads memory on from where it
// was; who is done with his own takes from the others' ends. The next step begins when all parts are done: nobody waits
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
	steps    []step
	progress []progress   // by step
	workers  atomic.Int32 // still walking, the caller left out
}

// progress of one step.
type progress struct {
	shares []share // by worker
	parts  int32
	done   atomic.Int32
	_      [32]byte // a cache line
}

// begin divides parts among the workers.
func (p *progress) begin(parts int) {
	n := len(p.shares)
	for i := range p.shares {
		p.shares[i].set(parts*i/n, parts*(i+1)/n)
	}
	p.parts = int32(parts)
	p.done.Store(0)
}

// take returns a part that nobody has taken: of the worker's own share while there is one.
func (p *progress) take(worker int) (part int, ok bool) {
	if part, ok = p.shares[worker].first(); ok {
		return part, true
	}
	for i := 1; i < len(p.shares) && !ok; i++ {
		part, ok = p.shares[(worker+i)%len(p.shares)].last()
	}
	return part, ok
}

func newCrew(n int) *crew {
	c := &crew{n: n}
	for worker := 1; worker < n; worker++ {
		start := make(chan *walk)
		c.start = append(c.start, start)
		go func() {
			runtime.LockOSThread()
			for w := range start {
				w.help(worker)
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

// run takes r through steps, of which there are at most as many as the program has. Workers that are still busy with an earlier batch
// are left out.
func (c *crew) run(r *run, steps []step) {
	w := c.free(len(r.steps))
	w.r, w.steps = r, steps
	for i, s := range steps {
		w.progress[i].begin(s.parts(r))
	}
	for _, start := range c.start {
		w.workers.Add(1)
		select {
		case start <- w:
		default:
			w.workers.Add(-1)
		}
	}
	w.help(0)
}

// free returns a walk that no worker is in any more. There is always one among n+1, since each of the n-1 workers is in
// one at most.
func (c *crew) free(steps int) *walk {
	for len(c.walks) <= c.n {
		c.walks = append(c.walks, newWalk(steps, c.n))
	}
	i := 0
	for c.walks[i].workers.Load() > 0 {
		i++
	}
	return c.walks[i]
}

func newWalk(steps, workers int) *walk {
	w := &walk{progress: make([]progress, steps)}
	for i := range w.progress {
		w.progress[i].shares = make([]share, workers)
	}
	return w
}

// help has a worker help with every step until all are done.
func (w *walk) help(worker int) {
	for i, s := range w.steps {
		p := &w.progress[i]
		for part, ok := p.take(worker); ok; part, ok = p.take(worker) {
			s.do(w.r, worker, part)
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
