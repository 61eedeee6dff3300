//go:build unix

package bench

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestPeerEnds: what a script began ends with it.
func TestPeerEnds(t *testing.T) {
	ticks := filepath.Join(t.TempDir(), "ticks")
	size := func() int64 {
		info, err := os.Stat(ticks)
		if err != nil {
			return 0
		}
		return info.Size()
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for size() == 0 && ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	p := &Peer{Command: "sh -c '(for i in 0 1 2 3 4 5 6 7 8 9; do echo >> " + ticks + "; sleep 0.2; done); true'"}
	if _, err := p.output(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	before := size()
	time.Sleep(500 * time.Millisecond)
	if size() > before+1 { // the one that was on its way
		t.Error("a process goes on after the peer was ended")
	}
}
