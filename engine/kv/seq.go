package kv

import "slices"

// Seq is the page table of one sequence: page i holds the tokens at positions [i·PageSize, (i+1)·PageSize).
type Seq struct {
	pool   *Pool
	pages  []Page
	shared []*node // the tree nodes of the first pages: full, computed, read only
	tokens []Token // computed so far
	state  Slot
}

// Copy tells the device to copy the first Tokens tokens of page From to page To.
type Copy struct {
	From, To Page
	Tokens   int
}

// Open starts a sequence on the longest prefix of tokens that is cached. At least the last token is left to compute,
// because its logits are wanted. When the prefix ends inside a page and a page can be had, copied is set; when it ends at a
// checkpoint, state is: the device must copy before the next step.
func (p *Pool) Open(tokens []Token) (s *Seq, copied *Copy, state *StateCopy) {
	s = &Seq{pool: p, state: NoSlot}
	p.clock++
	limit := len(tokens) - 1
	if p.states > 0 {
		copied, state = s.openState(tokens[:max(limit, 0)])
		p.open = append(p.open, s)
		return s, copied, state
	}
	at := &p.root
	for {
		next := at.full(tokens[len(s.tokens):max(limit, len(s.tokens))])
		if next == nil {
			break
		}
		s.adopt(next)
		at = next
	}
	copied = s.openPartial(at, tokens, limit)
	p.open = append(p.open, s)
	return s, copied, nil
}

// full returns the child that holds a whole page of exactly the next tokens, or nil.
func (n *node) full(next []Token) *node {
	if len(next) < PageSize {
		return nil
	}
	for _, c := range n.children {
		if len(c.tokens) == PageSize && common(c.tokens, next) == PageSize {
			return c
		}
	}
	return nil
}

// openPartial looks for the page after n that shares most of the next tokens, in the tree or the last page of a running sequence,
// and copies that part.
func (s *Seq) openPartial(n *node, tokens []Token, limit int) *Copy {
	done := len(s.tokens)
	if limit <= done {
		return nil
	}
	next := tokens[done:limit]
	best, most := s.pool.running(n, next)
	from := n
	for _, c := range n.children {
		if m := common(c.tokens, next); m > most {
			best, most, from = c.page, m, c
		}
	}
	if most == 0 {
		return nil
	}
	from.used = s.pool.clock
	page, ok := s.pool.takeBeside(from, from != n)
	if !ok {
		return nil
	}
	s.own(page, next[:most])
	if page == best {
		return nil
	}
	return &Copy{From: best, To: page, Tokens: most}
}

// running finds, among the pages that open sequences have after n and not yet filled, the one that shares most of the next tokens.
func (p *Pool) running(n *node, next []Token) (page Page, most int) {
	for _, s := range p.open {
		full := len(s.shared)
		if full == 0 && n != &p.root || full > 0 && s.shared[full-1] != n {
			continue
		}
		if m := common(s.tokens[full*PageSize:], next); m > most {
			page, most = s.pages[full], m
		}
	}
	return page, most
}

// own makes a page that has, or is about to get, the given tokens the next page of s.
func (s *Seq) own(page Page, tokens []Token) {
	s.pages = append(s.pages, page)
	s.tokens = append(s.tokens, tokens...)
}

// adopt makes a node's page the sequence's next page.
func (s *Seq) adopt(n *node) {
	n.refs++
	n.used = s.pool.clock
	s.shared = append(s.shared, n)
	s.pages = append(s.pages, n.page)
	s.tokens = append(s.tokens, n.tokens...)
}

// Len is the number of computed tokens.
func (s *Seq) Len() int { return len(s.tokens) }

// Pages is the page table. It is valid until the next call on s.
func (s *Seq) Pages() []Page { return s.pages }

// Grow makes room for n more tokens. It returns false, and changes nothing a caller can see, when the pool has no page
// left: some other sequence must be closed first.
func (s *Seq) Grow(n int) bool {
	need := (len(s.tokens) + n + PageSize - 1) / PageSize
	had := len(s.pages)
	for len(s.pages) < need {
		page, ok := s.pool.take()
		if !ok {
			s.pool.free = append(s.pool.free, s.pages[had:]...)
			s.pages = s.pages[:had]
			return false
		}
		s.pages = append(s.pages, page)
	}
	return true
}

// Commit records that tokens, which follow those before, have been computed. Pages that are full now can be found by
// other sequences.
func (s *Seq) Commit(tokens ...Token) {
	s.tokens = append(s.tokens, tokens...)
	s.pool.clock++
	for len(s.tokens) >= (len(s.shared)+1)*PageSize {
		s.publish(PageSize)
	}
}

// publish moves the first unshared page, which holds n tokens, into the tree.
func (s *Seq) publish(n int) {
	parent, i := &s.pool.root, len(s.shared)
	if i > 0 {
		parent = s.shared[i-1]
	}
	page, existed := s.pool.insert(parent, s.tokens[i*PageSize:i*PageSize+n], s.pages[i])
	if existed { // computed by another sequence meanwhile: both are bit-equal, keep that one
		s.pool.free = append(s.pool.free, s.pages[i])
		s.pages[i] = page.page
	}
	page.refs++
	page.used = s.pool.clock
	s.shared = append(s.shared, page)
}

// Close gives the pages back; what was computed stays cached.
func (s *Seq) Close() {
	s.pool.clock++
	if rest := len(s.tokens) - len(s.shared)*PageSize; rest > 0 {
		s.publish(rest)
	}
	s.pool.free = append(s.pool.free, s.pages[len(s.shared):]...)
	s.leave()
	s.pool.open = slices.DeleteFunc(s.pool.open, func(o *Seq) bool { return o == s })
	for _, n := range s.shared {
		n.refs--
		n.used = s.pool.clock
	}
	s.pages, s.shared, s.tokens = nil, nil, nil
}
