package engine

import (
	"github.com/llamakit/llamakit/engine/kv"
	"github.com/llamakit/llamakit/engine/sched"
)

// Stats is what a model does now, and did since it was opened.
type Stats = sched.Stats

// PageSize is the number of tokens in a page of the cache.
const PageSize = kv.PageSize

// Stats returns how things stand after the latest step. It never waits for one.
func (m *Model) Stats() Stats { return m.sched.Stats() }

// PageMap is a letter for each page of the cache: "." holds nothing, "c" what no sequence uses now, "u" is used, "s" by several.
func (m *Model) PageMap() string { return string(m.sched.PageMap()) }

// Sequences is how many requests run at the same time.
func (m *Model) Sequences() int { return m.options.Sequences }

// SlotStats is what a slot does; its Slot is its place in Stats.Slots.
type SlotStats = sched.SlotStats

// SlotState says what the sequence in a slot does.
type SlotState = sched.SlotState

// The states of a slot.
const (
	SlotIdle     = sched.SlotIdle
	SlotWaiting  = sched.SlotWaiting // for another sequence, which computes the beginning that both have
	SlotPrompt   = sched.SlotPrompt
	SlotGenerate = sched.SlotGenerate
)
