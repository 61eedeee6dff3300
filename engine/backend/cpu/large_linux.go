package cpu

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// askLargePages asks for pages of 2 MB where data has not been touched yet: there are fewer to look up, and the processor reads ahead
// beyond the end of a small one.
func askLargePages(data []byte) {
	const large = 2 << 20
	skip := -int(uintptr(unsafe.Pointer(unsafe.SliceData(data)))) & (large - 1)
	if n := (len(data) - skip) &^ (large - 1); n > 0 {
		_ = unix.Madvise(data[skip:skip+n], unix.MADV_HUGEPAGE) // a hint
	}
}
