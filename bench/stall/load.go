package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"time"
)

// neighbourVariable makes this program a neighbour of itself.
const neighbourVariable = "LLAMAKIT_STALL_NEIGHBOUR"

// beNeighbour keeps a processor busy until the one who began it has gone, which closes the standard input.
func beNeighbour() {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	for n := 0; ; n++ { // work of no use
	}
}

// neighbours begins processes that are busy until stop is called.
func neighbours(n int) (stop func(), err error) {
	var stops []func()
	stop = func() {
		for _, one := range stops {
			one()
		}
	}
	for range n {
		one, err := neighbour()
		if err != nil {
			stop()
			return nil, err
		}
		stops = append(stops, one)
	}
	return stop, nil
}

func neighbour() (stop func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), neighbourVariable+"=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return func() {
		_ = in.Close()
		_ = cmd.Wait()
	}, nil
}

const (
	kept  = 1 << 14 // pieces that stay: 64 MiB
	beats = 100     // portions of garbage a second
)

// piece is 4 KiB that the collector looks through.
type piece [512]*piece

// makeGarbage replaces pieces of those that stay, so many MiB a second, until ctx ends.
func makeGarbage(ctx context.Context, mib int) {
	pieces := make([]*piece, kept)
	for i := range pieces {
		pieces[i] = new(piece)
	}
	ticks := time.NewTicker(time.Second / beats)
	defer ticks.Stop()
	for at := 0; ctx.Err() == nil; <-ticks.C {
		for range max(1, mib*256/beats) {
			pieces[at] = new(piece)
			at = (at + 1) % kept
		}
	}
}
