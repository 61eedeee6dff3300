//go:build unix

package run

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// withSignals returns a context that ends with the first SIGINT, SIGTERM or SIGHUP; a second one ends the process as it
// always did. Signals that the parent told us to ignore stay ignored. caught returns the signal, nil before it came.
//
// SIGPIPE is ignored, so that a write to a closed pipe returns an error and deferred work still happens.
func withSignals(parent context.Context) (ctx context.Context, caught func() os.Signal) {
	signal.Ignore(syscall.SIGPIPE)
	ctx, cancel := context.WithCancel(parent)
	notices := make(chan os.Signal, 1)
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			signal.Notify(notices, s)
		}
	}
	var got atomic.Value
	go func() {
		got.Store(<-notices)
		signal.Stop(notices)
		cancel()
	}()
	return ctx, func() os.Signal {
		s, _ := got.Load().(os.Signal)
		return s
	}
}

// exit ends the process: with the code, or by the signal that stopped it, which tells a shell to end its loop.
func exit(code int, caught os.Signal) {
	switch {
	case code == BrokenPipe:
		raise(syscall.SIGPIPE)
	case code == Interrupted && caught != nil:
		raise(caught.(syscall.Signal))
	}
	os.Exit(code)
}

// raise sends s to this process with the signal's first meaning restored. It returns only if that does not end it.
func raise(s syscall.Signal) {
	signal.Reset(s)
	if syscall.Kill(os.Getpid(), s) == nil {
		time.Sleep(time.Second)
	}
}

func isBrokenPipe(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe)
}
