package logprobs

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Writer writes a file that appears under its name when it is complete.
type Writer struct {
	Header
	path    string
	f       *os.File
	buf     *bufio.Writer
	written int
}

// Create begins a file at path. What is there already is replaced only when it is a file of log-probabilities, too. Abort must
// follow; after Commit it does nothing.
func Create(path string, h Header) (*Writer, error) {
	if err := replaceable(path); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.tmp")
	if wrong := (*fs.PathError)(nil); errors.As(err, &wrong) {
		return nil, fmt.Errorf("%s: no file can be made in its folder: %w", path, wrong.Err)
	}
	if err != nil {
		return nil, err
	}
	w := &Writer{Header: h, path: path, f: f, buf: bufio.NewWriterSize(f, 1<<20)}
	head := []byte(magic)
	for _, n := range []int{h.Context, h.Vocab, h.Chunks} {
		head = binary.LittleEndian.AppendUint32(head, uint32(n))
	}
	for _, t := range h.Tokens[:h.Context*h.Chunks] {
		head = binary.LittleEndian.AppendUint32(head, uint32(t))
	}
	if _, err := w.buf.Write(head); err != nil {
		w.Abort()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return w, nil
}

// replaceable looks at what stands at path.
func replaceable(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return errors.New("is not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	head := make([]byte, len(magic))
	if n, err := io.ReadFull(f, head); err != io.EOF && string(head[:n]) != magic {
		return errors.New("is not a file of log-probabilities, and is not overwritten")
	}
	return nil
}

// WriteChunk writes the rows of the next chunk, of ChunkBytes bytes.
func (w *Writer) WriteChunk(rows []byte) error {
	w.written++
	if _, err := w.buf.Write(rows); err != nil {
		return fmt.Errorf("%s: %w", w.path, err)
	}
	return nil
}

// Commit makes the file durable and gives it its name.
func (w *Writer) Commit() error {
	if w.written != w.Chunks {
		return fmt.Errorf("%s: %d of %d chunks were written", w.path, w.written, w.Chunks)
	}
	for _, step := range []func() error{w.buf.Flush, func() error { return w.f.Chmod(0o644) }, w.f.Sync, w.f.Close,
		func() error { return os.Rename(w.f.Name(), w.path) }} {
		if err := step(); err != nil {
			return fmt.Errorf("%s: %w", w.path, err)
		}
	}
	w.f = nil
	return nil
}

// Abort drops a file that was not committed.
func (w *Writer) Abort() {
	if w.f != nil {
		w.f.Close()
		os.Remove(w.f.Name())
		w.f = nil
	}
}
