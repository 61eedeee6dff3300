package imatrix

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/bench/golden"
	"github.com/llamakit/llamakit/formats/gguf"
)

// sample has a plain entry and one of two experts, of which the second met nothing.
func sample() *Matrix {
	m := New()
	m.Datasets, m.Chunks, m.ChunkSize, m.Schema = []string{"a.txt", "b.txt"}, 8, 512, []string{"sum_sq", "mean"}
	m.Entries["blk.0.attn_q.weight"] = &Entry{Squares: []float32{2, 4, 0, 8}, Sums: []float32{1, -1, 0, 2}, Counts: []float32{4}, Stats: []float32{14, 0.5}}
	m.Entries["blk.0.ffn_up_exps.weight"] = &Entry{Squares: []float32{3, 6, 0, 0}, Counts: []float32{3, 0}}
	return m
}

func TestRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.gguf")
	if err := sample().Save(path); err != nil {
		t.Fatal(err)
	}
	got, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, sample()) {
		t.Errorf("%+v came back as %+v", sample(), got)
	}
}

// TestDatRoundTrip: the older format keeps the means, and one text.
func TestDatRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.dat")
	if err := sample().SaveDat(path); err != nil {
		t.Fatal(err)
	}
	got, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, e := range sample().Entries {
		if !reflect.DeepEqual(got.Entries[name].Means(), e.Means()) {
			t.Errorf("%s: means %v, want %v", name, got.Entries[name].Means(), e.Means())
		}
	}
	if got.Chunks != 8 || !reflect.DeepEqual(got.Datasets, []string{"b.txt"}) {
		t.Errorf("chunks %d, datasets %v", got.Chunks, got.Datasets)
	}
}

func TestMeans(t *testing.T) {
	if got := sample().Entries["blk.0.ffn_up_exps.weight"].Means(); !reflect.DeepEqual(got, []float32{1, 2, 1, 1}) {
		t.Errorf("means %v", got)
	}
}

func TestAdd(t *testing.T) {
	m := sample()
	if err := m.Add(sample()); err != nil {
		t.Fatal(err)
	}
	e := m.Entries["blk.0.attn_q.weight"]
	if m.Chunks != 16 || e.Squares[3] != 16 || e.Counts[0] != 8 || e.Sums[1] != -2 || e.Stats != nil || len(m.Datasets) != 2 {
		t.Errorf("%+v, %+v", m, e)
	}
	other := New()
	other.Entries["blk.0.attn_q.weight"] = &Entry{Squares: []float32{1}, Counts: []float32{1}}
	if err := m.Add(other); err == nil || !strings.Contains(err.Error(), "another model") {
		t.Errorf("another model's: %v", err)
	}
}

func TestKeep(t *testing.T) {
	m := sample()
	m.Keep(func(name string) bool { return strings.Contains(name, "exps") })
	if names := m.Names(); len(names) != 1 || names[0] != "blk.0.ffn_up_exps.weight" {
		t.Errorf("%v", names)
	}
}

// TestAddOlder: counts of the older format are chunks, and one for all experts.
func TestAddOlder(t *testing.T) {
	older := New()
	older.Chunks = 2
	older.Entries["blk.0.ffn_up_exps.weight"] = &Entry{Squares: []float32{2, 4, 6, 8}, Counts: []float32{2}}
	m := sample()
	if err := m.Add(older); err != nil {
		t.Fatal(err)
	}
	e := m.Entries["blk.0.ffn_up_exps.weight"]
	if want := (&Entry{Squares: []float32{1027, 2054, 3072, 4096}, Counts: []float32{1027, 1024}}); !reflect.DeepEqual(e, want) {
		t.Errorf("%+v, want %+v", e, want)
	}
	other := New()
	other.ChunkSize, other.Chunks = 256, 3
	if err := m.Add(other); err != nil || m.Chunks != 8+2+2 {
		t.Errorf("%d chunks of 512, %v", m.Chunks, err)
	}
}

func TestProgress(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.gguf")
	m := sample()
	m.Progress = &Progress{Run: "abc", Next: 7, Tokens: 1 << 30, Mean: 2.5, Squares: 1e-3}
	if err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	if got, err := Open(path); err != nil || !reflect.DeepEqual(got, m) {
		t.Errorf("%+v came back as %+v, %v", m.Progress, got, err)
	}
	m.Progress.Next = -1
	if err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path); err == nil {
		t.Error("negative progress was read")
	}
}

// TestBadFiles: what cannot be used is refused, and named.
func TestBadFiles(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Matrix)
		want   string
	}{
		{"NaN", func(m *Matrix) { m.Entries["blk.0.attn_q.weight"].Squares[2] = float32(math.NaN()) }, "column 2 is NaN"},
		{"negative", func(m *Matrix) { m.Entries["blk.0.attn_q.weight"].Squares[1] = -1 }, "column 1 is -1"},
		{"count", func(m *Matrix) { m.Entries["blk.0.attn_q.weight"].Counts[0] = float32(math.Inf(1)) }, "count 0 is +Inf"},
		{"counts", func(m *Matrix) { m.Entries["blk.0.attn_q.weight"].Counts = make([]float32, 3) }, "do not go with 3 counts"},
		{"sums", func(m *Matrix) { m.Entries["blk.0.attn_q.weight"].Sums = []float32{1} }, "1 sums beside 4"},
	} {
		m := sample()
		c.change(m)
		if err := m.Save(filepath.Join(t.TempDir(), "m.gguf")); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "attn_q") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	path := filepath.Join(t.TempDir(), "x")
	for _, c := range []struct{ data, want string }{
		{"", "ends 4 bytes early"}, {"\xff\xff\xff\xff", "-1 entries"}, {"\x01\x00\x00\x00\xff\xff\xff\x7f0123456789ab", "name"},
		{"hello, this is a text", "entries cannot be in"}, {"GGUFxxxxxxxx", "version"},
	} {
		if err := os.WriteFile(path, []byte(c.data), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), path) {
			t.Errorf("%q: %v", c.data, err)
		}
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a missing file was opened")
	}
}

func TestGolden(t *testing.T) {
	m, err := Open(golden.Shared(t, "golden", "quant", "imatrix.gguf"))
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Entries) != 8 || m.Chunks != 8 || m.ChunkSize != 512 || len(m.Entries["token_embd.weight"].Means()) != 256 {
		t.Errorf("%d entries, %d chunks of %d", len(m.Entries), m.Chunks, m.ChunkSize)
	}
}

// FuzzOpenGGUF describes whatever can be read as a matrix.
func FuzzOpenGGUF(f *testing.F) {
	path := filepath.Join(f.TempDir(), "m.gguf")
	m := sample()
	m.Progress = &Progress{Run: "abc", Next: 7}
	m.Describe()
	if err := m.Save(path); err != nil {
		f.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := gguf.Parse("fuzz", data)
		if err != nil {
			return
		}
		m, err := fromGGUF(file)
		if err != nil || m.check() != nil {
			return
		}
		m.Describe()
		Layers(m.Statistics())
		if err := m.Add(m); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzParseDat reads any bytes: no panic, no memory beyond the input's, and what is read can be written.
func FuzzParseDat(f *testing.F) {
	f.Add([]byte{1, 0, 0, 0, 1, 0, 0, 0, 'a', 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 128, 63, 3, 0, 0, 0, 1, 0, 0, 0, 't'})
	f.Add(binary.LittleEndian.AppendUint32(nil, 1<<31))
	f.Add(bytes.Repeat([]byte{1, 0, 0, 0}, 20))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := parseDat(data)
		if err != nil {
			return
		}
		total := 0
		for _, e := range m.Entries {
			total += len(e.Squares)
		}
		if 4*total > len(data) {
			t.Fatalf("%d values from %d bytes", total, len(data))
		}
	})
}
