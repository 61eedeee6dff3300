package flags

import (
	"fmt"
	"io"
	"os"
)

// ReadAll reads all of r, at most MaxFile bytes. The name is for the error.
func ReadAll(name string, r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxFile+1))
	if err != nil {
		return nil, err
	}
	if len(data) > MaxFile {
		return nil, fmt.Errorf("%s: more than %d MiB of text", name, MaxFile>>20)
	}
	return data, nil
}

// SameFile reports whether two paths lead to one file that is there.
func SameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}
