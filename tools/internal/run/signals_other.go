//go:build !unix

package run

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// errNoData and errBrokenPipe are Windows' codes for a pipe whose reader has gone.
const (
	errBrokenPipe = syscall.Errno(109)
	errNoData     = syscall.Errno(232)
)

// withSignals returns a context that ends with the first interrupt; a second one ends the process as it always did.
func withSignals(parent context.Context) (ctx context.Context, caught func() os.Signal) {
	ctx, stop := signal.NotifyContext(parent, os.Interrupt)
	context.AfterFunc(ctx, stop)
	return ctx, func() os.Signal { return nil }
}

func exit(code int, _ os.Signal) { os.Exit(code) }

func isBrokenPipe(err error) bool {
	return errors.Is(err, errBrokenPipe) || errors.Is(err, errNoData) || errors.Is(err, io.ErrClosedPipe)
}
