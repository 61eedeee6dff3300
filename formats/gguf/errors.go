package gguf

import (
	"errors"

	"github.com/llamakit/llamakit/formats/internal/escape"
	"github.com/llamakit/llamakit/formats/internal/fault"
)

// Kinds of errors, for errors.Is. The text of an error has the file, the byte offset and the key or tensor.
var (
	// ErrCorrupt is of a file that breaks the rules of the format, or is cut short.
	ErrCorrupt = errors.New("corrupt GGUF file")
	// ErrUnsupported is of a file that may be right, but that this package does not read or write.
	ErrUnsupported = errors.New("unsupported GGUF file")
	// ErrNotFound is of a file, shard or key that is not there.
	ErrNotFound = errors.New("not found")
)

// Printable returns s with what a terminal could obey, or what could hide text, escaped: control characters, marks that
// change the direction of text, invisible characters and bytes that are no UTF-8. Names and values of a file go through
// it before they are shown.
func Printable(s string) string { return escape.Printable(s) }

// quote shows a name from a file in an error.
func quote(s string) string { return escape.Quote(s, 80) }

// invalid is an error about an argument, which has no place in a file.
func invalid(format string, args ...any) error { return fault.In(ErrCorrupt, "", format, args...) }
