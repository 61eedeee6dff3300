//go:build !unix

package tui

import "context"

// onQuit does nothing: there is no such signal.
func onQuit(parent context.Context) (ctx context.Context, finish func()) { return parent, func() {} }
