package outfile

import "golang.org/x/sys/windows"

// errNoSpace is the error of a full disk.
var errNoSpace error = windows.ERROR_DISK_FULL
