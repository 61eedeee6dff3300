//go:build !unix

package quantize

import "errors"

// errNoSpace matches nothing: other systems have no common error for it.
var errNoSpace = errors.New("no space")
