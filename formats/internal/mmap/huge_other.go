//go:build unix && !linux

package mmap

func advise([]byte) {}
