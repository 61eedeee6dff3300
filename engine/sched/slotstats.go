package sched

import "time"

// SlotState says what the sequence in a slot does.
type SlotState string

// The states of a slot.
const (
	SlotIdle     SlotState = "idle"
	SlotWaiting  SlotState = "waiting" // for another sequence, which computes the beginning that both have
	SlotPrompt   SlotState = "prompt"
	SlotGenerate SlotState = "generate"
)

// SlotStats is a slot between two steps. The slot of a sequence that ended keeps Tokens; the rest is zero then.
type SlotStats struct {
	State  SlotState
	Tokens int // that the sequence has now: prompt and answer

	ID               uint64 // of the request
	Prompt           int    // tokens of the prompt
	Done             int    // of these, computed or found in the cache
	Cached           int    // of these, found in the cache
	Generated, Max   int    // tokens of the answer; Max is negative where there is no limit
	Queued, Admitted time.Time
	First, Latest    time.Time // tokens chosen; zero where there is none yet
	Shifts           int
	Preempted        bool // was put back to the queue at least once
}

// Speed is how many tokens a second are generated; 0 before the second one.
func (s *SlotStats) Speed() float64 {
	if s.Generated < 2 {
		return 0
	}
	return float64(s.Generated-1) / s.Latest.Sub(s.First).Seconds()
}

// PromptSpeed is how many tokens of the prompt are computed a second, cached ones left out. now ends a prompt that is not done.
func (s *SlotStats) PromptSpeed(now time.Time) float64 {
	if !s.First.IsZero() {
		now = s.First
	}
	if took := now.Sub(s.Admitted); took > 0 && s.Done > s.Cached {
		return float64(s.Done-s.Cached) / took.Seconds()
	}
	return 0
}

func (s *slot) stats() SlotStats {
	q := s.sequence
	if q == nil {
		return SlotStats{State: SlotIdle, Tokens: len(s.tokens)}
	}
	out := SlotStats{State: SlotPrompt, Tokens: len(q.tokens), ID: q.ID, Prompt: len(q.Prompt), Done: min(q.kv.Len(), len(q.Prompt)),
		Cached: q.cached, Generated: q.generated, Max: q.Max, Queued: q.queued, Admitted: q.admitted, First: q.first, Latest: q.latest,
		Shifts: q.shifts, Preempted: q.restarted}
	switch {
	case q.leader != nil:
		out.State = SlotWaiting
	case q.generated > 0:
		out.State = SlotGenerate
	}
	return out
}
