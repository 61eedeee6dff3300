package gguf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/llamakit/llamakit/formats/quant"
)

func TestOpenAbsent(t *testing.T) {
	for name, path := range map[string]string{
		"absent": filepath.Join(t.TempDir(), "absent.gguf"),
		"folder": t.TempDir(),
		"device": os.DevNull,
	} {
		_, err := Open(path)
		if absent := name == "absent"; err == nil || errors.Is(err, ErrNotFound) != absent || errors.Is(err, fs.ErrNotExist) != absent || !oneLine.MatchString(err.Error()) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAfterClose pins the lifetime: metadata and tensor entries stay, data is refused with a panic that can be recovered.
func TestAfterClose(t *testing.T) {
	md, tensors, _ := sample()
	f, err := Open(store(t, "m.gguf", sampleBytes(t)))
	if err != nil {
		t.Fatal(err)
	}
	ts := &f.Tensors[0]
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
	if !sameMetadata(f.Metadata, md) || ts.Name != tensors[0].Name {
		t.Error("metadata changed with Close")
	}
	if !panics(func() { f.Bytes(ts) }) {
		t.Error("Bytes after Close does not panic")
	}
}

// TestRelease pins that released bytes can be read again, from a file and from memory.
func TestRelease(t *testing.T) {
	md := NewMetadata()
	infos := []TensorInfo{{Name: "a", Type: quant.F32, Shape: []int{8192}}}
	want := bytes.Repeat([]byte{1, 2, 3, 4}, 8192)
	path := filepath.Join(t.TempDir(), "m.gguf")
	w, err := Create(path, md, infos)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.WriteTensor(want), w.Commit()); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	mapped, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer mapped.Close()
	parsed, err := Parse("m.gguf", data)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []*File{mapped, parsed} {
		a := &f.Tensors[0]
		f.Release(a, f.Bytes(a))
		if !bytes.Equal(f.Bytes(a), want) {
			t.Error("the bytes are gone")
		}
	}
}

// TestBytesIsClipped pins that appending to a tensor's bytes cannot write into the mapping.
func TestBytesIsClipped(t *testing.T) {
	f, err := Parse("m.gguf", sampleBytes(t))
	if err != nil {
		t.Fatal(err)
	}
	if b := f.Bytes(&f.Tensors[0]); cap(b) != len(b) {
		t.Errorf("capacity %d of %d bytes", cap(b), len(b))
	}
}

// patience is several times what the slowest refusal takes on an idle core: the machine may be busy.
const patience = 30 * time.Second

// TestLateRefusal measures files that are as expensive as they can be and are refused at their last entry: the heap may
// not grow beyond 64 MiB.
func TestLateRefusal(t *testing.T) {
	for name, data := range map[string][]byte{
		"keys":    manyKeys(maxKeys),
		"tensors": manyTensors(maxTensors),
		"strings": keyFile(rawKey{"k", rawArray(TypeString, 2<<20, make([]byte, 16<<20)...)}, rawKey{"k", rawU32(1)}),
		"arrays":  keyFile(rawKey{"k", rawArray(TypeArray, 1<<20, make([]byte, 12<<20)...)}, rawKey{"k", rawU32(1)}),
	} {
		runtime.GC()
		start, before := time.Now(), allocated()
		_, err := Parse(name, data)
		if cost, took := allocated()-before, time.Since(start); !errors.Is(err, ErrCorrupt) || cost > 60<<20 || took > patience {
			t.Errorf("%s: %d MiB of file cost %d MiB and %v: %v", name, len(data)>>20, cost>>20, took, err)
		}
	}
}

// manyKeys is n keys, the last of them twice.
func manyKeys(n int) []byte {
	f := rawFile{keys: make([]rawKey, n)}
	for i := range f.keys {
		f.keys[i] = rawKey{fmt.Sprintf("key.with.a.longer.name.%d", min(i, n-2)), rawStr("some text")}
	}
	return f.build()
}

// manyTensors is n tensors without data, the last of them twice.
func manyTensors(n int) []byte {
	f := rawFile{tensors: make([]rawTensor, n)}
	for i := range f.tensors {
		f.tensors[i] = rawTensor{fmt.Sprintf("blk.with.a.name.that.takes.all.sixty.three.bytes.%010d", min(i, n-2)), []uint64{0, 1, 1, 1}, 0, 0}
	}
	return f.build()
}

func BenchmarkParse(b *testing.B) {
	tokens := make([]string, 150_000)
	for i := range tokens {
		tokens[i] = fmt.Sprintf("token%d", i)
	}
	f := rawFile{keys: []rawKey{{"tokenizer.ggml.tokens", of(Strings(tokens))}}, data: make([]byte, 32*1000)}
	for i := range uint64(1000) {
		f.tensors = append(f.tensors, f32Tensor(fmt.Sprintf("blk.%d.ffn_up.weight", i), 8, 32*i))
	}
	data := f.build()
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse("m.gguf", data); err != nil {
			b.Fatal(err)
		}
	}
}

// TestSparse opens a file whose tensor is larger than the memory of most machines, without touching its data.
func TestSparse(t *testing.T) {
	const size = 1 << 40
	b := rawFile{tensors: []rawTensor{f32Tensor("big", size/4, 0)}}.build()
	path := store(t, "m.gguf", b)
	if err := os.Truncate(path, int64(len(b))+size); err != nil {
		t.Skipf("no sparse files here: %v", err)
	}
	f, err := Open(path)
	if err != nil {
		if errors.Is(err, ErrCorrupt) || errors.Is(err, ErrUnsupported) {
			t.Fatal(err)
		}
		t.Skipf("the system refuses the mapping: %v", err)
	}
	defer f.Close()
	data := f.Bytes(&f.Tensors[0])
	if len(data) != size || binary.LittleEndian.Uint32(data[size-4:]) != 0 {
		t.Errorf("%d bytes", len(data))
	}
}
