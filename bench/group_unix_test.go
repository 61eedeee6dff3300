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
	dir := t.TempDir()
	begun, late := filepath.Join(dir, "begun"), filepath.Join(dir, "late")
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(begun); err == nil {
				cancel()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	p := &Peer{Command: "sh -c '(echo > " + begun + "; sleep 1; echo > " + late + "); true'"}
	if _, err := p.output(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	time.Sleep(1500 * time.Millisecond)
	if _, err := os.Stat(late); err == nil {
		t.Error("a process goes on after the peer was ended")
	}
}
