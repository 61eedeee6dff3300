package dashboard

import (
	"context"
	"time"

	"github.com/llamakit/llamakit/engine/serve/status"
)

// What a server tells of itself.
type (
	Snapshot = status.Server
	Slot     = status.Slot
	Pages    = status.Pages
	Device   = status.Device
	Counts   = status.Counts
)

// Source is what a dashboard looks at.
type Source interface {
	// Name says where it is: an address.
	Name() string
	// Snapshot asks how things stand.
	Snapshot(ctx context.Context) (*Snapshot, error)
}

// Inspector is a source that can do more than tell: one in the process of the server.
type Inspector interface {
	// Look returns the prompt and the answer of a slot, as far as it is.
	Look(slot int) (prompt, answer string)
	// Cancel stops the answer in a slot; false: there is none.
	Cancel(slot int) bool
}

// Speeds are tokens a second between two snapshots.
type Speeds struct{ Prompt, Generated float64 }

// between returns the speeds from one snapshot to a later one. A server that started anew in between counts from 0.
func between(earlier, later *Snapshot, took time.Duration) Speeds {
	if took <= 0 {
		return Speeds{}
	}
	rate := func(before, now float64) float64 { return max(0, now-before) / took.Seconds() }
	return Speeds{rate(earlier.Counts.Prompt, later.Counts.Prompt), rate(earlier.Counts.Generated, later.Counts.Generated)}
}
