package kv

// Slot is the number of a place for the recurrent state of one sequence.
type Slot = int32

// NoSlot is the slot of sequences and nodes without a state.
const NoSlot Slot = -1

// StateCopy tells the device to copy the state in slot From to slot To.
type StateCopy struct{ From, To Slot }

// A recurrent state cannot be cut: it is what all tokens so far left behind, and no earlier position can be had from it. So
// a prefix is reused up to a checkpoint: a node of the tree with a slot of its own, which holds the state after the node's
// last token. A running sequence leaves one where it asks to (Save), and its last state when it is closed.

// takeSlot returns a slot for a state, dropping the checkpoint that was used longest ago when none is free.
func (p *Pool) takeSlot() (Slot, bool) {
	if len(p.slots) == 0 {
		oldest := p.root.oldestCheckpoint()
		if oldest == nil {
			return NoSlot, false
		}
		p.forget(oldest)
	}
	slot := p.slots[len(p.slots)-1]
	p.slots = p.slots[:len(p.slots)-1]
	return slot, true
}

func (n *node) oldestCheckpoint() *node {
	var oldest *node
	n.walk(func(c *node) {
		if c.state != NoSlot && (oldest == nil || c.restored < oldest.restored) {
			oldest = c
		}
	})
	return oldest
}

// forget frees the checkpoint of a node, if it has one.
func (p *Pool) forget(n *node) {
	if n.state != NoSlot {
		p.slots = append(p.slots, n.state)
		n.state = NoSlot
	}
}

// checkpoint finds the longest prefix of next below n that ends at a checkpoint, or nil.
func (n *node) checkpoint(next []Token) (found *node) {
	for ; n != nil; n = n.full(next) {
		if n.parent != nil {
			next = next[len(n.tokens):]
		}
		longest := 0
		for _, c := range n.children {
			if l := len(c.tokens); c.state != NoSlot && l > longest && common(c.tokens, next) == l {
				found, longest = c, l
			}
		}
	}
	return found
}

// openState takes a slot for s, and starts it at the longest prefix of tokens that ends at a checkpoint.
func (s *Seq) openState(tokens []Token) (copied *Copy, state *StateCopy) {
	at := s.pool.root.checkpoint(tokens)
	if at != nil {
		at.restored = s.pool.clock // not to be dropped for the slot that we are about to take
	}
	slot, ok := s.pool.takeSlot()
	if !ok {
		panic("kv: more sequences are open than there are states")
	}
	s.state = slot
	if at == nil || at.state == NoSlot {
		return nil, nil
	}
	return s.restore(at)
}

// restore starts s at a checkpoint. Where its page is partly filled and no page can be had for a copy, nothing is reused.
func (s *Seq) restore(at *node) (copied *Copy, state *StateCopy) {
	state = &StateCopy{From: at.state, To: s.state}
	var path []*node
	for n := at; n.parent != nil; n = n.parent {
		path = append(path, n)
	}
	if len(at.tokens) < PageSize {
		page, ok := s.pool.takeBeside(at, true)
		if !ok {
			return nil, nil
		}
		at.used, path = s.pool.clock, path[1:]
		defer s.own(page, at.tokens)
		if page != at.page {
			copied = &Copy{From: at.page, To: page, Tokens: len(at.tokens)}
		}
	}
	for i := len(path) - 1; i >= 0; i-- {
		s.adopt(path[i])
	}
	return copied, state
}

// State is the slot of the sequence's state; NoSlot in a pool without states.
func (s *Seq) State() Slot { return s.state }

// Save keeps the state after the last computed token as a checkpoint. The sequence must stand at the border of a page. ok is
// false, and nothing to be copied, when there is a checkpoint already or no place for one.
func (s *Seq) Save() (c StateCopy, ok bool) {
	if s.state == NoSlot || len(s.tokens) == 0 || len(s.tokens)%PageSize != 0 {
		return c, false
	}
	last := s.shared[len(s.shared)-1]
	if last.state != NoSlot {
		return c, false
	}
	slot, ok := s.pool.takeSlot()
	if !ok {
		return c, false
	}
	last.state, last.restored = slot, s.pool.clock
	return StateCopy{From: s.state, To: slot}, true
}

// leave makes the sequence's own state a checkpoint of the node where it ends, or frees it.
func (s *Seq) leave() {
	if s.state == NoSlot {
		return
	}
	if n := len(s.shared); n > 0 && s.shared[n-1].state == NoSlot {
		s.shared[n-1].state, s.shared[n-1].restored = s.state, s.pool.clock
	} else {
		s.pool.slots = append(s.pool.slots, s.state)
	}
	s.state = NoSlot
}
