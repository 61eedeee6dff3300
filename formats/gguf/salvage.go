package gguf

import (
	"github.com/llamakit/llamakit/formats/internal/fault"
	"github.com/llamakit/llamakit/formats/internal/mmap"
)

// Salvage is Open for those who want to look at a file whatever is wrong with it. Where Open fails, it returns that error,
// and beside it, if there is anything, a file with the keys and tensors up to the damage; of a set of shards, those of this
// file alone. Data that is not there is an error of ReadTensor; Bytes must not be called.
func Salvage(path string) (*File, error) {
	f, err := Open(path)
	if err == nil {
		return f, nil
	}
	m, unreadable := mmap.Open(path)
	if unreadable != nil {
		return nil, err
	}
	if f = salvage(path, m.Data, m.Close); f == nil {
		m.Close()
	}
	return f, err
}

// salvage reads a file up to its damage. It returns nil where there is nothing before that.
func salvage(path string, data []byte, closeData func() error) *File {
	s := &shard{name: path, data: data, size: int64(len(data)), alignment: defaultAlign, close: closeData, mapped: true}
	damage := s.parse(newCursor(path, data))
	if damage != nil && (s.md == nil || s.md.Len()+len(s.tensors) == 0) {
		return nil
	}
	s.md.detach()
	if s.begin == 0 { // the damage is in the header: where the data begins is not known
		s.data = nil
	}
	s.dropTwins()
	f, err := newFile([]*shard{s})
	if err != nil {
		return nil
	}
	return f
}

// dropTwins ends the list before the first tensor whose name was there before.
func (s *shard) dropTwins() {
	seen := map[string]bool{}
	for i := range s.tensors {
		if seen[s.tensors[i].Name] {
			s.tensors = s.tensors[:i]
			return
		}
		seen[s.tensors[i].Name] = true
	}
}

// present says whether data of a tensor is there, up to byte end of it.
func (s *shard) present(t *Tensor, end int64) error {
	if t.Offset > int64(len(s.data))-end {
		return fault.At(ErrCorrupt, s.name, int64(len(s.data)), "tensor %s: its data is not there", quote(t.Name))
	}
	return nil
}
