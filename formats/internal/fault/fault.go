// Package fault is the shape of the errors that the file formats return: one line that names the file, the byte and the
// fact, and a sentinel that says which kind of fault it is.
package fault

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/llamakit/llamakit/formats/internal/escape"
)

// Error is a fault at a place in a file. Its text holds no control characters, whatever the file contained.
type Error struct {
	File   string // as the caller named it; empty when unknown
	Offset int64  // byte position in File; negative when the fault has none
	Fact   string // what is wrong and what to do
	Kind   error  // sentinel or cause, for errors.Is
}

// At makes an error at byte offset of file; a negative offset leaves the place out.
func At(kind error, file string, offset int64, format string, args ...any) error {
	return &Error{File: file, Offset: offset, Fact: fmt.Sprintf(format, args...), Kind: kind}
}

// In makes an error about the whole of file.
func In(kind error, file string, format string, args ...any) error {
	return At(kind, file, -1, format, args...)
}

// OS gives an error of the operating system the common form. The path it carries is replaced by file; kind is a second
// sentinel, may be nil, and only counts where the file does not exist.
func OS(kind error, file string, err error) error {
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		err = path.Err
	}
	wrapped := err
	if kind != nil && errors.Is(err, fs.ErrNotExist) {
		wrapped = errors.Join(kind, err)
	}
	return In(wrapped, file, "%s", err)
}

func (e *Error) Error() string {
	s := e.Fact
	if e.Offset >= 0 {
		s = fmt.Sprintf("byte %d: %s", e.Offset, s)
	}
	if e.File != "" {
		s = escape.Printable(e.File) + ": " + s
	}
	return s
}

// Unwrap returns the sentinel, or the cause.
func (e *Error) Unwrap() error { return e.Kind }
