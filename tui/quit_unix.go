//go:build unix

package tui

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// onQuit ends ctx when SIGQUIT comes. The signal kills a Go program with the stacks of all goroutines, which must not be
// written on a screen that is not the user's: finish, called once that is restored, lets it happen.
func onQuit(parent context.Context) (ctx context.Context, finish func()) {
	ctx, cancel := context.WithCancel(parent)
	notices := make(chan os.Signal, 1)
	signal.Notify(notices, syscall.SIGQUIT)
	var came atomic.Bool
	go func() {
		select {
		case <-notices:
			came.Store(true)
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(notices)
		cancel()
		if came.Load() && syscall.Kill(os.Getpid(), syscall.SIGQUIT) == nil {
			time.Sleep(time.Second)
		}
	}
}
