package sched

import (
	"cmp"
	"slices"

	"github.com/llamakit/llamakit/engine/backend"
	"github.com/llamakit/llamakit/engine/kv"
)

// pack builds the next batch. Sequences that generate come first, with one row each, so that a long prompt never keeps
// them waiting; where there are more of them than rows, those that waited longest. Prompts share the rows that are left. It
// returns false when there is nothing to compute.
func (s *Scheduler) pack() bool {
	b := &s.batch
	b.Tokens, b.Spans, b.Outputs = b.Tokens[:0], b.Spans[:0], b.Outputs[:0]
	s.step++
	for _, q := range s.running {
		q.rows = 0
	}
	if q := s.starved; q != nil {
		s.starved = nil
		if q.kv != nil && !s.waits(q) {
			s.place(q, s.share(q))
		}
	}
	for _, q := range s.byWaiting() {
		if q.kv != nil && q.rows == 0 { // place puts sequences back
			s.place(q, s.share(q))
		}
	}
	s.packPrompts()
	return len(b.Tokens) > 0
}

// byWaiting are the sequences that generate, those that waited longest first.
func (s *Scheduler) byWaiting() []*sequence {
	s.order = s.order[:0]
	for _, q := range s.running {
		if len(q.pending()) == 1 {
			s.order = append(s.order, q)
		}
	}
	slices.SortStableFunc(s.order, func(a, b *sequence) int { return cmp.Compare(a.step, b.step) })
	return s.order
}

// besideStreams is the part of a batch that prompts get while others generate: these wait for the whole batch.
const besideStreams = 4

// packPrompts gives the oldest prompt half of the rows that are left, at least, so that it ends some day. Of the rest the
// prompts with the least to compute get what they need: a short question does not wait for a long document.
func (s *Scheduler) packPrompts() {
	left := s.config.Rows - len(s.batch.Tokens)
	if len(s.batch.Tokens) > 0 && !s.config.Whole {
		left = min(left, max(kv.PageSize, s.config.Rows/besideStreams))
	}
	prompts := s.order[:0]
	for _, q := range s.running {
		if q.rows == 0 && len(q.pending()) > 1 && !s.waits(q) {
			prompts = append(prompts, q)
		}
	}
	if len(prompts) == 0 {
		return
	}
	oldest := prompts[0]
	slices.SortStableFunc(prompts, func(a, b *sequence) int { return cmp.Compare(len(a.pending()), len(b.pending())) })
	half := min(len(oldest.pending()), (left+1)/2)
	if s.config.Whole {
		half = 0
	}
	for _, q := range prompts {
		if q == oldest {
			half = 0
		}
		if q.kv != nil { // else put back for another
			left -= s.place(q, min(left-half, s.share(q)))
		}
	}
}

// share is how many of its tokens a sequence may compute in this batch.
func (s *Scheduler) share(q *sequence) int {
	pending, outputs := len(q.pending()), s.config.Outputs-len(s.batch.Outputs)
	n := min(pending, s.config.Rows-len(s.batch.Tokens))
	switch {
	case q.Row != nil:
		n = min(n, max(0, q.From-q.kv.Len())+outputs)
	case n == pending && outputs <= 0:
		n--
	}
	if s.config.Whole && n < pending {
		return 0 // its turn comes: the first of a batch has all rows
	}
	return n
}

// place puts the next n tokens of a running sequence into the batch, or fewer, to end at a checkpoint, and returns how many. When
// the cache has no page for them, younger sequences that are not in the batch go back to the queue, the youngest first; when there
// is none, this one waits, and comes first in the next batch if it is younger ones that kept it from going on.
func (s *Scheduler) place(q *sequence, n int) int {
	n = q.toCheckpoint(n)
	if n <= 0 {
		return 0
	}
	for !q.kv.Grow(n) {
		if !s.putBack(q) {
			return 0
		}
	}
	q.step = s.step
	b := &s.batch
	past := q.kv.Len()
	b.Spans = append(b.Spans, backend.Span{Row: len(b.Tokens), N: n, Past: past, Pages: q.kv.Pages(), State: q.kv.State()})
	b.Tokens = append(b.Tokens, q.tokens[past:past+n]...)
	q.rows, q.output, q.outputs = n, len(b.Outputs), 0
	first := len(b.Tokens) - n // row of position past
	switch {
	case q.Row != nil && past < len(q.Prompt):
		from, to := q.visited(past, past+n)
		for pos := from; pos < to; pos++ {
			b.Outputs = append(b.Outputs, int32(first+pos-past))
		}
		q.outputs = len(b.Outputs) - q.output
	case past+n == len(q.tokens):
		b.Outputs = append(b.Outputs, int32(len(b.Tokens)-1))
		q.outputs = 1
	}
	return n
}

// visited are the positions of [from, to) that Row receives.
func (r *Request) visited(from, to int) (int, int) {
	if r.To > 0 {
		to = min(to, r.To)
	}
	return max(from, r.From), to
}

// putBack returns the youngest sequence after q that is not in the batch to the head of the queue, and lets nobody in until a
// sequence ends. What it computed stays cached until the pages are needed.
func (s *Scheduler) putBack(q *sequence) bool {
	after, kept := slices.Index(s.running, q), false
	for j := len(s.running) - 1; j > after; j-- {
		victim := s.running[j]
		if victim.rows > 0 {
			kept = true
			continue
		}
		s.running = slices.Delete(s.running, j, j+1)
		s.requeue(victim, true)
		s.crowded = true
		return true
	}
	if kept {
		s.starved = q
	}
	return false
}

// harvest takes the results of a batch.
func (s *Scheduler) harvest() {
	for _, q := range s.running {
		if q.rows == 0 {
			continue
		}
		past := q.kv.Len()
		s.counts.computed(q, past)
		q.kv.Commit(q.tokens[past : past+q.rows]...)
		s.checkpoint(q)
		if q.Row != nil && past < len(q.Prompt) {
			first, _ := q.visited(past, past+q.rows)
			s.handRows(q, first)
		}
		if q.generated == 0 && q.Progress != nil {
			q.Progress(min(q.kv.Len(), len(q.Prompt)), len(q.Prompt))
		}
		if len(q.pending()) > 0 {
			continue
		}
		if q.Max == 0 {
			q.finish(Outcome{})
			continue
		}
		token, err := q.Choose(s.runner.Logits(q.output + q.outputs - 1))
		if err != nil {
			q.end(err)
			continue
		}
		s.took(q, token)
		s.takeSole(q)
	}
}

// handRows hands over the rows of a batch, the first of which stands at position first.
func (s *Scheduler) handRows(q *sequence, first int) {
	for i := range q.outputs {
		q.Row(first+i, s.runner.Logits(q.output+i), s.runner.Hidden(q.output+i))
	}
	if q.Flush != nil {
		q.Flush()
	}
}
