// Package outfile is what tools that write files have in common: a file appears when it is complete, never over the input, and
// where the disk is full it is said what to do.
package outfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/tui/cells"
)

// Check refuses targets that are an input under whatever name, and targets in a folder that does not exist.
func Check(model *gguf.File, targets ...string) error {
	for _, target := range targets {
		if info, err := os.Stat(filepath.Dir(target)); err != nil || !info.IsDir() {
			return fmt.Errorf("%s: the folder does not exist", target)
		}
		info, err := os.Stat(target)
		if err != nil {
			continue
		}
		for _, source := range model.Paths() {
			if in, err := os.Stat(source); err == nil && os.SameFile(in, info) {
				return fmt.Errorf("%s is the input %s; give the output another name", target, source)
			}
		}
	}
	return nil
}

// Paths are the files of a set of n, named as gguf-split does; path itself where it is one.
func Paths(path string, n int) []string {
	if n == 1 {
		return []string{path}
	}
	paths := make([]string, n)
	for i := range paths {
		paths[i] = gguf.ShardPath(strings.TrimSuffix(path, ".gguf"), i, n)
	}
	return paths
}

// ExplainFull adds to the error of a full disk how many bytes are needed.
func ExplainFull(err error, need int64) error {
	if err != nil && errors.Is(err, errNoSpace) {
		return fmt.Errorf("%w (%s are needed; nothing was left behind)", err, Size(need))
	}
	return err
}

// Size is a number of bytes for people.
func Size(n int64) string { return cells.Bytes(n) }
