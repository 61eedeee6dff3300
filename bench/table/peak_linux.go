package main

import (
	"os"
	"syscall"
)

// peakMemory is the most memory that a process held, its mapped files included.
func peakMemory(p *os.ProcessState) int64 {
	if usage, ok := p.SysUsage().(*syscall.Rusage); ok {
		return usage.Maxrss << 10
	}
	return 0
}
