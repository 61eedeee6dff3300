//go:build unix

package outfile

import "syscall"

// errNoSpace is the error of a full disk.
var errNoSpace error = syscall.ENOSPC
