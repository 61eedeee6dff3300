package gguf

import (
	"fmt"
	"io"
	"math"

	"github.com/llamakit/llamakit/formats/internal/fault"
)

// Source is a file that is read piece by piece instead of being mapped, because it is on another machine.
type Source interface {
	io.ReaderAt
	io.Closer
	Size() int64 // bytes
}

const (
	firstRead = 256 << 10 // of a header; the next reads double what there is
	maxHeader = 256 << 20 // vocabularies of 256,000 tokens take 8 MiB
)

// OpenFrom is Open for files that are not on this machine: open is called with path, and with the path of each other
// shard of a set, which differs from it in the number. Only headers are read; ReadTensor reads data. A header of more
// than 256 MiB is unsupported.
func OpenFrom(path string, open func(path string) (Source, error)) (*File, error) {
	o := opener{
		open: func(path string) (*shard, error) {
			src, err := open(path)
			if err != nil {
				return nil, err
			}
			s, err := readShard(path, src)
			if err != nil {
				src.Close()
			}
			return s, err
		},
		present: func(string, []string) error { return nil }, // open will tell
	}
	return o.openFile(path)
}

// readShard reads the header of a file, in as few pieces as that takes.
func readShard(path string, src Source) (*shard, error) {
	if src.Size() > math.MaxInt {
		return nil, fault.In(ErrUnsupported, path, "is larger than the address space")
	}
	c := newCursor(path, nil)
	c.size = int(src.Size())
	c.more = func(n int) ([]byte, error) { return readOn(path, src, c.data, n) }
	s := &shard{name: path, source: src, size: src.Size(), alignment: defaultAlign, close: src.Close}
	if err := s.parse(c); err != nil {
		return nil, err
	}
	s.md.detach()
	return s, nil
}

// readOn returns head, which is the beginning of the file, grown to at least n bytes.
func readOn(path string, src Source, head []byte, n int) ([]byte, error) {
	if n > maxHeader {
		return nil, fault.In(ErrUnsupported, path, "has a header of more than %d MiB, which is only read from a local file (download it)", maxHeader>>20)
	}
	size := min(int(src.Size()), max(n, 2*len(head), firstRead))
	grown := make([]byte, size)
	done := copy(grown, head)
	if err := readFull(src, grown[done:], int64(done)); err != nil {
		return nil, fault.At(err, path, int64(done), "%v", err)
	}
	return grown, nil
}

// ReadTensor reads len(p) bytes of a tensor's data from byte off of it on, wherever the file is.
func (f *File) ReadTensor(t *Tensor, p []byte, off int64) error {
	if off < 0 || off > t.Size-int64(len(p)) {
		panic(fmt.Sprintf("gguf: bytes %d to %d of a tensor of %d", off, off+int64(len(p)), t.Size))
	}
	s := f.shards[t.Shard]
	if s.source == nil {
		if err := s.present(t, off+int64(len(p))); err != nil {
			return err
		}
		copy(p, s.data[t.Offset+off:])
		return nil
	}
	if err := readFull(s.source, p, t.Offset+off); err != nil {
		return fault.At(err, s.name, t.Offset+off, "tensor %s: %v", quote(t.Name), err)
	}
	return nil
}

// Remote reports whether the file is from OpenFrom: Bytes cannot be used then.
func (f *File) Remote() bool { return f.shards[0].source != nil }

// readFull reads len(p) bytes at off. (io.ReaderAt may give io.EOF together with the last of them.)
func readFull(r io.ReaderAt, p []byte, off int64) error {
	n, err := r.ReadAt(p, off)
	switch {
	case n == len(p):
		return nil
	case err == nil || err == io.EOF:
		return io.ErrUnexpectedEOF
	}
	return err
}
