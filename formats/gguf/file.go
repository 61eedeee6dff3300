package gguf

import (
	"errors"

	"github.com/llamakit/llamakit/formats/internal/fault"
	"github.com/llamakit/llamakit/formats/internal/mmap"
)

// File is an open GGUF file, or a set of shards that make one. It does not change after Open, so it can be used by
// several goroutines at once; Close comes after all of them.
type File struct {
	Version   uint32    // 2 or 3; of the first shard
	Metadata  *Metadata // of the first shard; the keys split.* are those of the file, not of the set
	Tensors   []Tensor  // of all shards, in the order of their entries
	Alignment int       // of the first shard; offsets of tensors are multiples of their own shard's

	shards []*shard
	byName map[string]int
}

// Open maps the file at path. If it is one shard of a set, the others are opened too: path may be any of them, and all
// must be in the same folder under the names that gguf-split gives them, `name-00001-of-00003.gguf`.
func Open(path string) (*File, error) {
	return opener{openShard, checkPresent}.openFile(path)
}

func (o opener) openFile(path string) (*File, error) {
	s, err := o.open(path)
	if err != nil {
		return nil, err
	}
	part, err := s.split()
	if err != nil {
		s.close()
		return nil, err
	}
	if part.count <= 1 {
		return newFile([]*shard{s})
	}
	shards, err := o.openSet(path, s, part)
	if err != nil {
		return nil, err
	}
	return newFile(shards)
}

// Parse reads a file that is in memory; name is for errors. The File refers to data, which must not change. A shard of a
// set is refused, because the others cannot be found.
func Parse(name string, data []byte) (*File, error) {
	s, err := parseShard(name, data)
	if err != nil {
		return nil, err
	}
	part, err := s.split()
	if err != nil {
		return nil, err
	}
	if part.count > 1 {
		return nil, fault.In(ErrNotFound, name, "is shard %d of %d; in memory only a whole model can be read (merge the shards)", part.no+1, part.count)
	}
	return newFile([]*shard{s})
}

// openShard maps and parses one file.
func openShard(path string) (*shard, error) {
	m, err := mmap.Open(path)
	if err != nil {
		return nil, fault.OS(ErrNotFound, path, err)
	}
	s, err := parseShard(path, m.Data)
	if err != nil {
		m.Close()
		return nil, err
	}
	s.close, s.mapped = m.Close, true
	s.md.detach()
	return s, nil
}

// newFile joins the tensors of the shards; it closes them when it fails.
func newFile(shards []*shard) (*File, error) {
	first, n := shards[0], 0
	for _, s := range shards {
		n += len(s.tensors)
	}
	f := &File{Version: first.version, Metadata: first.md, Alignment: first.alignment, shards: shards}
	f.Tensors, f.byName = make([]Tensor, 0, n), make(map[string]int, n)
	for i, s := range shards {
		for _, t := range s.tensors {
			t.Shard = i
			if err := f.add(t); err != nil {
				f.Close()
				return nil, err
			}
		}
		s.tensors = nil
	}
	return f, nil
}

func (f *File) add(t Tensor) error {
	if i, twice := f.byName[t.Name]; twice {
		first, where := f.Tensors[i], ""
		if first.Shard != t.Shard {
			where = "in " + Printable(f.shards[first.Shard].name) + " "
		}
		return fault.At(ErrCorrupt, f.shards[t.Shard].name, int64(t.entry),
			"tensor %s: is there twice, first %sat byte %d (one of them must go)", quote(t.Name), where, first.entry)
	}
	f.byName[t.Name] = len(f.Tensors)
	f.Tensors = append(f.Tensors, t)
	return nil
}

// Tensor returns the tensor of that name.
func (f *File) Tensor(name string) (*Tensor, bool) {
	i, ok := f.byName[name]
	if !ok {
		return nil, false
	}
	return &f.Tensors[i], true
}

// Bytes returns the data of a tensor of this file: t.Size bytes of the mapping, valid until Close. It panics after Close,
// and for a file from OpenFrom, whose data is not in memory: ReadTensor reads that of both.
func (f *File) Bytes(t *Tensor) []byte {
	end := t.Offset + t.Size
	if t.Size == 0 || f.shards[t.Shard].headerOnly {
		return nil
	}
	return f.shards[t.Shard].data[t.Offset:end:end]
}

// Release says that some of the bytes of a tensor have been read: the system may drop them from memory, and fetches them from
// the file when they are read again.
func (f *File) Release(t *Tensor, data []byte) {
	if f.shards[t.Shard].mapped {
		mmap.Release(data)
	}
}

// Paths returns the files that were opened, in the order of Tensor.Shard.
func (f *File) Paths() []string {
	paths := make([]string, len(f.shards))
	for i, s := range f.shards {
		paths[i] = s.name
	}
	return paths
}

// Sizes returns the bytes of the files that were opened, in the order of Tensor.Shard.
func (f *File) Sizes() []int64 {
	sizes := make([]int64, len(f.shards))
	for i, s := range f.shards {
		sizes[i] = s.size
	}
	return sizes
}

// Close ends the mapping. Metadata and Tensors of a file from Open stay valid, what Bytes returned does not. A second
// call does nothing.
func (f *File) Close() error {
	var errs []error
	for _, s := range f.shards {
		if err := s.close(); err != nil {
			errs = append(errs, fault.OS(nil, s.name, err))
		}
		s.data, s.close = nil, func() error { return nil }
	}
	return errors.Join(errs...)
}
