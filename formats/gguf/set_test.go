package gguf

import (
	"errors"
	"io"
	"path/filepath"
	"testing"
)

// TestSet has both files or none.
func TestSet(t *testing.T) {
	stop := errors.New("stop")
	for name, c := range map[string]struct {
		err   error // of the second file's data
		short bool  // the second file lacks data
		left  []string
	}{"whole": {left: []string{"a.gguf", "b.gguf"}}, "stopped": {err: stop}, "short": {short: true}} {
		dir := t.TempDir()
		md, tensors, data := sample()
		var set Set
		err := set.Add(filepath.Join(dir, "a.gguf"), md, tensors, func(w io.Writer) error { return writeAll(w, data) })
		if err != nil {
			t.Fatal(err)
		}
		only(t, dir, filepath.Base(set.files[0].temp))
		err = set.Add(filepath.Join(dir, "b.gguf"), md, tensors, func(w io.Writer) error {
			if c.short {
				return nil
			}
			return errors.Join(writeAll(w, data), c.err)
		})
		if (err != nil) != (c.left == nil) || c.err != nil && !errors.Is(err, c.err) {
			t.Errorf("%s: error %v", name, err)
		}
		if err == nil {
			err = set.Commit()
		}
		if abort := set.Abort(); abort != nil {
			t.Errorf("%s: Abort: %v", name, abort)
		}
		if c.left != nil && err != nil {
			t.Errorf("%s: error %v", name, err)
		}
		only(t, dir, c.left...)
	}
}

func writeAll(w io.Writer, data [][]byte) error {
	for _, d := range data {
		if _, err := w.Write(d); err != nil {
			return err
		}
	}
	return nil
}
