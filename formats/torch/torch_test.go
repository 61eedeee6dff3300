package torch

import (
	"archive/zip"
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/formats/safetensors"
)

// testdata/pytorch_model.bin holds the tensors of formats/hf/testdata/qwen3/model.safetensors. CPython's own pickle module (3.11, protocol 2)
// wrote it, with the functions and persistent ids of torch.save; one tensor begins in the middle of its storage, one is a parameter.
const sample = "testdata/pytorch_model.bin"

func TestOpen(t *testing.T) {
	f, err := Open("testdata")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want, err := safetensors.Open("../hf/testdata/qwen3/model.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	defer want.Close()
	if len(f.Tensors()) != len(want.Tensors()) || !slices.Equal(f.Paths(), []string{filepath.Clean(sample)}) {
		t.Errorf("%d tensors of %v, want %d", len(f.Tensors()), f.Paths(), len(want.Tensors()))
	}
	for _, x := range f.Tensors() {
		w, ok := want.Tensor(x.Name)
		if !ok || x.DType != w.DType || !slices.Equal(x.Shape, w.Shape) || !bytes.Equal(f.Bytes(&x), want.Bytes(w)) {
			t.Errorf("%s: %v %v differs from %v", x.Name, x.DType, x.Shape, w)
		}
	}
}

// archiveOf is a file with a pickle and one storage of eight bytes.
func archiveOf(t testing.TB, pickle string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, data := range map[string]string{"x/data.pkl": pickle, "x/data/0": "01234567"} {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// tensorPickle is {"a": tensor} of a storage's type and key, with an offset, a shape and strides of one number.
func tensorPickle(kind, key string, offset, size, stride byte) string {
	text := func(s string) string { return "X" + string([]byte{byte(len(s)), 0, 0, 0}) + s }
	return "\x80\x02}q\x00" + text("a") + "ctorch._utils\n_rebuild_tensor_v2\n((" + text("storage") + "ctorch\n" + kind + "\n" + text(key) + text("cpu") + "K\x02tQ" +
		"K" + string(offset) + "K" + string(size) + "\x85K" + string(stride) + "\x85\x89ccollections\nOrderedDict\n)RtRs."
}

func TestParse(t *testing.T) {
	for name, c := range map[string]struct {
		data []byte
		err  string
	}{
		"good":           {archiveOf(t, tensorPickle("FloatStorage", "0", 0, 2, 1)), ""},
		"offset":         {archiveOf(t, tensorPickle("HalfStorage", "0", 1, 3, 1)), ""},
		"one":            {archiveOf(t, tensorPickle("FloatStorage", "0", 1, 1, 9)), ""},
		"too long":       {archiveOf(t, tensorPickle("FloatStorage", "0", 1, 2, 1)), "more than its 8 bytes hold"},
		"strides":        {archiveOf(t, tensorPickle("HalfStorage", "0", 0, 2, 2)), "with strides [2], want values side by side"},
		"no storage":     {archiveOf(t, tensorPickle("HalfStorage", "7", 0, 2, 1)), `no "data/7"`},
		"storage type":   {archiveOf(t, tensorPickle("QUInt8Storage", "0", 0, 2, 1)), `"torch.QUInt8Storage"`},
		"outside":        {archiveOf(t, tensorPickle("FloatStorage", "../x/data/0", 0, 1, 1)), `no "x/data/0"`},
		"a call":         {archiveOf(t, "\x80\x02cos\nsystem\nX\x02\x00\x00\x00ls\x85R."), `it refers to "os.system"`},
		"other function": {archiveOf(t, "\x80\x02ctorch._utils\n_rebuild_tensor_v2\n)R."), "a call of"},
		"an object":      {archiveOf(t, "\x80\x02ccollections\nOrderedDict\n)\x81."), "instruction 0x81"},
		"a list":         {archiveOf(t, "\x80\x02]."), "want a dictionary of tensors"},
		"nested":         {archiveOf(t, "\x80\x02}X\x01\x00\x00\x00a}s."), `"a" is a dictionary, want a tensor`},
		"empty":          {archiveOf(t, ""), "ends in the middle"},
		"nothing":        {archiveOf(t, "."), "nothing is on the stack"},
		"old":            {[]byte("\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19."), "PyTorch 1.6"},
		"cut":            {archiveOf(t, "")[:60], "interrupted download?"},
	} {
		list, data, err := parse(c.data)
		switch {
		case c.err == "" && (err != nil || len(list) != 1 || int64(len(data[0])) != list[0].Size):
			t.Errorf("%s: %v, %v", name, list, err)
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err) || !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrUnsupported)):
			t.Errorf("%s: error %v, want %q", name, err, c.err)
		}
	}
}

// TestFolders has shards, and what is missing of them.
func TestFolders(t *testing.T) {
	good := archiveOf(t, tensorPickle("FloatStorage", "0", 0, 2, 1))
	other := bytes.Replace(good, []byte("\x01\x00\x00\x00a"), []byte("\x01\x00\x00\x00b"), 1)
	for want, files := range map[string]map[string][]byte{
		"no PyTorch checkpoint":                             {"model.bin": good},
		"pytorch_model-00001-of-00002.bin is missing":       {"pytorch_model-00002-of-00002.bin": good},
		"1 of 2 shards are here":                            {"pytorch_model-00001-of-00002.bin": good},
		"and 1 other files hold one model":                  {"consolidated.00.pth": good, "consolidated.01.pth": other},
		`corrupt: tensor "a" is in another file too`:        {"pytorch_model-00001-of-00002.bin": good, "pytorch_model-00002-of-00002.bin": good},
		"pytorch_model.bin: unsupported: not an archive of": {"pytorch_model.bin": []byte("x")},
	} {
		dir := t.TempDir()
		for name, data := range files {
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if _, err := Open(t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty folder: %v", err)
	}
}

func FuzzUnpickle(f *testing.F) {
	data, err := os.ReadFile(sample)
	if err != nil {
		f.Fatal(err)
	}
	a, err := open(data)
	if err != nil {
		f.Fatal(err)
	}
	pickle, err := a.read("data.pkl")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(pickle)
	f.Add([]byte(tensorPickle("FloatStorage", "0", 0, 2, 1)))
	f.Add([]byte("\x80\x02(K\x01J\xff\xff\xff\xffM\x01\x02\x8a\x02\x00\xffG\x00\x00\x00\x00\x00\x00\x00\x00U\x01xl]e\x87h\x07."))
	f.Fuzz(func(t *testing.T, pickle []byte) {
		top, err := unpickle(pickle)
		if err != nil && !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrUnsupported) {
			t.Errorf("error %v has no kind", err)
		}
		if err == nil {
			_, _, _ = (&archive{data: data, files: a.files}).tensors(top)
		}
	})
}

func FuzzParse(f *testing.F) {
	data, err := os.ReadFile(sample)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add(archiveOf(f, tensorPickle("HalfStorage", "0", 1, 3, 1)))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, bytes, err := parse(data)
		for i := range list {
			if err == nil && int64(len(bytes[i])) != list[i].Size {
				t.Errorf("%v has %d bytes", list[i], len(bytes[i]))
			}
		}
	})
}
