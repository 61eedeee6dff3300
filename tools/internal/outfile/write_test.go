package outfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// TestWrite replaces a file, or leaves it and nothing else.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path, stop := filepath.Join(dir, "a"), errors.New("stop")
	for _, c := range []struct {
		text string
		err  error
		want string
	}{{"one", nil, "one"}, {"two", stop, "one"}, {"three", nil, "three"}} {
		err := Write(path, []string{"", filepath.Join(dir, "none")}, func(w io.Writer) error {
			_, err := io.WriteString(w, c.text)
			return errors.Join(err, c.err)
		})
		if !errors.Is(err, c.err) {
			t.Errorf("%s: error %v", c.text, err)
		}
		if got, _ := os.ReadFile(path); string(got) != c.want {
			t.Errorf("%s: the file has %q", c.text, got)
		}
		if left, _ := os.ReadDir(dir); len(left) != 1 {
			t.Errorf("%s: %v are left", c.text, left)
		}
	}
	if err := Write(path, []string{path}, func(io.Writer) error { return nil }); err == nil {
		t.Error("the input is written over")
	}
	if err := Write(os.DevNull, nil, func(w io.Writer) error { return nil }); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Errorf("a device became %v, %v", info, err)
	}
	if err := Write(filepath.Join(dir, "none", "x"), nil, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
}
