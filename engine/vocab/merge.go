package vocab

import "math"

// A node is a symbol in a word, bytes [from, to) of it. While merges are applied with a queue, nodes are a doubly linked list.
type node struct {
	symbol     int32
	from, to   int32
	prev, next int32 // -1 at the ends
}

// A merge joins two symbols to one; lower ranks go first.
type merge struct{ rank, result int32 }

// mergeTable maps pairs of symbols to merges: an open hash table, since this is where the time of tokenizing goes.
type mergeTable struct {
	keys  []uint64 // left<<32 | right, plus one; 0 is free
	merge []merge
	shift uint
}

func newMergeTable(n int) mergeTable {
	size, shift := 16, uint(60)
	for size < 2*n {
		size, shift = 2*size, shift-1
	}
	return mergeTable{keys: make([]uint64, size), merge: make([]merge, size), shift: shift}
}

func pairKey(left, right int32) uint64 { return uint64(uint32(left))<<32 | uint64(uint32(right)) + 1 }

// slot returns where key is, or where it would go.
func (t *mergeTable) slot(key uint64) int {
	i := int(key * 0x9e3779b97f4a7c15 >> t.shift)
	for t.keys[i] != 0 && t.keys[i] != key {
		i = (i + 1) & (len(t.keys) - 1)
	}
	return i
}

// add keeps the first merge of a pair.
func (t *mergeTable) add(left, right int32, m merge) {
	key := pairKey(left, right)
	if i := t.slot(key); t.keys[i] == 0 {
		t.keys[i], t.merge[i] = key, m
	}
}

// get returns the merge of a pair; its rank is noRank when there is none.
func (t *mergeTable) get(left, right int32) merge {
	if left < 0 || right < 0 {
		return merge{rank: noRank}
	}
	i := t.slot(pairKey(left, right))
	if t.keys[i] == 0 {
		return merge{rank: noRank}
	}
	return t.merge[i]
}

const (
	noRank    = math.MaxInt32
	shortWord = 24 // nodes up to which looking through all pairs is faster than a queue
)

// apply merges the nodes, always the pair of the lowest rank, and of equal ones the leftmost. The result is in place.
func (t *mergeTable) apply(nodes []node, q *queue) []node {
	if len(nodes) <= shortWord {
		return t.applyShort(nodes)
	}
	return t.applyLong(nodes, q)
}

// applyShort looks through all pairs for every merge: quadratic, but without any bookkeeping.
func (t *mergeTable) applyShort(nodes []node) []node {
	var pairs [shortWord]merge
	for i := 0; i+1 < len(nodes); i++ {
		pairs[i] = t.get(nodes[i].symbol, nodes[i+1].symbol)
	}
	for len(nodes) > 1 {
		best := 0
		for i := 1; i < len(nodes)-1; i++ {
			if pairs[i].rank < pairs[best].rank {
				best = i
			}
		}
		if pairs[best].rank == noRank {
			break
		}
		nodes[best].symbol, nodes[best].to = pairs[best].result, nodes[best+1].to
		copy(nodes[best+1:], nodes[best+2:])
		copy(pairs[best:], pairs[best+1:len(nodes)-1])
		nodes = nodes[:len(nodes)-1]
		if best+1 < len(nodes) {
			pairs[best] = t.get(nodes[best].symbol, nodes[best+1].symbol)
		}
		if best > 0 {
			pairs[best-1] = t.get(nodes[best-1].symbol, nodes[best].symbol)
		}
	}
	return nodes
}

// applyLong keeps the pairs in a queue: n log n.
func (t *mergeTable) applyLong(nodes []node, q *queue) []node {
	link(nodes)
	*q = (*q)[:0]
	for i := range len(nodes) - 1 {
		t.offer(nodes, int32(i), q)
	}
	for len(*q) > 0 {
		c := q.pop()
		left := &nodes[c.left]
		if left.symbol != c.a || left.next < 0 || nodes[left.next].symbol != c.b {
			continue // one of the two has been merged since
		}
		left.symbol = t.get(c.a, c.b).result
		join(nodes, c.left)
		if left.prev >= 0 {
			t.offer(nodes, left.prev, q)
		}
		t.offer(nodes, c.left, q)
	}
	return compact(nodes)
}

// offer puts the pair of node i and the one after it into the queue.
func (t *mergeTable) offer(nodes []node, i int32, q *queue) {
	next := nodes[i].next
	if next < 0 {
		return
	}
	a, b := nodes[i].symbol, nodes[next].symbol
	if m := t.get(a, b); m.rank != noRank {
		q.push(candidate{key: uint64(m.rank)<<32 | uint64(i), left: i, a: a, b: b})
	}
}

const merged = math.MinInt32 // the symbol of a node that is part of another

func link(nodes []node) {
	for i := range nodes {
		nodes[i].prev, nodes[i].next = int32(i-1), int32(i+1)
	}
	if len(nodes) > 0 {
		nodes[len(nodes)-1].next = -1
	}
}

// join makes the node after i part of i.
func join(nodes []node, i int32) {
	gone := &nodes[nodes[i].next]
	nodes[i].to, nodes[i].next = gone.to, gone.next
	if gone.next >= 0 {
		nodes[gone.next].prev = i
	}
	gone.symbol = merged
}

// compact removes the nodes that are part of others.
func compact(nodes []node) []node {
	n := 0
	for _, x := range nodes {
		if x.symbol != merged {
			nodes[n] = x
			n++
		}
	}
	return nodes[:n]
}

// A candidate is a pair that may be merged, if its symbols are still what they were.
type candidate struct {
	key  uint64 // what goes first, in the upper half, and the place
	left int32
	a, b int32
}

// queue is a binary heap with the least key on top.
type queue []candidate

func (q *queue) push(c candidate) {
	h := append(*q, c)
	i := len(h) - 1
	for i > 0 && h[(i-1)/2].key > c.key {
		h[i] = h[(i-1)/2]
		i = (i - 1) / 2
	}
	h[i] = c
	*q = h
}

func (q *queue) pop() candidate {
	h := *q
	top, c := h[0], h[len(h)-1]
	h = h[:len(h)-1]
	for i := 0; len(h) > 0; {
		child := 2*i + 1
		if child >= len(h) {
			h[i] = c
			break
		}
		if child+1 < len(h) && h[child+1].key < h[child].key {
			child++
		}
		if h[child].key >= c.key {
			h[i] = c
			break
		}
		h[i] = h[child]
		i = child
	}
	*q = h
	return top
}
