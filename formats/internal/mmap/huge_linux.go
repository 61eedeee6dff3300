package mmap

import "golang.org/x/sys/unix"

// advise asks for large pages where the file system has them: a cold file is read in larger pieces, and decoding, which reads all weights
// for every token, misses the translation of addresses less often (a third faster where each miss costs most, in virtual machines).
func advise(data []byte) {
	_ = unix.Madvise(data, unix.MADV_HUGEPAGE) // a hint
}
