package imatrix

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/quant"
)

// Save writes the matrix as a GGUF file as llama-imatrix v0.7.0 does. It appears under its name when it is complete.
func (m *Matrix) Save(path string) error {
	if err := m.check(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	infos, data := m.tensors()
	w, err := gguf.Create(path, m.metadata(), infos)
	if err != nil {
		return err
	}
	defer w.Abort()
	for i, values := range data {
		raw := make([]byte, quant.F32.RowBytes(len(values)))
		if err := quant.Encode(infos[i].Type, raw, values); err != nil {
			return err
		}
		if err := w.WriteTensor(raw); err != nil {
			return err
		}
	}
	return w.Commit()
}

func (m *Matrix) metadata() *gguf.Metadata {
	md := gguf.NewMetadata()
	md.Set(keyType, gguf.String("imatrix"))
	md.Set(keyDatasets, gguf.Strings(m.Datasets))
	md.Set(keyChunks, gguf.Uint32(uint32(m.Chunks)))
	md.Set(keySize, gguf.Uint32(uint32(m.ChunkSize)))
	if len(m.Schema) > 0 {
		md.Set(keySchema, gguf.Strings(m.Schema))
	}
	if m.Progress != nil {
		m.Progress.put(md)
	}
	return md
}

// tensors lists what is written, in the order of names.
func (m *Matrix) tensors() (infos []gguf.TensorInfo, data [][]float32) {
	add := func(name string, values []float32, shape ...int) {
		if values != nil {
			infos = append(infos, gguf.TensorInfo{Name: name, Type: quant.F32, Shape: shape})
			data = append(data, values)
		}
	}
	for _, name := range m.Names() {
		e := m.Entries[name]
		experts := len(e.Counts)
		columns := len(e.Squares) / experts
		add(name+suffixSquares, e.Squares, columns, experts)
		add(name+suffixCounts, e.Counts, 1, experts)
		add(name+suffixSums, e.Sums, columns, experts)
		add(name+suffixStats, e.Stats, len(e.Stats))
	}
	return infos, data
}

// SaveDat writes the older format. It keeps means only, one text, and neither plain sums nor counts of experts; entries
// that met no token are left out.
func (m *Matrix) SaveDat(path string) error {
	if err := m.check(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	var b bytes.Buffer
	put := func(n int) { b.Write(binary.LittleEndian.AppendUint32(nil, uint32(n))) }
	text := func(s string) { put(len(s)); b.WriteString(s) }
	names := slices.DeleteFunc(m.Names(), func(name string) bool { return m.Entries[name].Coverage() == 0 })
	put(len(names))
	for _, name := range names {
		means, chunks := m.Entries[name].Means(), m.chunks(m.Entries[name])
		for i := range means {
			means[i] *= float32(chunks)
		}
		text(name)
		put(chunks)
		put(len(means))
		raw := make([]byte, quant.F32.RowBytes(len(means)))
		if err := quant.Encode(quant.F32, raw, means); err != nil {
			return err
		}
		b.Write(raw)
	}
	put(m.Chunks)
	if len(m.Datasets) > 0 {
		text(m.Datasets[len(m.Datasets)-1])
	} else {
		text("")
	}
	return replace(path, b.Bytes())
}

// chunks is the number of chunks that an entry is weighted with in the older format: whole ones, rounded up.
func (m *Matrix) chunks(e *Entry) int {
	if m.ChunkSize == 0 {
		return max(m.Chunks, 1)
	}
	return int(math.Ceil(float64(slices.Max(e.Counts)) / float64(m.ChunkSize)))
}

// replace writes a file that appears under its name when it is complete.
func replace(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if _, err = f.Write(data); err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Chmod(f.Name(), 0o644)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.Rename(f.Name(), path)
}
