//go:build !linux

package cpu

func askLargePages([]byte) {}
