package sched

import (
	"slices"
	"sync"
	"time"

	"github.com/llamakit/llamakit/engine/backend"
	"github.com/llamakit/llamakit/engine/kv"
)

// Stats is what a scheduler does now, and did since it was made.
type Stats struct {
	Waiting, Running int // requests
	Pages            kv.Stats
	Slots            []SlotStats // by number

	Steps   int64 // batches computed
	Rows    int64 // in those batches
	Busy    int64 // sequences in those batches, summed
	Longest int   // tokens of the longest sequence

	// Tokens of all requests so far: of prompts, computed and found in the cache, and chosen.
	Computed, Cached, Generated int64
}

// counts are the loop's own numbers, and the latest that others may see.
type counts struct {
	Stats
	counted time.Time // when the pages were counted: it is a walk through the tree

	mu     sync.Mutex
	latest Stats // its Slots are its own
	pages  []kv.PageState
	spare  []kv.PageState // the loop's, to draw the next map in without the lock
}

// countEvery bounds the time that counting pages takes of a busy scheduler.
const countEvery = 50 * time.Millisecond

func (c *counts) step(b *backend.Batch) {
	c.Steps++
	c.Rows += int64(len(b.Tokens))
	c.Busy += int64(len(b.Spans))
	for _, span := range b.Spans {
		c.Longest = max(c.Longest, span.Past+span.N)
	}
}

// publish lets others see how things stand. It is called by the loop, between steps.
func (s *Scheduler) publish() {
	c := &s.counts
	c.Running = len(s.running)
	now := time.Now()
	count := c.Running == 0 || now.Sub(c.counted) > countEvery
	if count {
		c.Pages, c.counted, c.spare = s.pool.Stats(), now, s.pool.Map(c.spare)
	}
	c.mu.Lock()
	if count {
		c.pages, c.spare = c.spare, c.pages
	}
	slots := c.latest.Slots[:0]
	for i := range s.slots {
		slots = append(slots, s.slots[i].stats())
	}
	c.latest = c.Stats
	c.latest.Slots = slots
	c.mu.Unlock()
}

// Stats returns how things stand after the latest step. Pages of a busy scheduler may be some steps old. It does not take the lock of
// the queue, which the loop holds while it lets requests in: that may find and copy much.
func (s *Scheduler) Stats() Stats {
	s.counts.mu.Lock()
	stats := s.counts.latest
	stats.Slots = slices.Clone(stats.Slots)
	s.counts.mu.Unlock()
	stats.Waiting = int(s.waiting.Load())
	return stats
}

// PageMap returns what every page of the cache is for; it may be some steps old, as Stats.Pages is.
func (s *Scheduler) PageMap() []kv.PageState {
	s.counts.mu.Lock()
	defer s.counts.mu.Unlock()
	return slices.Clone(s.counts.pages)
}

// computed counts the rows of a sequence that a step computed from position past on.
func (c *counts) computed(q *sequence, past int) {
	if !q.counted {
		q.counted = true
		c.Cached += int64(min(past, len(q.Prompt)))
	}
	c.Computed += int64(max(0, min(past+q.rows, len(q.Prompt))-past))
}
