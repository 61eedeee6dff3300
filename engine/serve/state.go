package serve

import (
	"cmp"
	"context"
	"net/http"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/serve/status"
)

// State returns how things stand now; nothing while the model loads.
func (s *Server) State() *status.Server {
	m := s.model.Load()
	if m == nil {
		return &status.Server{}
	}
	info, stats := m.Info(), m.Stats()
	out := &status.Server{Model: cmp.Or(info.Name, s.options.Model), Context: info.Context, Slots: s.ledger.states(),
		Pages:   status.Pages{Total: stats.Pages.Total, Used: stats.Pages.Used(), Shared: stats.Pages.Shared, Cached: stats.Pages.Cached, Map: m.PageMap()},
		Devices: []status.Device{{Name: "CPU", Layers: info.Layers, Weights: info.Bytes, Cache: info.Memory.Cache + info.Memory.State, Compute: info.Memory.Compute}},
		Counts:  status.Counts{Prompt: float64(stats.Computed), Cached: float64(stats.Cached), Generated: float64(stats.Generated)}}
	out.Waiting, _ = s.ledger.counts()
	return out
}

// status answers GET /status: how things stand, for dashboards elsewhere. Prompts and answers are not shown.
func (s *Server) status(w http.ResponseWriter, _ *http.Request, _ *engine.Model) error {
	if s.options.NoSlots {
		return errNoSlots
	}
	writeJSON(w, http.StatusOK, s.State())
	return nil
}

// states are the slots, each with the answer that has it, or had it last.
func (l *ledger) states() (slots []status.Slot) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, j := range l.slots {
		slot := status.Slot{ID: i}
		if latest := cmp.Or(j, l.last[i]); latest != nil {
			slot = latest.state(i, j != nil)
		}
		slots = append(slots, slot)
	}
	return slots
}

func (j *job) state(slot int, busy bool) status.Slot {
	s := status.Slot{ID: slot, Task: int(j.id), Busy: busy, Who: j.client, Prompt: len(j.prepared.Tokens), Done: j.done, Cached: j.cached,
		Answer: len(j.tokens), Left: -1}
	if j.params.max > 0 {
		s.Left = j.params.max - len(j.tokens)
	}
	if j.result != nil {
		s.Stopped = string(j.result.Stop)
	}
	return s
}

// Look returns the prompt and the answer of a slot, as far as it is.
func (s *Server) Look(slot int) (prompt, answer string) {
	m := s.model.Load()
	if m == nil {
		return "", ""
	}
	tokens, answer := s.ledger.look(slot)
	if v := m.Vocab(); v != nil {
		prompt = v.Decode(tokens, true)
	}
	return prompt, answer
}

// look returns what the answer in a slot, or the latest one, has: its prompt, and its text so far.
func (l *ledger) look(slot int) (prompt []engine.Token, answer string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if slot < 0 || slot >= len(l.slots) {
		return nil, ""
	}
	j := cmp.Or(l.slots[slot], l.last[slot])
	if j == nil {
		return nil, ""
	}
	return j.prepared.Tokens, j.reasoning.String() + j.text.String()
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
