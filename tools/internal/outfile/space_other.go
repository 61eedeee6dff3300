//go:build !unix && !windows

package outfile

import "errors"

// errNoSpace matches nothing: other systems have no common error for it.
var errNoSpace = errors.New("no space")
