package sched

import (
	"slices"

	"github.com/llamakit/llamakit/engine/kv"
)

// A recurrent state is reused at checkpoints only, so a sequence leaves some on its way through the prompt: at the last border
// of a page before the prompt's end, where the next turn of a conversation or another answer will begin, and now and then
// before, for prompts that begin alike. Chunks are cut to end there. The state at the end of a sequence becomes a checkpoint,
// too, when the sequence is closed.

// checkpointSpacing is the least distance of the checkpoints on the way, in tokens: a state is as large as the keys and values
// of some hundred tokens.
const checkpointSpacing = 256

// planCheckpoints is called when the computed prefix of q is known.
func (q *sequence) planCheckpoints() {
	q.border, q.saved = 0, q.kv.Len()
	if q.kv.State() != kv.NoSlot && q.Row == nil {
		q.border = (len(q.tokens) - 1) / kv.PageSize * kv.PageSize
	}
}

// toCheckpoint shortens a chunk of n tokens to end at the border of a page, where it crosses one, and where another sequence wants
// to go on.
func (q *sequence) toCheckpoint(n int) int {
	past := q.kv.Len()
	for _, stop := range q.stops {
		if stop > past {
			n = min(n, stop-past)
		}
	}
	if past >= q.border {
		return n
	}
	if end := min(past+n, q.border) / kv.PageSize * kv.PageSize; end > past {
		return end - past
	}
	return n
}

// checkpoint keeps the state of a sequence where it is wanted.
func (s *Scheduler) checkpoint(q *sequence) {
	at := q.kv.Len()
	wanted := at == q.border || at < q.border && at-q.saved >= checkpointSpacing || slices.Contains(q.stops, at)
	if !wanted {
		return
	}
	if c, ok := q.kv.Save(); ok {
		s.runner.CopyState(c)
		q.saved = at
	}
}
