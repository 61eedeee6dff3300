package serve

import (
	"context"
	"net/http"

	"github.com/llamakit/llamakit/engine"
)

// State is how the server stands, for a display in the same process.
type State struct {
	Slots   []SlotState
	Waiting int
	Engine  engine.Stats // of the model; zero while it loads
}

// SlotState is a slot with the answer that has it, or had it last.
type SlotState struct {
	Job                  int64 // number of the answer; 0: none so far
	Busy                 bool
	Client, Path         string // who asked, and where
	Prompt, Done, Cached int    // tokens of the prompt; of these, there already, and found in the cache
	Answer, Left         int    // tokens generated, and how many may follow; Left is negative where there is no limit
	Stop                 engine.StopReason
}

// State returns how things stand now.
func (s *Server) State() State {
	var out State
	m := s.model.Load()
	if m == nil {
		return out
	}
	out.Engine = m.Stats()
	out.Waiting, _ = s.ledger.counts()
	s.ledger.mu.Lock()
	defer s.ledger.mu.Unlock()
	for i, j := range s.ledger.slots {
		busy := j != nil
		if j == nil {
			j = s.ledger.last[i]
		}
		slot := SlotState{Busy: busy}
		if j != nil {
			slot = j.state(busy)
		}
		out.Slots = append(out.Slots, slot)
	}
	return out
}

func (j *job) state(busy bool) SlotState {
	s := SlotState{Job: j.id, Busy: busy, Client: j.client, Path: j.path, Prompt: len(j.prepared.Tokens), Done: j.done, Cached: j.cached,
		Answer: len(j.tokens), Left: -1}
	if j.params.max > 0 {
		s.Left = j.params.max - len(j.tokens)
	}
	if j.result != nil {
		s.Stop = j.result.Stop
	}
	return s
}

// Look returns the prompt and the answer of a slot, as far as it is.
func (s *Server) Look(slot int) (prompt, answer string) {
	m := s.model.Load()
	if m == nil {
		return "", ""
	}
	s.ledger.mu.Lock()
	defer s.ledger.mu.Unlock()
	if slot < 0 || slot >= len(s.ledger.slots) {
		return "", ""
	}
	j := s.ledger.slots[slot]
	if j == nil {
		j = s.ledger.last[slot]
	}
	if j == nil {
		return "", ""
	}
	if v := m.Vocab(); v != nil {
		prompt = v.Decode(j.prepared.Tokens, true)
	}
	return prompt, j.reasoning.String() + j.text.String()
}

// errCancelled ends an answer that somebody at the server stopped.
var errCancelled = fail(http.StatusServiceUnavailable, "the answer was stopped at the server")

// Cancel stops the answer that has a slot; false: none has.
func (s *Server) Cancel(slot int) bool {
	s.ledger.mu.Lock()
	defer s.ledger.mu.Unlock()
	if slot < 0 || slot >= len(s.ledger.slots) || s.ledger.slots[slot] == nil {
		return false
	}
	s.ledger.slots[slot].cancel(errCancelled)
	return true
}

// cancellable gives jobs the way to end them all.
func cancellable(jobs []*job, cancel context.CancelCauseFunc) {
	for _, j := range jobs {
		j.cancel = cancel
	}
}
