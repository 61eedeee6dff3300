package gguf

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"

	"github.com/llamakit/llamakit/formats/internal/fault"
)

// FileWriter writes a file that appears under its name when it is complete. Until Commit the data is in a temporary file
// `.name.random.tmp` in the same folder; a file that was there before stays as it is, also when it is open and the source
// of the data.
//
//	w, err := gguf.Create(path, md, tensors)
//	if err != nil {
//		return err
//	}
//	defer w.Abort() // does nothing after Commit
//	for _, t := range tensors {
//		if err := w.WriteTensor(data(t)); err != nil {
//			return err
//		}
//	}
//	return w.Commit()
type FileWriter struct {
	w      *Writer
	buf    *bufio.Writer
	f      *os.File
	target string // the file that Commit makes
	temp   string // empty when written in place, to a device or pipe
	sealed bool
	closed bool
}

// bufferSize gathers small tensors and padding; larger pieces go to the file as they are.
const bufferSize = 256 << 10

// Create begins a file at path. A symbolic link is followed. A device or pipe is written to directly.
func Create(path string, md *Metadata, tensors []TensorInfo) (*FileWriter, error) {
	l, err := plan(md, tensors)
	if err != nil {
		return nil, err
	}
	w := &FileWriter{target: path}
	if err := w.open(); err != nil {
		return nil, fault.OS(ErrNotFound, path, err)
	}
	w.buf = bufio.NewWriterSize(w.f, bufferSize)
	if w.w, err = startWriter(w.buf, path, l, tensors); err != nil {
		w.Abort()
		return nil, err
	}
	return w, nil
}

// open creates the temporary file, or opens a target that is not a regular file.
func (w *FileWriter) open() error {
	if real, err := filepath.EvalSymlinks(w.target); err == nil {
		w.target = real
	}
	info, err := os.Stat(w.target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return w.openTemp(0o666)
	case err != nil:
		return err
	case info.IsDir():
		return errors.New("is a folder; name a file in it")
	case !info.Mode().IsRegular():
		w.f, err = os.OpenFile(w.target, os.O_WRONLY, 0)
		return err
	}
	if err := w.openTemp(0o666); err != nil {
		return err
	}
	if err := w.f.Chmod(info.Mode().Perm()); err != nil && runtime.GOOS != "windows" {
		w.Abort()
		return err
	}
	return nil
}

// openTemp makes the temporary file under a name that is free.
func (w *FileWriter) openTemp(perm fs.FileMode) error {
	dir, base := filepath.Split(w.target)
	base = base[:min(len(base), 200)] // a file name has 255 bytes at most
	for {
		temp := filepath.Join(dir, fmt.Sprintf(".%s.%08x.tmp", base, rand.Uint32()))
		f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if path := (*fs.PathError)(nil); errors.As(err, &path) {
			return fmt.Errorf("no file can be made in its folder: %w", path.Err)
		}
		w.f, w.temp = f, temp
		return err
	}
}

// WriteTensor writes the whole data of the next tensor, as [Writer.WriteTensor] does.
func (w *FileWriter) WriteTensor(data []byte) error { return w.w.WriteTensor(data) }

// Write writes a piece of the data of the next tensor, as [Writer.Write] does.
func (w *FileWriter) Write(piece []byte) (int, error) { return w.w.Write(piece) }

// Seal checks that all data was written and makes the file durable, still under its temporary name. It gives back the
// buffer and the file handle, so that many files of a set can wait for their Commit.
func (w *FileWriter) Seal() error {
	if w.sealed {
		return nil
	}
	if err := w.w.Close(); err != nil {
		return err
	}
	if err := w.finish(); err != nil {
		return fault.OS(nil, w.target, err)
	}
	w.sealed, w.buf = true, nil
	w.w = &Writer{err: fault.In(fs.ErrClosed, w.target, "was sealed before")}
	return nil
}

func (w *FileWriter) finish() error {
	if err := w.buf.Flush(); err != nil {
		return err
	}
	if w.temp != "" {
		if err := w.f.Sync(); err != nil {
			return err
		}
	}
	return w.f.Close()
}

// Commit seals the file and gives it its name. After an error nothing is left of it.
func (w *FileWriter) Commit() error {
	if w.closed {
		return fault.In(fs.ErrClosed, w.target, "was committed or aborted before")
	}
	defer w.Abort()
	if err := w.Seal(); err != nil {
		return err
	}
	if w.temp == "" {
		w.closed = true
		return nil
	}
	if err := w.rename(); err != nil {
		return fault.OS(nil, w.target, err)
	}
	w.closed = true
	syncFolder(filepath.Dir(w.target))
	return nil
}

func (w *FileWriter) rename() error {
	err := os.Rename(w.temp, w.target)
	if link := (*os.LinkError)(nil); errors.As(err, &link) {
		return link.Err
	}
	return err
}

// Abort gives the file up and removes the temporary one. After Commit, and a second time, it does nothing.
func (w *FileWriter) Abort() error {
	if w.closed {
		return nil
	}
	w.closed = true
	w.f.Close()
	if w.temp == "" {
		return nil
	}
	if err := os.Remove(w.temp); err != nil {
		return fault.OS(nil, w.temp, err)
	}
	return nil
}

// syncFolder makes the new name durable. Not all systems can; the file is whole either way.
func syncFolder(dir string) {
	if d, err := os.Open(dir); err == nil {
		d.Sync()
		d.Close()
	}
}
