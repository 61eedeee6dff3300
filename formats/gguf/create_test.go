package gguf

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// create writes the sample to path.
func create(path string) error {
	md, tensors, data := sample()
	w, err := Create(path, md, tensors)
	if err != nil {
		return err
	}
	defer w.Abort()
	for _, d := range data {
		if err := w.WriteTensor(d); err != nil {
			return err
		}
	}
	return w.Commit()
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
	if strings.Join(got, " ") != strings.Join(names, " ") {
		t.Errorf("the folder holds %q, want %q", got, names)
	}
}

func TestCreate(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m.gguf")
	if err := create(path); err != nil {
		t.Fatal(err)
	}
	only(t, dir, "m.gguf")
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, sampleBytes(t)) {
		t.Errorf("the file differs from what NewWriter writes (%v)", err)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

func TestCreateIncomplete(t *testing.T) {
	md, tensors, data := sample()
	for name, end := range map[string]func(w *FileWriter) error{
		"abort":      func(w *FileWriter) error { return w.Abort() },
		"incomplete": func(w *FileWriter) error { return expect(w.Commit(), ErrCorrupt) },
		"bad call": func(w *FileWriter) error {
			_, err := w.Write(make([]byte, 1<<20))
			return errors.Join(expect(err, ErrCorrupt), expect(w.Commit(), ErrCorrupt))
		},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "m.gguf")
		os.WriteFile(path, []byte("before"), 0o600)
		w, err := Create(path, md, tensors)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.WriteTensor(data[0]); err != nil {
			t.Fatal(err)
		}
		if err := end(w); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := w.Abort(); err != nil {
			t.Errorf("%s: Abort again: %v", name, err)
		}
		only(t, dir, "m.gguf")
		if got, _ := os.ReadFile(path); string(got) != "before" {
			t.Errorf("%s: the old file is %q", name, got)
		}
	}
}

// expect turns an error of the right kind into none.
func expect(err, kind error) error {
	if errors.Is(err, kind) {
		return nil
	}
	return errors.Join(errors.New("wrong kind of error"), err)
}

func TestCreateRefuses(t *testing.T) {
	dir := t.TempDir()
	md, tensors, _ := sample()
	for path, kind := range map[string]error{
		dir:                                    nil,
		filepath.Join(dir, "absent", "m.gguf"): fs.ErrNotExist,
	} {
		_, err := Create(path, md, tensors)
		if err == nil || kind != nil && !errors.Is(err, kind) || !strings.HasPrefix(err.Error(), path+": ") {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := Create(filepath.Join(dir, "m.gguf"), md, append(tensors, tensors[0])); !errors.Is(err, ErrCorrupt) {
		t.Errorf("tensor twice: %v", err)
	}
	only(t, dir)
}

func TestCommitTwice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.gguf")
	w, err := Create(path, NewMetadata(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("second Commit: %v", err)
	}
	if err := w.Abort(); err != nil {
		t.Errorf("Abort after Commit: %v", err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Errorf("Abort after Commit removed the file: %v", err)
	}
}

// TestSeal has the whole file under its temporary name until Commit, and nothing after Abort.
func TestSeal(t *testing.T) {
	for _, commit := range []bool{true, false} {
		dir := t.TempDir()
		md, tensors, data := sample()
		w, err := Create(filepath.Join(dir, "m.gguf"), md, tensors)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range data {
			if err := w.WriteTensor(d); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(w.Seal(), w.Seal()); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(w.temp); err != nil || !bytes.Equal(got, sampleBytes(t)) {
			t.Errorf("the sealed file differs (%v)", err)
		}
		if _, err := w.Write([]byte{1}); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("Write after Seal: %v", err)
		}
		if !commit {
			if err := w.Abort(); err != nil {
				t.Error(err)
			}
			only(t, dir)
			continue
		}
		if err := w.Commit(); err != nil {
			t.Error(err)
		}
		only(t, dir, "m.gguf")
	}
}

// TestCreateOverInput writes a file over the one it is read from, under its own name, a hard link and a symbolic link.
func TestCreateOverInput(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a mapped file cannot be replaced here")
	}
	for _, link := range []string{"same", "hard", "symbolic"} {
		dir := t.TempDir()
		in, out := filepath.Join(dir, "in.gguf"), filepath.Join(dir, "out.gguf")
		before := sampleBytes(t)
		os.WriteFile(in, before, 0o600)
		switch link {
		case "same":
			out = in
		case "hard":
			os.Link(in, out)
		case "symbolic":
			os.Symlink("in.gguf", out)
		}
		copyWith(t, in, out, "general.name", String(strings.Repeat("a longer name ", 500)))
		f, err := Open(out)
		if err != nil {
			t.Fatalf("%s: %v", link, err)
		}
		if len(f.Tensors) != 4 || !bytes.Equal(f.Bytes(&f.Tensors[0]), sampleData(0)) {
			t.Errorf("%s: the copy differs", link)
		}
		f.Close()
		if got, _ := os.ReadFile(in); link == "hard" && !bytes.Equal(got, before) {
			t.Error("the input was changed through a hard link")
		}
		if info, _ := os.Lstat(out); link == "symbolic" && info.Mode()&fs.ModeSymlink == 0 {
			t.Error("the symbolic link was replaced instead of what it names")
		}
		if info, _ := os.Stat(out); info.Mode().Perm() != 0o600 {
			t.Errorf("%s: permissions became %v", link, info.Mode())
		}
	}
}

func sampleData(i int) []byte {
	_, _, data := sample()
	return data[i]
}

// copyWith copies a file with one key changed, reading the input while the output is written.
func copyWith(t *testing.T, in, out, key string, v Value) {
	t.Helper()
	f, err := Open(in)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	md := f.Metadata.Clone()
	md.Set(key, v)
	infos := make([]TensorInfo, len(f.Tensors))
	for i := range f.Tensors {
		infos[i] = f.Tensors[i].Info()
	}
	w, err := Create(out, md, infos)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	for i := range f.Tensors {
		if err := w.WriteTensor(f.Bytes(&f.Tensors[i])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(f.Bytes(&f.Tensors[2]), sampleData(2)) {
		t.Error("the open input changed")
	}
}

func TestCreateDevice(t *testing.T) {
	if err := create(os.DevNull); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Fatalf("the device was replaced by a file: %v", err)
	}
}

func TestCreateReadOnlyFolder(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o700)
	if probe, err := os.Create(filepath.Join(dir, "probe")); err == nil {
		probe.Close()
		os.Remove(probe.Name())
		t.Skip("this user may write into a read-only folder")
	}
	if err := create(filepath.Join(dir, "m.gguf")); !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "no file can be made in its folder") {
		t.Errorf("error is %v", err)
	}
}
