//go:build unix

package mmap

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

func platformMap(f *os.File, size int) ([]byte, func() error, error) {
	data, err := unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, os.NewSyscallError("mmap", err)
	}
	advise(data)
	return data, func() error { return unix.Munmap(data) }, nil
}

// Release tells the system that mapped bytes have been read, so that a file larger than the memory does not push everything
// else out of it. Reading them again fetches them from the file. data must be part of a mapping.
func Release(data []byte) {
	page := os.Getpagesize()
	if skip := -int(uintptr(unsafe.Pointer(unsafe.SliceData(data)))) & (page - 1); skip < len(data) {
		data = data[skip:]
		data = data[:len(data)&^(page-1)]
		if len(data) > 0 {
			_ = unix.Madvise(data, unix.MADV_DONTNEED) // a hint
		}
	}
}
