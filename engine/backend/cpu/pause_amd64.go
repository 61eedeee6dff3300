//go:build amd64 && !purego

package cpu

// pause tells the processor that this is a spinning loop, so that a thread on the same core gets on.
//
//go:noescape
func pause()
