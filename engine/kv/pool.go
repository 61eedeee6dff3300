package kv

import (
	"fmt"
	"slices"
)

// PageSize is the number of tokens in a page.
const PageSize = 32

// Token is a vocabulary index.
type Token = int32

// Page is the number of a page of the pool.
type Page = int32

// Pool owns the pages.
type Pool struct {
	free   []Page
	slots  []Slot // free ones
	root   node
	open   []*Seq
	clock  uint64
	total  int // pages
	states int // slots
}

// node is a page of computed tokens in the tree; the path from the root spells the tokens before it.
type node struct {
	parent   *node
	children []*node
	page     Page
	tokens   []Token // PageSize of them; fewer on a page whose sequence ended there
	refs     int     // sequences that use the page
	used     uint64  // clock at the last use

	state    Slot   // checkpoint after the last token, or NoSlot
	restored uint64 // clock at the last use of the checkpoint
}

// NewPool makes a pool of n pages, and of slots for states: none for a model without recurrent layers, else one more than the
// sequences open at a time, at least; the others hold checkpoints.
func NewPool(n, states int) *Pool {
	p := &Pool{total: n, states: states, root: node{state: NoSlot}}
	for i := n - 1; i >= 0; i-- {
		p.free = append(p.free, Page(i))
	}
	for i := states - 1; i >= 0; i-- {
		p.slots = append(p.slots, Slot(i))
	}
	return p
}

// Stats counts pages.
type Stats struct {
	Total  int
	Free   int // hold nothing
	Cached int // hold computed tokens that no sequence uses now
	Shared int // used by more than one sequence
}

// Used is how many pages running sequences use.
func (s Stats) Used() int { return s.Total - s.Free - s.Cached }

// Stats returns the pool's counts.
func (p *Pool) Stats() Stats {
	s := Stats{Total: p.total, Free: len(p.free)}
	p.root.walk(func(n *node) {
		switch {
		case n.refs == 0:
			s.Cached++
		case n.refs > 1:
			s.Shared++
		}
	})
	return s
}

func (n *node) walk(visit func(*node)) {
	for _, c := range n.children {
		visit(c)
		c.walk(visit)
	}
}

// take returns a page for new tokens, dropping the least recently used cached one when none is free.
func (p *Pool) take() (Page, bool) {
	if len(p.free) == 0 {
		victim := p.root.oldestLeaf()
		if victim == nil {
			return 0, false
		}
		p.drop(victim)
	}
	page := p.free[len(p.free)-1]
	p.free = p.free[:len(p.free)-1]
	return page, true
}

// takeBeside takes a page to copy to what n, or a sequence that stands on n, has: n is not dropped for it. Where there is none but
// that of n, which nobody uses, n leaves the tree and its page is taken as it is.
func (p *Pool) takeBeside(n *node, mine bool) (Page, bool) {
	n.refs++
	page, ok := p.take()
	n.refs--
	if !ok && mine && n.refs == 0 && len(n.children) == 0 {
		p.drop(n)
		page, ok = p.take()
	}
	return page, ok
}

// oldestLeaf finds the unused leaf that was used longest ago, or nil.
func (n *node) oldestLeaf() *node {
	var oldest *node
	n.walk(func(c *node) {
		if c.refs == 0 && len(c.children) == 0 && (oldest == nil || c.used < oldest.used) {
			oldest = c
		}
	})
	return oldest
}

// drop takes an unused leaf out of the tree and frees its page.
func (p *Pool) drop(n *node) {
	siblings := n.parent.children
	for i, c := range siblings {
		if c == n {
			siblings[i] = siblings[len(siblings)-1]
			n.parent.children = siblings[:len(siblings)-1]
			break
		}
	}
	p.free = append(p.free, n.page)
	p.forget(n)
}

// insert puts a page under parent. When a page with the same tokens stands there already the other is returned, and
// the caller's page is spare.
func (p *Pool) insert(parent *node, tokens []Token, page Page) (n *node, existed bool) {
	for _, c := range parent.children {
		if len(c.tokens) == len(tokens) && common(c.tokens, tokens) == len(tokens) {
			return c, true
		}
	}
	n = &node{parent: parent, page: page, state: NoSlot, tokens: append([]Token(nil), tokens...)}
	parent.children = append(parent.children, n)
	return n, false
}

// Check verifies the pool's invariants: every page is free, or in the tree, or a running sequence's own, exactly once; and so
// is every slot.
// The given sequences are all that are open.
func (p *Pool) Check(open ...*Seq) error {
	owner := make(map[Page]string, p.total)
	refs := map[*node]int{}
	claim := func(page Page, who string) error {
		if other, taken := owner[page]; taken {
			return fmt.Errorf("kv: page %d belongs to %s and to %s", page, other, who)
		}
		owner[page] = who
		return nil
	}
	for _, page := range p.free {
		if err := claim(page, "the free list"); err != nil {
			return err
		}
	}
	for _, s := range open {
		for _, n := range s.shared {
			refs[n]++
		}
		for _, page := range s.pages[len(s.shared):] {
			if err := claim(page, "a sequence"); err != nil {
				return err
			}
		}
	}
	var err error
	p.root.walk(func(n *node) {
		if e := claim(n.page, "the tree"); e != nil && err == nil {
			err = e
		}
		if refs[n] != n.refs && err == nil {
			err = fmt.Errorf("kv: page %d has %d references, %d sequences use it", n.page, n.refs, refs[n])
		}
	})
	if err == nil && len(owner) != p.total {
		err = fmt.Errorf("kv: %d pages are lost", p.total-len(owner))
	}
	if err == nil {
		err = p.checkSlots(open)
	}
	return err
}

// checkSlots verifies that every slot is free, or a checkpoint, or an open sequence's own, exactly once.
func (p *Pool) checkSlots(open []*Seq) error {
	slots := slices.Clone(p.slots)
	for _, s := range open {
		slots = append(slots, s.state)
	}
	p.root.walk(func(n *node) { slots = append(slots, n.state) })
	slots = slices.DeleteFunc(slots, func(s Slot) bool { return s == NoSlot })
	slices.Sort(slots)
	if len(slots) != p.states || len(slices.Compact(slots)) != p.states {
		return fmt.Errorf("kv: the %d slots have owners %v", p.states, slots)
	}
	return nil
}

// common returns how many leading tokens a and b share.
func common(a, b []Token) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
