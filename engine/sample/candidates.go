package sample

import (
	"math"
	"math/bits"
	"slices"
)

// Candidate is a token that may come next.
type Candidate struct {
	ID    Token
	Logit float32
	P     float32 // set by Softmax
}

// Candidates is the array that samplers work on, in place.
type Candidates struct {
	Items  []Candidate
	sorted bool // by falling logit
}

// reset fills the array from logits.
func (c *Candidates) reset(logits []float32) {
	c.Items = slices.Grow(c.Items[:0], len(logits))[:len(logits)]
	for i, l := range logits {
		c.Items[i] = candidate(i, l)
	}
	c.sorted = false
}

// candidate is a token with its logit. NaN counts as impossible, an infinite logit as a very large one.
func candidate(i int, logit float32) Candidate {
	if logit != logit {
		logit = negInf
	}
	return Candidate{ID: Token(i), Logit: min(logit, maxLogit)}
}

// resetTop is reset and Top, for fewer than all: most of a large vocabulary costs one comparison and is never written.
func (c *Candidates) resetTop(logits []float32, k int) {
	c.reset(logits[:k])
	heap := c.Items
	heapify(heap)
	worst := heap[0].Logit
	for i, l := range logits[k:] {
		if l > worst && worst < maxLogit {
			heap[0] = candidate(k+i, l)
			siftDown(heap, 0)
			worst = heap[0].Logit
		}
	}
	c.Sort()
}

// keep drops the candidates outside a bit set. Every token is a candidate, in the order of the vocabulary.
func (c *Candidates) keep(allowed []uint64) {
	kept := c.Items[:0]
	for word, set := range allowed {
		for ; set != 0; set &= set - 1 {
			if t := word*64 + bits.TrailingZeros64(set); t < len(c.Items) {
				kept = append(kept, c.Items[t])
			}
		}
	}
	c.Items = kept
}

// maxLogit is far above any real one, and its square is finite in float64.
const maxLogit = 1e30

// byLogit orders by falling logit, then by token.
func byLogit(a, b Candidate) int {
	switch {
	case a.Logit > b.Logit:
		return -1
	case a.Logit < b.Logit:
		return 1
	}
	return int(a.ID - b.ID)
}

// Sort orders the candidates by falling logit.
func (c *Candidates) Sort() {
	if !c.sorted {
		slices.SortFunc(c.Items, byLogit)
		c.sorted = true
	}
}

// Top keeps the k candidates with the greatest logits, sorted.
func (c *Candidates) Top(k int) {
	c.first(k)
	c.cut(k)
	c.sorted = true
}

// first moves the k candidates with the greatest logits to the front, sorted, and returns them: all where there are fewer.
func (c *Candidates) first(k int) []Candidate {
	if c.sorted || k >= len(c.Items)/8 {
		c.Sort()
		return c.Items[:min(k, len(c.Items))]
	}
	selectTop(c.Items, k)
	slices.SortFunc(c.Items[:k], byLogit)
	return c.Items[:k]
}

func (c *Candidates) cut(n int) { c.Items = c.Items[:min(n, len(c.Items))] }

// selectTop moves the k first candidates by byLogit to the front of items, in heap order: the root is the worst of them,
// so that most of a large vocabulary costs one comparison.
func selectTop(items []Candidate, k int) {
	heap := items[:k]
	heapify(heap)
	for i := k; i < len(items); i++ {
		if byLogit(items[i], heap[0]) < 0 {
			items[i], heap[0] = heap[0], items[i]
			siftDown(heap, 0)
		}
	}
}

func heapify(heap []Candidate) {
	for i := len(heap)/2 - 1; i >= 0; i-- {
		siftDown(heap, i)
	}
}

// siftDown restores a heap with the worst candidate at the root below i.
func siftDown(heap []Candidate, i int) {
	for {
		child := 2*i + 1
		if child >= len(heap) {
			return
		}
		if child+1 < len(heap) && byLogit(heap[child+1], heap[child]) > 0 {
			child++
		}
		if byLogit(heap[child], heap[i]) <= 0 {
			return
		}
		heap[i], heap[child] = heap[child], heap[i]
		i = child
	}
}

// Softmax sets the probabilities of the candidates that are left.
func (c *Candidates) Softmax() {
	top := float32(math.Inf(-1))
	for i := range c.Items {
		top = max(top, c.Items[i].Logit)
	}
	sum := 0.0
	for i := range c.Items {
		p := math.Exp(float64(c.Items[i].Logit - top))
		c.Items[i].P = float32(p)
		sum += p
	}
	for i := range c.Items {
		c.Items[i].P = float32(float64(c.Items[i].P) / sum)
	}
}
