package outfile

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/llamakit/llamakit/formats/gguf"
)

// Write makes a file of what write writes. It gets its name when it is complete; after an error there is none. It may not be one of
// the inputs; "" is none. What is no file, such as /dev/stdout, is written to as it is.
func Write(path string, inputs []string, write func(io.Writer) error) (err error) {
	if info, err := os.Stat(path); err == nil {
		for _, input := range inputs {
			if in, err := os.Stat(input); err == nil && os.SameFile(info, in) {
				return fmt.Errorf("%s is the input; give the output another name", gguf.Printable(path))
			}
		}
		if !info.Mode().IsRegular() {
			return fill(path, os.O_WRONLY, write)
		}
	}
	temp := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%.200s.%08x.tmp", filepath.Base(path), rand.Uint32()))
	defer func() {
		if err != nil {
			os.Remove(temp)
		}
	}()
	if err := fill(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, write); err != nil {
		return err
	}
	return os.Rename(temp, path)
}

// fill opens a file, writes it and closes it.
func fill(path string, flag int, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, flag, 0o666)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	err = write(w)
	if err == nil {
		err = w.Flush()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}
