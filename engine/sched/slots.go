package sched

// A slot is a number that a running sequence has to itself, for people and for clients that ask for one: it is not a part of the
// cache, which all share. When the sequence has ended the slot remembers its tokens, so that they can be asked for.
type slot struct {
	sequence *sequence // nil: idle
	tokens   []Token   // of the latest sequence
}

// hasRoom says whether one more sequence may run. After one was put back for want of pages nobody comes in until one has ended.
func (s *Scheduler) hasRoom() bool {
	return len(s.running) < s.config.Sequences && (!s.crowded || len(s.running) == 0)
}

// takeSlot gives q the slot that it asks for, or the free one whose latest tokens are most like its prompt.
func (s *Scheduler) takeSlot(q *sequence) bool {
	best, most := -1, -1
	for i := range s.slots {
		if s.slots[i].sequence != nil || q.Pinned && i != q.Slot {
			continue
		}
		if n := common(s.slots[i].tokens, q.tokens); n > most {
			best, most = i, n
		}
	}
	if best < 0 {
		return false
	}
	q.slot = best
	s.slots[best].sequence = q
	if q.Seated != nil {
		q.Seated(best)
	}
	return true
}

// release frees the slot of a sequence that no longer runs.
func (s *Scheduler) release(q *sequence) {
	s.slots[q.slot] = slot{tokens: q.tokens}
}

// SlotTokens returns the tokens of the sequence that is, or was last, in a slot. It is to be called from Do.
func (s *Scheduler) SlotTokens(i int) []Token {
	if q := s.slots[i].sequence; q != nil {
		return append([]Token(nil), q.tokens...)
	}
	return s.slots[i].tokens
}

// SetSlotTokens makes tokens those of a slot, unless a sequence is in it. It is to be called from Do.
func (s *Scheduler) SetSlotTokens(i int, tokens []Token) bool {
	if s.slots[i].sequence != nil {
		return false
	}
	s.slots[i].tokens = tokens
	return true
}
