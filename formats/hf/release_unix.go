//go:build unix

package hf

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// release tells the system that mapped bytes have been read, so that a checkpoint larger than the memory does not push
// everything else out of it. Reading them again fetches them from the file.
func release(data []byte) {
	page := os.Getpagesize()
	if skip := -int(uintptr(unsafe.Pointer(unsafe.SliceData(data)))) & (page - 1); skip < len(data) {
		data = data[skip:]
		data = data[:len(data)&^(page-1)]
		if len(data) > 0 {
			_ = unix.Madvise(data, unix.MADV_DONTNEED) // a hint
		}
	}
}
