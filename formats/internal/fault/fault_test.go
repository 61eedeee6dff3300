package fault

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

var errCorrupt = errors.New("corrupt")

func TestError(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{At(errCorrupt, "m.gguf", 12, "key %q is empty", "k"), `m.gguf: byte 12: key "k" is empty`},
		{In(errCorrupt, "m\n.gguf", "is a folder"), `m\n.gguf: is a folder`},
		{In(errCorrupt, "", "no file"), "no file"},
	} {
		if got := c.err.Error(); got != c.want || !errors.Is(c.err, errCorrupt) {
			t.Errorf("got %q, want %q of kind %v", got, c.want, errCorrupt)
		}
	}
}

func TestOS(t *testing.T) {
	_, err := os.Open(filepath.Join(t.TempDir(), "absent"))
	err = OS(errCorrupt, "x.gguf", err)
	if got := err.Error(); got != "x.gguf: no such file or directory" && os.PathSeparator == '/' {
		t.Errorf("text is %q", got)
	}
	if !errors.Is(err, errCorrupt) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v is of neither kind", err)
	}
	if err := OS(errCorrupt, "x", fs.ErrPermission); errors.Is(err, errCorrupt) {
		t.Error("the second kind is only for what does not exist")
	}
}
