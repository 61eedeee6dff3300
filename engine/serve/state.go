package serve

import (
	"context"
	"net/http"

	"github.com/llamakit/llamakit/engine"
)

// State is how the server stands, for a display: one in the same process, or one that asks GET /state. Texts are not in it.
type State struct {
	Model   string        `json:"model"`
	Context int           `json:"context"` // tokens that a slot can hold
	Slots   []SlotState   `json:"slots"`
	Waiting int           `json:"waiting"`
	Pages   PageState     `json:"pages"`
	Devices []DeviceState `json:"devices"`
	Counts  CountState    `json:"counts"`
}

// SlotState is a slot with the answer that has it, or had it last.
type SlotState struct {
	ID      int    `json:"id"`
	Task    int    `json:"task"` // number of the answer; 0: none so far
	Busy    bool   `json:"busy"`
	Prompt  int    `json:"prompt"` // tokens
	Done    int    `json:"done"`   // of these, computed or found in the cache
	Cached  int    `json:"cached"` // of these, found there
	Answer  int    `json:"answer"` // tokens generated
	Left    int    `json:"left"`   // that may follow; negative: no limit
	Stopped string `json:"stopped,omitempty"`
	Who     string `json:"who,omitempty"` // asked
}

// PageState is what the pages of the cache are for.
type PageState struct {
	Total  int    `json:"total"`
	Used   int    `json:"used"`
	Shared int    `json:"shared"` // of those in use, by several answers
	Cached int    `json:"cached"`
	Map    string `json:"map,omitempty"` // a letter a page, as engine.Model.PageMap has it
}

// DeviceState is what a device holds, in bytes.
type DeviceState struct {
	Name    string `json:"name"`
	Layers  int    `json:"layers"`
	Weights int64  `json:"weights"`
	Cache   int64  `json:"cache"` // keys, values and recurrent states
	Compute int64  `json:"compute"`
}

// CountState are tokens since the start.
type CountState struct {
	Prompt    float64 `json:"prompt"` // computed
	Cached    float64 `json:"cached"`
	Generated float64 `json:"generated"`
}

// State returns how things stand now; zero while the model loads.
func (s *Server) State() State {
	m := s.model.Load()
	if m == nil {
		return State{}
	}
	info, stats := m.Info(), m.Stats()
	out := State{Model: info.Name, Context: info.Context,
		Pages:   PageState{stats.Pages.Total, stats.Pages.Used(), stats.Pages.Shared, stats.Pages.Cached, m.PageMap()},
		Devices: []DeviceState{{"CPU", info.Layers, info.Bytes, info.Memory.Cache + info.Memory.State, info.Memory.Compute}},
		Counts:  CountState{float64(stats.Computed), float64(stats.Cached), float64(stats.Generated)}}
	out.Waiting, _ = s.ledger.counts()
	s.ledger.mu.Lock()
	defer s.ledger.mu.Unlock()
	for i, j := range s.ledger.slots {
		busy := j != nil
		if j == nil {
			j = s.ledger.last[i]
		}
		slot := SlotState{ID: i}
		if j != nil {
			slot = j.state(i, busy)
		}
		out.Slots = append(out.Slots, slot)
	}
	return out
}

func (j *job) state(slot int, busy bool) SlotState {
	s := SlotState{ID: slot, Task: int(j.id), Busy: busy, Prompt: len(j.prepared.Tokens), Done: j.done, Cached: j.cached,
		Answer: len(j.tokens), Left: -1, Who: j.client}
	if j.params.max > 0 {
		s.Left = j.params.max - len(j.tokens)
	}
	if j.result != nil {
		s.Stopped = string(j.result.Stop)
	}
	return s
}

// showState answers GET /state.
func (s *Server) showState(w http.ResponseWriter, _ *http.Request, _ *engine.Model) error {
	if s.options.NoSlots {
		return unsupported("slots are not shown: the server was started with --no-slots")
	}
	writeJSON(w, http.StatusOK, s.State())
	return nil
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
