package gguf

import (
	"fmt"
	"io"
)

// WriteTo writes the bytes of all files that were opened, one after the other: for a digest of the whole model, metadata
// included. A file from OpenFrom has no bytes in memory and is an error.
func (f *File) WriteTo(w io.Writer) (written int64, err error) {
	for _, s := range f.shards {
		if s.source != nil || s.headerOnly {
			return written, fmt.Errorf("%s: its data is not in memory", s.name)
		}
		n, err := w.Write(s.data)
		if written += int64(n); err != nil {
			return written, err
		}
	}
	return written, nil
}
