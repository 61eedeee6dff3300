package imatrix

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/quant"
)

// Keys and suffixes of the GGUF format.
const (
	keyType     = "general.type"
	keyDatasets = "imatrix.datasets"
	keyChunks   = "imatrix.chunk_count"
	keySize     = "imatrix.chunk_size"
	keySchema   = "imatrix.stats_schema"

	suffixSquares = ".in_sum2"
	suffixSums    = ".in_sum"
	suffixCounts  = ".counts"
	suffixStats   = ".stats"
)

// Open reads an importance matrix in either format. Errors begin with the path and name the entry.
func Open(path string) (*Matrix, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	var magic [4]byte
	_, _ = f.Read(magic[:])
	f.Close()
	var m *Matrix
	if string(magic[:]) == "GGUF" {
		m, err = openGGUF(path)
	} else {
		m, err = openDat(path)
	}
	if err == nil {
		err = m.check()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, strip(path, err))
	}
	return m, nil
}

// strip takes the path off errors that begin with it.
func strip(path string, err error) error {
	if rest, ok := strings.CutPrefix(err.Error(), path+": "); ok {
		return fmt.Errorf("%s", rest)
	}
	return err
}

func openGGUF(path string) (*Matrix, error) {
	f, err := gguf.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return fromGGUF(f)
}

func fromGGUF(f *gguf.File) (*Matrix, error) {
	m := New()
	if err := m.readKeys(f.Metadata); err != nil {
		return nil, err
	}
	var err error
	if m.Progress, err = readProgress(f.Metadata); err != nil {
		return nil, err
	}
	for i := range f.Tensors {
		if err := m.readTensor(f, &f.Tensors[i]); err != nil {
			return nil, err
		}
	}
	if len(m.Entries) == 0 {
		return nil, fmt.Errorf("it has no entries; tensors NAME%s and NAME%s are expected (is it a model?)", suffixSquares, suffixCounts)
	}
	return m, nil
}

func (m *Matrix) readKeys(md *gguf.Metadata) error {
	for _, key := range []string{keyDatasets, keyChunks, keySize} {
		v, ok := md.Get(key)
		if !ok {
			return fmt.Errorf("key %s is missing (is it an importance matrix?)", key)
		}
		n, isInt := v.Int()
		texts, isText := v.StrSlice()
		switch {
		case key == keyDatasets && isText:
			m.Datasets = slices.Clone(texts)
		case key == keyChunks && isInt && n >= 0 && n <= math.MaxInt32:
			m.Chunks = int(n)
		case key == keySize && isInt && n >= 0 && n <= math.MaxInt32:
			m.ChunkSize = int(n)
		default:
			return fmt.Errorf("key %s has the wrong type or value", key)
		}
	}
	if v, ok := md.Get(keySchema); ok {
		names, _ := v.StrSlice()
		m.Schema = slices.Clone(names)
	}
	return nil
}

// readTensor takes one tensor into its entry. Tensors of other names are left out.
func (m *Matrix) readTensor(f *gguf.File, t *gguf.Tensor) error {
	name, suffix := cutSuffix(t.Name)
	if suffix == "" {
		return nil
	}
	if t.Type != quant.F32 {
		return fmt.Errorf("tensor %s is %s; sums and counts are f32", printable(t.Name), t.Type)
	}
	values := make([]float32, t.Elements())
	quant.Decode(quant.F32, values, f.Bytes(t))
	e := m.Entries[name]
	if e == nil {
		e = &Entry{}
		m.Entries[name] = e
	}
	switch suffix {
	case suffixSquares:
		e.Squares = values
	case suffixSums:
		e.Sums = values
	case suffixCounts:
		e.Counts = values
	case suffixStats:
		e.Stats = values
	}
	return nil
}

func cutSuffix(name string) (entry, suffix string) {
	for _, suffix := range []string{suffixSquares, suffixSums, suffixCounts, suffixStats} {
		if entry, ok := strings.CutSuffix(name, suffix); ok {
			return entry, suffix
		}
	}
	return name, ""
}

func openDat(path string) (*Matrix, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parseDat(data)
}

// parseDat reads the older format: the number of entries; of each the length of its name, the name, a count, the number
// of values and the values, which are means times the count; then the number of chunks and the name of the text. All
// numbers are 32-bit.
func parseDat(data []byte) (*Matrix, error) {
	m, d := New(), datReader{data: data}
	n := d.size("entries", 12)
	for i := 0; i < n && d.err == nil; i++ {
		name := string(d.bytes(d.size("name", 1)))
		count := d.int32()
		values := d.floats(d.size("values", 4))
		if d.err == nil && m.Entries[name] != nil {
			return nil, fmt.Errorf("entry %s is there twice", printable(name))
		}
		if count <= 0 { // the values are means already
			count = 1
		}
		m.Entries[name] = &Entry{Squares: values, Counts: []float32{float32(count)}}
	}
	if d.err != nil {
		return nil, d.err
	}
	if len(d.data) >= 4 {
		m.Chunks = max(d.int32(), 0)
	}
	if len(d.data) >= 4 {
		m.Datasets = []string{string(d.bytes(d.size("dataset", 1)))}
	}
	if d.err == nil && n == 0 {
		return nil, fmt.Errorf("it has no entries")
	}
	return m, d.err
}

// datReader takes numbers off the front; after an error everything is zero.
type datReader struct {
	data []byte
	err  error
}

func (d *datReader) bytes(n int) []byte {
	if d.err == nil && n > len(d.data) {
		d.err = fmt.Errorf("it ends %d bytes early (neither GGUF nor a whole .dat importance matrix)", n-len(d.data))
	}
	if d.err != nil {
		return nil
	}
	out := d.data[:n]
	d.data = d.data[n:]
	return out
}

func (d *datReader) int32() int {
	b := d.bytes(4)
	if b == nil {
		return 0
	}
	return int(int32(binary.LittleEndian.Uint32(b)))
}

// size reads a count of things that take at least unit bytes each.
func (d *datReader) size(what string, unit int) int {
	n := d.int32()
	if d.err == nil && (n < 0 || n > len(d.data)/unit) {
		d.err = fmt.Errorf("%d %s cannot be in the %d bytes that follow (neither GGUF nor a .dat importance matrix)", n, what, len(d.data))
		return 0
	}
	return n
}

func (d *datReader) floats(n int) []float32 {
	raw := bytes.Clone(d.bytes(4 * n))
	if raw == nil {
		return nil
	}
	values := make([]float32, n)
	quant.Decode(quant.F32, values, raw)
	return values
}
