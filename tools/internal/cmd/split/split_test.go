package split

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/quant"
	"github.com/llamakit/llamakit/tools/internal/run"
)

// sizes of the tensors of the sample, in float32 values: 40 bytes are padded to 64.
var sizes = []int{16, 10, 8, 32, 8, 8}

// sample writes a model and returns its path.
func sample(t *testing.T, dir, name string) string {
	t.Helper()
	md := gguf.NewMetadata()
	md.Set("general.architecture", gguf.String("none"))
	md.Set("x", gguf.Uint32(7))
	var infos []gguf.TensorInfo
	for i, n := range sizes {
		infos = append(infos, gguf.TensorInfo{Name: fmt.Sprintf("t%d", i), Type: quant.F32, Shape: []int{n}})
	}
	path := filepath.Join(dir, name)
	w, err := gguf.Create(path, md, infos)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	for i, n := range sizes {
		if err := w.WriteTensor(bytes.Repeat([]byte{byte(i + 1)}, 4*n)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	return path
}

func exec(ctx context.Context, args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = run.Exec(ctx, Command("llama-gguf-split"), run.Streams{Out: &out, Err: &err}, args)
	return code, out.String(), err.String()
}

func mustRun(t *testing.T, args ...string) (paths []string) {
	t.Helper()
	code, stdout, stderr := exec(t.Context(), args...)
	if code != run.Done {
		t.Fatalf("%q: code %d, %s", args, code, stderr)
	}
	return strings.Fields(stdout)
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestGroups(t *testing.T) {
	for _, c := range []struct {
		Limits
		want []int // tensors a shard
	}{
		{Limits{}, []int{6}},
		{Limits{MaxTensors: 4}, []int{4, 2}},
		{Limits{MaxTensors: 3}, []int{3, 3}},
		{Limits{MaxTensors: 1}, []int{1, 1, 1, 1, 1, 1}},
		{Limits{MaxTensors: 3, BareFirst: true}, []int{0, 3, 3}},
		{Limits{MaxBytes: 128}, []int{2, 1, 1, 2}},
		{Limits{MaxBytes: 127}, []int{1, 2, 1, 2}},
		{Limits{MaxBytes: 60}, []int{1, 1, 1, 1, 1, 1}}, // the first is larger
		{Limits{MaxBytes: 60, BareFirst: true}, []int{0, 1, 1, 1, 1, 1, 1}},
	} {
		model, err := gguf.Open(sample(t, t.TempDir(), "m.gguf"))
		if err != nil {
			t.Fatal(err)
		}
		shards, err := c.cut(model, "m")
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, s := range shards {
			got = append(got, len(s.tensors))
		}
		model.Close()
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v, want %v", c.Limits, got, c.want)
		}
	}
}

// TestRoundTrip splits and merges; tensors and keys come back, beside the keys split.*.
func TestRoundTrip(t *testing.T) {
	for _, args := range [][]string{{"--split-max-tensors", "4"}, {"--split-max-size", "1K", "--no-tensor-first-split"}, {}} {
		dir := t.TempDir()
		in := sample(t, dir, "m.gguf")
		shards := mustRun(t, append(args, in, filepath.Join(dir, "s"))...)
		out := filepath.Join(dir, "out.gguf")
		if got := mustRun(t, "--merge", shards[len(shards)-1], out); !slices.Equal(got, []string{out}) {
			t.Errorf("stdout names %q", got)
		}
		f, err := gguf.Open(out)
		if err != nil {
			t.Fatal(err)
		}
		for i, n := range sizes {
			if x := f.Tensors[i]; x.Name != fmt.Sprintf("t%d", i) || !bytes.Equal(f.Bytes(&x), bytes.Repeat([]byte{byte(i + 1)}, 4*n)) {
				t.Errorf("%q: tensor %d is %+v", args, i, x)
			}
		}
		if keys := f.Metadata.Keys(); !slices.Equal(keys, []string{"general.architecture", "x", "split.no", "split.tensors.count", "split.count"}) {
			t.Errorf("%q: keys %q", args, keys)
		}
		f.Close()
		again := filepath.Join(dir, "again.gguf")
		mustRun(t, "--merge", mustRun(t, "--split-max-tensors", "2", out, filepath.Join(dir, "again"))[0], again)
		if !bytes.Equal(read(t, again), read(t, out)) {
			t.Errorf("%q: split and merged again, the file differs", args)
		}
	}
}

func TestShardKeys(t *testing.T) {
	dir := t.TempDir()
	paths := mustRun(t, "--split-max-tensors", "4", sample(t, dir, "m.gguf"), filepath.Join(dir, "s"))
	for i, want := range []string{"s-00001-of-00002.gguf", "s-00002-of-00002.gguf"} {
		if filepath.Base(paths[i]) != want {
			t.Errorf("shard %d is %s", i, paths[i])
		}
	}
	// The second shard has no keys but these: a u16, an i32, a u16, in llama.cpp's order.
	at := bytes.Index(read(t, paths[1]), []byte("split.no"))
	want := "split.no\x02\x00\x00\x00\x01\x00" + "\x13\x00\x00\x00\x00\x00\x00\x00split.tensors.count\x05\x00\x00\x00\x06\x00\x00\x00" +
		"\x0b\x00\x00\x00\x00\x00\x00\x00split.count\x02\x00\x00\x00\x02\x00"
	if got := read(t, paths[1]); at != 32 || !bytes.HasPrefix(got[at:], []byte(want)) {
		t.Errorf("key at %d, %q", at, got[at:at+len(want)])
	}
}

func TestDryRun(t *testing.T) {
	dir := t.TempDir()
	in := sample(t, dir, "m.gguf")
	_, stdout, _ := exec(t.Context(), "--dry-run", "--split-max-tensors", "4", in, "s")
	want := "n_split: 2\n" +
		"split 00001: n_tensors = 4, total_size = 0M (608 bytes, s-00001-of-00002.gguf)\n" +
		"split 00002: n_tensors = 2, total_size = 0M (256 bytes, s-00002-of-00002.gguf)\n"
	if stdout != want {
		t.Errorf("%s want %s", stdout, want)
	}
	shards := mustRun(t, "--split-max-tensors", "4", in, filepath.Join(dir, "s"))
	mustRun(t, "--dry-run", "--merge", "--delete-splits", shards[0], filepath.Join(dir, "out.gguf"))
	only(t, dir, "m.gguf", "s-00001-of-00002.gguf", "s-00002-of-00002.gguf")
	for i, size := range []int{608, 256} {
		if got := len(read(t, shards[i])); got != size {
			t.Errorf("shard %d has %d bytes, %d were told", i, got, size)
		}
	}
}

// only fails unless the folder holds exactly these files.
func only(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if !slices.Equal(got, names) {
		t.Errorf("the folder holds %q, want %q", got, names)
	}
}

func TestDeleteSplits(t *testing.T) {
	dir := t.TempDir()
	in := sample(t, dir, "m.gguf")
	shards := mustRun(t, in, filepath.Join(dir, "s"))
	mustRun(t, "--merge", "--delete-splits", shards[0], filepath.Join(dir, "out.gguf"))
	only(t, dir, "m.gguf", "out.gguf")
}

func TestOversize(t *testing.T) {
	dir := t.TempDir()
	in := sample(t, dir, "m.gguf")
	o := &options{Limits: Limits{MaxBytes: 100}}
	var notes bytes.Buffer
	o.stderr = &notes
	model, err := gguf.Open(in)
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	shards, err := o.cut(model, "s")
	if err != nil {
		t.Fatal(err)
	}
	o.tellOversize(shards)
	if s := notes.String(); !strings.Contains(s, "tensor t3 alone has 128 bytes") || !strings.Contains(s, "shard 1: 288 bytes with its header") {
		t.Error(s)
	}
}

// TestRefuses checks that nothing is changed where something is wrong.
func TestRefuses(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	in := sample(t, dir, "m.gguf")
	shards := mustRun(t, "--split-max-tensors", "4", in, path("s"))
	other := mustRun(t, "--split-max-tensors", "3", in, path("o"))
	if err := os.Mkdir(path("mixed"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"q-00001-of-00001.gguf":       read(t, in),
		"mixed/s-00001-of-00002.gguf": read(t, shards[0]), "mixed/s-00002-of-00002.gguf": read(t, other[1]),
		"mixed/r-00001-of-00002.gguf": read(t, shards[0]), "mixed/r-00002-of-00002.gguf": read(t, shards[0]),
		"mixed/a-00001-of-00002.gguf": read(t, shards[0]),
	} {
		if err := os.WriteFile(path(name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	before := folder(t, dir)
	for _, c := range []struct {
		code int
		args []string
		want string
	}{
		{run.Failed, []string{"--merge", shards[0], shards[1]}, "is the input"},
		{run.Failed, []string{"--merge", shards[0], in}, "exists already"},
		{run.Failed, []string{"--merge", in, path("out.gguf")}, "is no shard"},
		{run.Failed, []string{"--merge", path("mixed/a-00001-of-00002.gguf"), path("out.gguf")}, "a-00002-of-00002.gguf"},
		{run.Failed, []string{"--merge", path("mixed/s-00001-of-00002.gguf"), path("out.gguf")}, "the 2 shards have 7"},
		{run.Failed, []string{"--merge", path("mixed/r-00001-of-00002.gguf"), path("out.gguf")}, "should be shard 2 of 2"},
		{run.Failed, []string{path("q-00001-of-00001.gguf"), path("q")}, "is the input"},
		{run.Failed, []string{in, path("none/s")}, "folder does not exist"},
		{run.Failed, []string{path("none.gguf"), path("s")}, "none.gguf"},
		{run.WrongUse, []string{"--merge", shards[0], shards[1], path("out.gguf")}, "found by their names"},
		{run.WrongUse, []string{in}, "give an input and an output"},
		{run.WrongUse, []string{"--split", "--merge", in, path("s")}, "together"},
		{run.WrongUse, []string{"--split-max-size", "1M", "--split-max-tensors", "1", in, path("s")}, "together"},
		{run.WrongUse, []string{"--split-max-tensors", "0", in, path("s")}, "outside"},
		{run.WrongUse, []string{"--split-max-size", "1T", in, path("s")}, "is not a size"},
	} {
		code, stdout, stderr := exec(t.Context(), c.args...)
		if code != c.code || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: code %d, %q, %s", c.args, code, stdout, stderr)
		}
	}
	if after := folder(t, dir); !slices.Equal(before, after) {
		t.Errorf("the folder was %q and is %q", before, after)
	}
}

// folder lists names and contents.
func folder(t *testing.T, dir string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			out = append(out, path+"\n"+string(read(t, path)))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestInterrupted stops in the second shard: no shard has its name.
func TestInterrupted(t *testing.T) {
	dir := t.TempDir()
	model, err := gguf.Open(sample(t, dir, "m.gguf"))
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	l := Limits{MaxTensors: 2}
	shards, err := l.cut(model, filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	copied := 0
	err = write(ctx, model, shards, func(n int) {
		if copied += n; copied > 4*(sizes[0]+sizes[1]) {
			cancel()
		}
	})
	if err != context.Canceled {
		t.Errorf("error %v", err)
	}
	only(t, dir, "m.gguf")
}
