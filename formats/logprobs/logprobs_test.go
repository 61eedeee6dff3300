package logprobs

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// softmax returns what Encode needs of logits.
func softmax(logits []float32) (top float32, logSum float64) {
	top = slices.Max(logits)
	sum := 0.0
	for _, l := range logits {
		sum += math.Exp(float64(l - top))
	}
	return top, math.Log(sum)
}

func TestRow(t *testing.T) {
	inf := float32(math.Inf(-1))
	r := rand.New(rand.NewPCG(1, 2))
	random := make([]float32, 301)
	for i := range random {
		random[i] = float32(3 * r.NormFloat64())
	}
	for _, logits := range [][]float32{{0}, {2, 2, 2}, {5, 1, -2, 0.5}, {5, inf, -2}, {40, 0, 30}, random} {
		row := make(Row, RowBytes(len(logits)))
		top, logSum := softmax(logits)
		row.Encode(logits, top, logSum)
		if !row.valid() {
			t.Errorf("%v: the row is not valid", logits)
		}
		c := row.Codes()
		for i, l := range logits {
			want := float64(max(l, top-depth)-top) - logSum
			if got := c.LogProb(i); math.Abs(got-want) > 0.51*c.Scale+1e-6 {
				t.Errorf("%v: log-probability of %d is %g, want %g", logits, i, got, want)
			}
		}
	}
}

// example returns a header and rows of its chunks.
func example(vocab int) (Header, [][]byte) {
	h := Header{Context: 9, Vocab: vocab, Chunks: 3}
	r := rand.New(rand.NewPCG(3, 4))
	for range h.Context * h.Chunks {
		h.Tokens = append(h.Tokens, int32(r.IntN(vocab)))
	}
	var chunks [][]byte
	for range h.Chunks {
		rows := make([]byte, h.ChunkBytes())
		for i := range h.Rows() {
			logits := make([]float32, vocab)
			for j := range logits {
				logits[j] = r.Float32()
			}
			top, logSum := softmax(logits)
			h.Row(rows, i).Encode(logits, top, logSum)
		}
		chunks = append(chunks, rows)
	}
	return h, chunks
}

// write makes a file and returns its bytes.
func write(t testing.TB, h Header, chunks [][]byte) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "base.kld")
	w, err := Create(path, h)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	for _, rows := range chunks {
		if err := w.WriteChunk(rows); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestRoundTrip(t *testing.T) {
	for _, vocab := range []int{6, 7} {
		h, chunks := example(vocab)
		data := write(t, h, chunks)
		f, err := parse("base", bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		if f.Context != h.Context || f.Vocab != vocab || f.Chunks != 3 || f.Whole != 3 || !slices.Equal(f.Tokens, h.Tokens) {
			t.Errorf("read %+v, wrote %+v", f, h)
		}
		for i, want := range chunks {
			got := make([]byte, f.ChunkBytes())
			if err := f.ReadChunk(i, got); err != nil || !bytes.Equal(got, want) {
				t.Errorf("chunk %d differs (%v)", i, err)
			}
		}
	}
}

func TestNothingIsLeftOfAnUnfinishedFile(t *testing.T) {
	h, chunks := example(4)
	dir := t.TempDir()
	w, err := Create(filepath.Join(dir, "base.kld"), h)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.WriteChunk(chunks[0]); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); err == nil {
		t.Error("committed with one chunk of three")
	}
	w.Abort()
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("%v is left", left)
	}
}

func TestOtherFilesAreNotOverwritten(t *testing.T) {
	h, _ := example(4)
	dir := t.TempDir()
	path := filepath.Join(dir, "model.gguf")
	for content, ok := range map[string]bool{"": true, magic: true, magic + "torn": true, "GGUF": false, "GGUF and more": false} {
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		w, err := Create(path, h)
		if (err == nil) != ok {
			t.Errorf("over %q: %v", content, err)
		}
		if err == nil {
			w.Abort()
		}
	}
	for _, path := range []string{dir, filepath.Join(dir, "none", "base.kld")} {
		if _, err := Create(path, h); err == nil {
			t.Errorf("%s was made", path)
		}
	}
}

func TestTornFile(t *testing.T) {
	h, chunks := example(5)
	data := write(t, h, chunks)
	rows := headBytes + 4*len(h.Tokens)
	for cut := range len(data) {
		f, err := parse("base", bytes.NewReader(data[:cut]), int64(cut))
		if cut < rows {
			if !errors.Is(err, ErrCorrupt) {
				t.Errorf("cut at %d: %v", cut, err)
			}
			continue
		}
		if whole := (cut - rows) / h.ChunkBytes(); err != nil || f.Whole != whole {
			t.Errorf("cut at %d: %+v (%v), want %d whole chunks", cut, f, err, whole)
		}
		if err := f.ReadChunk(f.Whole, make([]byte, f.ChunkBytes())); !errors.Is(err, ErrCorrupt) {
			t.Errorf("cut at %d: chunk %d was read (%v)", cut, f.Whole, err)
		}
	}
}

func TestCorruptFile(t *testing.T) {
	h, chunks := example(5)
	good := write(t, h, chunks)
	rows := headBytes + 4*len(h.Tokens)
	for _, c := range []struct {
		name  string
		at    int
		value uint32
	}{{"magic", 0, 1}, {"context", 8, 0}, {"large context", 8, 1 << 31}, {"vocabulary", 12, 0}, {"negative vocabulary", 12, 1 << 31},
		{"chunks", 16, 1 << 30}, {"token", 20, 5}, {"negative token", 24, 1 << 31}, {"scale", rows, 0x7fc00000}, {"minimum", rows + 4, 0x40000000}} {
		data := slices.Clone(good)
		binary.LittleEndian.PutUint32(data[c.at:], c.value)
		f, err := parse("base", bytes.NewReader(data), int64(len(data)))
		if err == nil {
			err = f.ReadChunk(0, make([]byte, f.ChunkBytes()))
		}
		if !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// FuzzParse: a file is refused, or all that it says it holds can be read.
func FuzzParse(f *testing.F) {
	for _, vocab := range []int{1, 5} {
		h, chunks := example(vocab)
		data := write(f, h, chunks)
		f.Add(data)
		f.Add(data[:len(data)-10])
		f.Add(data[:30])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := parse("base", bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		for i := range file.Whole {
			rows := make([]byte, file.ChunkBytes())
			if err := file.ReadChunk(i, rows); err != nil {
				continue
			}
			for n := range file.Rows() {
				if p := file.Row(rows, n).Codes().LogProb(file.Vocab - 1); p-p != 0 {
					t.Errorf("chunk %d row %d: log-probability %g", i, n, p)
				}
			}
		}
	})
}
