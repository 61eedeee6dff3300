package outfile

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/llamakit/llamakit/formats/gguf"
)

// Write makes a file of what write writes; it gets its name when it is complete. It may not be one of the inputs; "" is none. What
// is no file, such as /dev/stdout, is written to as it is.
func Write(path string, inputs []string, write func(io.Writer) error) (err error) {
	if info, err := os.Stat(path); err == nil {
		for _, input := range inputs {
			if in, err := os.Stat(input); err == nil && os.SameFile(info, in) {
				return fmt.Errorf("%s is the input; give the output another name", gguf.Printable(path))
			}
		}
		if !info.Mode().IsRegular() {
			return writeTo(path, write)
		}
	}
	temp := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%.200s.%08x.tmp", filepath.Base(path), rand.Uint32()))
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(temp)
		}
	}()
	if err := write(f); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(temp, path)
}

// writeTo writes to a device or pipe.
func writeTo(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
