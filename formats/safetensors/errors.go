package safetensors

import (
	"errors"

	"github.com/llamakit/llamakit/formats/internal/escape"
)

// Kinds of errors, for errors.Is. The text of an error has the file, the byte offset and the tensor.
var (
	// ErrCorrupt is of a file that breaks the rules of the format, or is cut short.
	ErrCorrupt = errors.New("corrupt safetensors file")
	// ErrUnsupported is of a file that may be right, but that this package does not read.
	ErrUnsupported = errors.New("unsupported safetensors file")
	// ErrNotFound is of a file, shard or tensor that is not there.
	ErrNotFound = errors.New("not found")
)

// quote shows a name from a file in an error.
func quote(s string) string { return escape.Quote(s, 80) }
