package sched

import "github.com/llamakit/llamakit/engine/backend"

// pack builds the next batch. Sequences that generate come first, with one row each, so that a long prompt never keeps
// them waiting; prompts share the rows that are left, the oldest first. It returns false when there is nothing to compute.
func (s *Scheduler) pack() bool {
	b := &s.batch
	b.Tokens, b.Spans, b.Outputs = b.Tokens[:0], b.Spans[:0], b.Outputs[:0]
	for _, q := range s.running {
		q.rows = 0
	}
	for i := 0; i < len(s.running); i++ { // place shortens the list
		if q := s.running[i]; len(q.pending()) == 1 {
			s.place(i, q, 1)
		}
	}
	for i := 0; i < len(s.running); i++ {
		if q := s.running[i]; q.rows == 0 {
			s.place(i, q, q.toCheckpoint(s.share(q)))
		}
	}
	return len(b.Tokens) > 0
}

// share is how many rows of its prompt a sequence may compute in this batch.
func (s *Scheduler) share(q *sequence) int {
	n := min(len(q.pending()), s.config.Rows-len(s.batch.Tokens))
	if q.Row != nil {
		n = min(n, max(0, q.From-q.kv.Len())+s.config.Outputs-len(s.batch.Outputs))
	}
	if s.config.Whole && n < len(q.pending()) {
		return 0 // its turn comes: the first of a batch has all rows
	}
	return n
}

// place puts the next n tokens of the i-th running sequence into the batch. When the cache has no page for them, younger
// sequences that are not in the batch go back to the queue, the youngest first; when there is none, this one waits.
func (s *Scheduler) place(i int, q *sequence, n int) {
	if n <= 0 || len(s.batch.Tokens)+n > s.config.Rows {
		return
	}
	for !q.kv.Grow(n) {
		if !s.putBack(i) {
			return
		}
	}
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
}

// visited are the positions of [from, to) that Row receives.
func (r *Request) visited(from, to int) (int, int) {
	if r.To > 0 {
		to = min(to, r.To)
	}
	return max(from, r.From), to
}

// putBack returns the youngest sequence after the i-th that is not in the batch to the head of the queue. What it computed
// stays cached until the pages are needed.
func (s *Scheduler) putBack(i int) bool {
	for j := len(s.running) - 1; j > i; j-- {
		q := s.running[j]
		if q.rows > 0 {
			continue
		}
		q.kv.Close()
		q.kv, q.restarted = nil, true
		s.running = append(s.running[:j], s.running[j+1:]...)
		s.mu.Lock()
		s.queue = append([]*sequence{q}, s.queue...)
		s.mu.Unlock()
		return true
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
