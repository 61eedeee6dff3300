package serve

import (
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/llamakit/llamakit/engine"
)

// ledger is the list of the jobs that are open. A job that leaves the engine's queue has a slot until it is done.
// Slots hold nothing: every job finds what any other has computed.
type ledger struct {
	mu      sync.Mutex
	queue   int               // jobs that wait at most
	next    int64             // number of the next job
	slots   []*job            // who has them, or nil
	last    []*job            // who had them before
	entered map[*job]struct{} // all that are not done

	open, running atomic.Int32 // jobs entered, and in slots, for who does not want to wait for the lock
}

// size sizes the ledger, before the first job.
func (l *ledger) size(slots, queue int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.queue, l.slots, l.last, l.entered = queue, make([]*job, slots), make([]*job, slots), map[*job]struct{}{}
}

// admit enters jobs, all or none.
func (l *ledger) admit(jobs []*job) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch room := len(l.slots) + l.queue; {
	case len(jobs) > room:
		return badRequest("the request wants %d answers, %d may be open at once", len(jobs), room)
	case len(l.entered)+len(jobs) > room:
		return fail(http.StatusTooManyRequests, "the queue is full: %d answers are open, %d may be", len(l.entered), room)
	}
	for _, j := range jobs {
		l.next++
		j.id, j.slot, j.queued = l.next, -1, time.Now()
		l.entered[j] = struct{}{}
	}
	l.open.Store(int32(len(l.entered)))
	return nil
}

// leave takes jobs out; those that left before are ignored.
func (l *ledger) leave(jobs ...*job) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, j := range jobs {
		delete(l.entered, j)
		l.stand(j)
	}
	l.open.Store(int32(len(l.entered)))
}

// stand takes a job from its slot. Another may have that already: the engine's slots are free before the ledger's.
func (l *ledger) stand(j *job) {
	if j.slot >= 0 && l.slots[j.slot] == j {
		l.slots[j.slot], l.last[j.slot] = nil, j
		l.running.Add(-1)
	}
}

// took notes an event of a job.
func (l *ledger) took(j *job, e engine.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if j.admitted.IsZero() {
		j.admitted = time.Now()
		j.cached = e.PromptDone
	}
	if j.slot != e.Slot {
		l.stand(j)
		if l.slots[e.Slot] == nil {
			l.running.Add(1)
		}
		j.slot, l.slots[e.Slot] = e.Slot, j
	}
	j.add(e)
}

// counts are how many jobs wait and run.
func (l *ledger) counts() (waiting, running int) {
	running = int(l.running.Load())
	return max(0, int(l.open.Load())-running), running
}
