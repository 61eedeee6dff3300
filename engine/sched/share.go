package sched

import "github.com/llamakit/llamakit/engine/kv"

// A prompt that begins like one that is being computed waits for it and takes over what they share, rather than compute the same
// tokens beside it: the leader. So any number of prompts with one beginning, or of answers to one prompt, compute it once.

// shareAtLeast is how many tokens must be saved for a prompt to wait.
const shareAtLeast = kv.PageSize

// follow finds the running sequence before q that computes most of what q still lacks. find are q's tokens that may be shared.
func (s *Scheduler) follow(q *sequence, find []Token) {
	q.leader, q.stale = nil, false
	for _, p := range s.running {
		if p == q {
			return
		}
		n := common(p.tokens, find[:max(0, len(find)-1)])
		if q.kv.State() != kv.NoSlot {
			n = n / kv.PageSize * kv.PageSize
		}
		if p.kv == nil || p.kv.Len() >= n || n-q.kv.Len() < shareAtLeast || q.leader != nil && n <= q.meet {
			continue
		}
		q.leader, q.meet = p, n
	}
	if q.leader != nil && q.kv.State() != kv.NoSlot {
		q.leader.stops = append(q.leader.stops, q.meet)
	}
}

// waits says whether q leaves it to its leader to go on. When the leader is there, q takes over what it has.
func (s *Scheduler) waits(q *sequence) bool {
	if q.leader != nil && q.leader.kv.Len() < q.meet {
		return true
	}
	if q.leader != nil || q.stale {
		q.kv.Close()
		s.begin(q)
	}
	return q.leader != nil
}

// leave tells those who follow p that it goes no further.
func (s *Scheduler) leave(p *sequence) {
	for _, q := range s.running {
		if q.leader == p {
			q.leader, q.stale = nil, true
		}
	}
	p.stops = nil
}

func common(a, b []Token) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
