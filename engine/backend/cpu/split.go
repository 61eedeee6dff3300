package cpu

import (
	"sync/atomic"

	"github.com/llamakit/llamakit/engine/kv"
)

// One sequence deep in its context has few rows and many pages: its key heads alone would not keep many workers busy for the
// same time. So where an item is a large piece of the step's work, each of its segments is a part of its own. The sums of the
// segments wait in memory that the layers share, and who finishes the last one merges them in order.

// attentionItem is a range of rows of one span. Where the rows choose their keys there is one row.
type attentionItem struct {
	span, from, to int
	chosen         bool
	segments       int // that its rows see
	at             int // its place in the shared sums, -1: it is not split
	open           int // its place in attention.open
}

// attentionJob is a part of the step: some query heads of an item and, where that is split, one segment, counted from its first.
type attentionJob struct{ item, share, segment int32 }

// partialSums is memory for sums of segments, used by one layer at a time.
type partialSums struct {
	size   int // in floats
	floats []float32
}

const (
	segmentTokens = segmentPages * kv.PageSize
	splitRows     = 4 // for how many rows that see the whole cache there is memory: more are not split
	partsAWorker  = 8 // parts of equal size that a worker gets, at least, where work can be cut
)

// reserve makes sure that the shared memory, which is allocated once all layers are known, is large enough for a.
func (s *partialSums) reserve(a *attention, pages int) {
	if len(a.work) > 1 {
		s.size = max(s.size, splitRows*(pages/segmentPages+1)*a.shares()*a.heads*(a.dim+2))
	}
}

// shares is how many parts share the rows of an item, or a segment of it.
func (a *attention) shares() int { return a.cache.HeadsKV * chunks(a.group, a.heads) }

func (a *attention) parts(*run) int { return len(a.jobs) }

// cut lists the parts for a batch. It runs before the steps.
func (a *attention) cut(r *run) {
	a.items, a.jobs = a.items[:0], a.jobs[:0]
	work := 0
	for s := range r.Spans {
		for from, n := 0, r.Spans[s].N; from < n; {
			item := a.item(r, s, from)
			work += item.segments * a.shares()
			a.items = append(a.items, item)
			from = item.to
		}
	}
	most := max(1, work/(partsAWorker*len(a.work)))
	used, open := 0, 0
	// The last rows of a prompt see the most keys: they go first, so that no worker ends with a long part.
	for i := len(a.items) - 1; i >= 0; i-- {
		item, segments := &a.items[i], 1
		if n := item.segments * a.shares() * a.sumFloats(item); item.segments > most && used+n <= len(a.partial.floats) {
			item.at, item.open, segments = used, open, item.segments
			used, open = used+n, open+a.shares()
		}
		for share := range a.shares() {
			for s := range segments {
				a.jobs = append(a.jobs, attentionJob{int32(i), int32(share), int32(s)})
			}
		}
	}
	a.reopen(open)
}

// item is the rows of a span from one on that are taken together.
func (a *attention) item(r *run, s, from int) attentionItem {
	span := &r.Spans[s]
	item := attentionItem{span: s, from: from, to: from + 1, chosen: a.chosen(span.Past + from), segments: 1, at: -1}
	if item.chosen {
		return item
	}
	for item.to < min(from+a.rows, span.N) && !a.chosen(span.Past+item.to) {
		item.to++
	}
	first, _ := a.visible(span, from)
	_, end := a.visible(span, item.to-1)
	item.segments = chunks(end, segmentTokens) - first/segmentTokens
	return item
}

// reopen sets the n counters of unfinished segments.
func (a *attention) reopen(n int) {
	if len(a.open) < n {
		a.open = make([]atomic.Int32, n)
	}
	for i := range a.items {
		for share := range a.shares() {
			if item := &a.items[i]; item.at >= 0 {
				a.open[item.open+share].Store(int32(item.segments))
			}
		}
	}
}

// finish counts a segment of an item and says whether it was the last.
func (a *attention) finish(item *attentionItem, share int) bool {
	return a.open[item.open+share].Add(-1) == 0
}

// sumFloats is the size of the sums of one share and segment.
func (a *attention) sumFloats(item *attentionItem) int {
	return (item.to - item.from) * a.heads * (a.dim + 2)
}

// partialOf is the memory for the sums of one segment of a split item.
func (a *attention) partialOf(item *attentionItem, share, segment int) softSums {
	n, queries := a.sumFloats(item), (item.to-item.from)*a.heads
	f := a.partial.floats[item.at+(share*item.segments+segment)*n:][:n]
	acc := n - 2*queries
	return softSums{acc: f[:acc], max: f[acc : acc+queries], sum: f[acc+queries:]}
}
