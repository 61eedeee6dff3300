package split

import (
	"fmt"
	"math"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/tools/internal/run"
)

// Limits say where a shard ends. One of MaxTensors and MaxBytes is 0.
type Limits struct {
	MaxTensors int   // 0: defaultTensors, unless MaxBytes is set
	MaxBytes   int64 // of tensors, each padded; headers do not count
	BareFirst  bool  // no tensors in the first shard
}

const (
	defaultTensors = 128
	maxShards      = math.MaxUint16 // key split.count is a u16
	padding        = 32             // of a tensor's data; llama.cpp counts with it whatever the alignment of the file
)

// Check refuses limits that exclude each other.
func (l *Limits) Check() error {
	if l.MaxTensors > 0 && l.MaxBytes > 0 {
		return run.Usagef("--split-max-tensors and --split-max-size cannot be used together")
	}
	return nil
}

// shard is a file to be written.
type shard struct {
	path     string
	metadata *gguf.Metadata
	tensors  []*gguf.Tensor
	bytes    int64 // of the whole file
}

// cut distributes the tensors of a model over shards, in their order.
func (l *Limits) cut(model *gguf.File, prefix string) ([]shard, error) {
	sizes := make([]int64, len(model.Tensors))
	for i := range sizes {
		sizes[i] = model.Tensors[i].Size
	}
	counts, err := l.Counts(sizes)
	if err != nil {
		return nil, err
	}
	shards, done := make([]shard, len(counts)), 0
	for i, n := range counts {
		s := shard{path: gguf.ShardPath(prefix, i, len(counts)), metadata: gguf.NewMetadata()}
		for ; n > 0; n-- {
			s.tensors = append(s.tensors, &model.Tensors[done])
			done++
		}
		if i == 0 {
			s.metadata = model.Metadata.Clone()
		}
		renew(s.metadata, "split.no", gguf.Uint16(uint16(i)))
		renew(s.metadata, "split.tensors.count", gguf.Int32(int32(len(model.Tensors))))
		renew(s.metadata, "split.count", gguf.Uint16(uint16(len(counts))))
		if err := s.measure(); err != nil {
			return nil, err
		}
		shards[i] = s
	}
	return shards, nil
}

// Counts are the numbers of tensors of each shard, of tensors of so many bytes. A shard begins where a limit is reached; a tensor that
// is larger than the limit has one for itself.
func (l *Limits) Counts(sizes []int64) ([]int, error) {
	counts, size := make([]int, 1), int64(0)
	if l.BareFirst {
		counts = append(counts, 0)
	}
	for i, n := range sizes {
		next := (n + padding - 1) &^ (padding - 1)
		if counts[len(counts)-1] > 0 && l.ends(i, size+next) {
			counts, size = append(counts, 0), 0
		}
		counts[len(counts)-1]++
		size += next
	}
	if len(counts) > maxShards {
		return nil, fmt.Errorf("the limits make %d shards, more than the %d that a set can have", len(counts), maxShards)
	}
	return counts, nil
}

// ends reports whether tensor i, which would fill the shard to size bytes, belongs to the next one.
func (l *Limits) ends(i int, size int64) bool {
	if l.MaxBytes > 0 {
		return size > l.MaxBytes
	}
	most := l.MaxTensors
	if most == 0 {
		most = defaultTensors
	}
	return i%most == 0
}

// merged is the file of all tensors. It keeps the keys of the first shard, with split.count 0 for a whole file.
func merged(model *gguf.File, path string) (shard, error) {
	s := shard{path: path, metadata: model.Metadata.Clone()}
	renew(s.metadata, "split.count", gguf.Uint16(0))
	for i := range model.Tensors {
		s.tensors = append(s.tensors, &model.Tensors[i])
	}
	return s, s.measure()
}

// renew sets a key and moves it to the end, where llama.cpp has it.
func renew(md *gguf.Metadata, key string, v gguf.Value) {
	md.Delete(key)
	md.Set(key, v)
}

func (s *shard) measure() (err error) {
	s.bytes, err = gguf.Size(s.metadata, s.infos())
	return err
}

func (s *shard) infos() []gguf.TensorInfo {
	infos := make([]gguf.TensorInfo, len(s.tensors))
	for i, t := range s.tensors {
		infos[i] = t.Info()
	}
	return infos
}

func dataBytes(shards []shard) (n int64) {
	for _, s := range shards {
		for _, t := range s.tensors {
			n += t.Size
		}
	}
	return n
}
