package sched

import (
	"context"
	"time"

	"github.com/llamakit/llamakit/engine/kv"
)

// sequence is a request on its way.
type sequence struct {
	*Request
	ctx    context.Context
	sched  *Scheduler
	kv     *kv.Seq
	tokens []Token // prompt and answer; kv.Len() of them are computed

	rows      int   // of the current batch
	output    int   // first output of the current batch
	outputs   int   // outputs in the current batch
	slot      int   // its number
	step      int64 // when it was in a batch last
	border    int   // the last checkpoint to leave in the prompt; 0: none
	stops     []int // further ones, where others want to go on
	saved     int   // position of the latest checkpoint
	ended     bool  // Done was called
	restarted bool  // was put back to the queue
	shifted   bool  // in this step
	wakes     bool  // the end of its context wakes the loop
	counted   bool  // its cached tokens are in the totals

	leader *sequence // computes tokens that this one needs, too
	meet   int       // how far the leader must be
	stale  bool      // the leader is gone: look for another

	cached, generated, shifts int
	queued, admitted          time.Time
	first, latest             time.Time // tokens chosen
}

// pending are the tokens still to compute.
func (q *sequence) pending() []Token { return q.tokens[q.kv.Len():] }

// end releases the pages and reports.
func (q *sequence) end(err error) { q.finish(Outcome{Err: err}) }

func (q *sequence) finish(o Outcome) {
	q.ended = true
	if q.kv != nil {
		q.kv.Close()
		q.kv = nil
	}
	o.Cached, o.Generated, o.Shifts = q.cached, q.generated, q.shifts
	if !q.admitted.IsZero() {
		o.Queue = q.admitted.Sub(q.queued)
		o.Prompt = time.Since(q.admitted)
	}
	if !q.first.IsZero() {
		o.Prompt = q.first.Sub(q.admitted)
		o.Generate = q.latest.Sub(q.first)
	}
	last := q.sched.open.Add(-1) == 0
	q.Done(o)
	if last {
		select {
		case q.sched.idle <- struct{}{}:
		default:
		}
	}
}

// took hands a chosen token over and says whether the sequence ended.
func (s *Scheduler) took(q *sequence, t Token) {
	q.latest = time.Now()
	if q.generated == 0 {
		q.first = q.latest
	}
	q.generated++
	s.counts.Generated++
	q.tokens = append(q.tokens, t)
	switch {
	case q.Took(t):
		q.finish(Outcome{Stop: true})
	case q.generated == q.Max:
		q.finish(Outcome{})
	case len(q.tokens) > s.config.Context && !s.shift(q):
		q.finish(Outcome{Full: true})
	}
}

// takeSole takes the tokens that are certain.
func (s *Scheduler) takeSole(q *sequence) {
	for q.Sole != nil && !q.ended {
		t, ok, err := q.Sole()
		switch {
		case err != nil:
			q.end(err)
		case !ok:
			return
		default:
			s.took(q, t)
		}
	}
}

// shift makes room in a full context: of what follows the first Keep tokens the older half is forgotten, and what remains
// is computed anew at its new positions, so that the result is what a fresh prompt of those tokens would give.
func (s *Scheduler) shift(q *sequence) bool {
	keep := min(max(q.Keep, 0), s.config.Context-1)
	drop := (s.config.Context - keep + 1) / 2
	if !q.Shift || keep+drop >= len(q.tokens) {
		return false
	}
	q.tokens = append(q.tokens[:keep:keep], q.tokens[keep+drop:]...)
	s.leave(q)
	s.crowded = false
	q.kv.Close()
	q.shifts++
	q.shifted = true
	s.begin(q)
	return true
}
