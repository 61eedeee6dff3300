package sched

import "context"

// A running sequence goes back to the queue for one of three reasons: the cache has no page for an older one (putBack), its reader has
// fallen behind (park), or it shifted its context, which it computes anew in any case, and others want its place: a stream without an end
// would keep it for ever. What it has computed stays cached as long as the pages are not needed, and it goes on where it stopped.

// requeue gives up what a sequence holds; it is no longer among the running ones. It comes first in the queue, or last.
func (s *Scheduler) requeue(q *sequence, first bool) {
	s.leave(q)
	q.kv.Close()
	q.kv, q.restarted = nil, true
	s.release(q)
	s.mu.Lock()
	defer s.mu.Unlock()
	if first {
		s.setQueue(append([]*sequence{q}, s.queue...))
	} else {
		s.setQueue(append(s.queue, q))
	}
}

// park puts a sequence aside until its reader is ready. While nothing runs nobody looks at contexts, so this one's wakes the loop.
func (s *Scheduler) park(q *sequence) {
	s.requeue(q, true)
	if !q.wakes {
		q.wakes = true
		context.AfterFunc(q.ctx, s.signal)
	}
}

func (q *sequence) ready() bool { return q.Ready == nil || q.Ready() }

// wanted says whether somebody who could run waits.
func (s *Scheduler) wanted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, q := range s.queue {
		if q.ready() && q.ctx.Err() == nil {
			return true
		}
	}
	return false
}
