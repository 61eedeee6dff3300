package cpu

import "sync/atomic"

// One sequence deep in its context has few rows and many pages: its key heads alone would not keep many workers busy for the
// same time. So where an item is a large piece of the step's work, each of its segments is a part of its own. The sums of the
// segments wait in memory that the layers share, and who finishes the last one merges them in order.

// attentionItem is a range of rows of one span.
type attentionItem struct {
	span, from, to int
	segments       int // that its rows see
	at             int // its place in the shared sums, -1: it is not split
	open           int // its place in attention.open
}

// attentionJob is a part of the step; segment counts from the item's first.
type attentionJob struct{ item, head, segment int32 }

// partialSums is memory for sums of segments, used by one layer at a time.
type partialSums struct {
	size   int // in floats
	floats []float32
}

// splitRows is for how many rows that see the whole cache there is memory: more are not split.
const splitRows = 4

// partsAWorker is how many parts of equal size a worker gets, at least, where work can be cut.
const partsAWorker = 8

// reserve makes sure that the shared memory, which is allocated once all layers are known, is large enough for a.
func (s *partialSums) reserve(a *attention, pages int) {
	if len(a.work) > 1 {
		s.size = max(s.size, splitRows*(pages/segmentPages+1)*a.op.Heads*(a.cache.DimV+2))
	}
}

// cut lists the parts for a batch. It runs before the steps.
func (a *attention) cut(r *run) {
	a.items, a.jobs = a.items[:0], a.jobs[:0]
	work := 0
	for s := range r.Spans {
		for from := 0; from < r.Spans[s].N; from += a.rows {
			item := attentionItem{span: s, from: from, to: min(from+a.rows, r.Spans[s].N), at: -1}
			first, end := a.segments(r, &item)
			item.segments = end - first
			work += item.segments * a.cache.HeadsKV
			a.items = append(a.items, item)
		}
	}
	most := max(1, work/(partsAWorker*len(a.work)))
	used, open := 0, 0
	// The last rows of a prompt see the most keys: they go first, so that no worker ends with a long part.
	for i := len(a.items) - 1; i >= 0; i-- {
		item, segments := &a.items[i], 1
		if n := item.segments * a.cache.HeadsKV * a.sumFloats(item); item.segments > most && used+n <= len(a.partial.floats) {
			item.at, item.open, segments = used, open, item.segments
			used, open = used+n, open+a.cache.HeadsKV
		}
		for head := range a.cache.HeadsKV {
			for s := range segments {
				a.jobs = append(a.jobs, attentionJob{int32(i), int32(head), int32(s)})
			}
		}
	}
	a.reopen(open)
}

// reopen sets the counters of unfinished segments, one a head of each item that is split.
func (a *attention) reopen(n int) {
	if len(a.open) < n {
		a.open = make([]atomic.Int32, n)
	}
	for i := range a.items {
		for head := range a.cache.HeadsKV {
			if item := &a.items[i]; item.at >= 0 {
				a.open[item.open+head].Store(int32(item.segments))
			}
		}
	}
}

// finish counts a segment of an item and says whether it was the last.
func (a *attention) finish(item *attentionItem, head int) bool {
	return a.open[item.open+head].Add(-1) == 0
}

// sumFloats is the size of the sums of one head and segment.
func (a *attention) sumFloats(item *attentionItem) int {
	return (item.to - item.from) * a.group * (a.cache.DimV + 2)
}

// partialOf is the memory for the sums of one segment of a split item.
func (a *attention) partialOf(item *attentionItem, head, segment int) sums {
	n, queries := a.sumFloats(item), (item.to-item.from)*a.group
	f := a.partial.floats[item.at+(head*item.segments+segment)*n:][:n]
	acc := n - 2*queries
	return sums{acc: f[:acc], max: f[acc : acc+queries], sum: f[acc+queries:]}
}
