// Package torch reads checkpoints that PyTorch wrote: zip archives that hold the bytes of tensors, and a pickle that names them.
//
//	f, err := torch.Open("folder") // pytorch_model.bin, its shards, or consolidated.00.pth
//
// A pickle is a program, and one from a stranger may do anything in Python. Here nothing is executed: only the instructions that
// torch.save writes are understood, and the few functions that they call are known by name and done by this package. All else is
// refused by name. Files of PyTorch before 1.6 (2020) are no archives and are refused too.
//
// Files are mapped. The bytes of a tensor are valid until Close.
package torch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"github.com/llamakit/llamakit/formats/internal/escape"
	"github.com/llamakit/llamakit/formats/internal/mmap"
	"github.com/llamakit/llamakit/formats/safetensors"
)

// Kinds of errors.
var (
	// ErrUnsupported is of what torch.save does not write for tensors, or this package does not read.
	ErrUnsupported = errors.New("unsupported")
	// ErrCorrupt is of files that contradict themselves.
	ErrCorrupt = errors.New("corrupt")
)

// File is an open checkpoint of one file or several.
type File struct {
	maps    []*mmap.Map
	paths   []string
	tensors []safetensors.Tensor
	data    map[string][]byte // by the name of the tensor
}

var names = regexp.MustCompile(`^pytorch_model(-(\d{5})-of-(\d{5}))?\.bin$|^consolidated\.\d+\.pth$`)

// Open maps the checkpoint of a folder; fs.ErrNotExist where there is none.
func Open(dir string) (*File, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, e := range entries {
		if names.MatchString(e.Name()) {
			found = append(found, e.Name())
		}
	}
	if err := complete(dir, found); err != nil {
		return nil, err
	}
	f := &File{data: map[string][]byte{}}
	for _, name := range found {
		if err := f.add(filepath.Join(dir, name)); err != nil {
			f.Close()
			return nil, err
		}
	}
	return f, nil
}

// complete says which shard is missing. Several consolidated files are parts of matrices, not of the list of tensors.
func complete(dir string, found []string) error {
	if len(found) == 0 {
		return fmt.Errorf("%s: no PyTorch checkpoint: %w", dir, fs.ErrNotExist)
	}
	first := names.FindStringSubmatch(found[0])
	if first[1] == "" && len(found) > 1 {
		return fmt.Errorf("%s: %w checkpoint: %s and %d other files hold one model in a form that is not known", dir, ErrUnsupported, found[0], len(found)-1)
	}
	for i := range found {
		if first[1] == "" {
			break
		}
		if want := fmt.Sprintf("pytorch_model-%05d-of-%s.bin", i+1, first[3]); found[i] != want {
			return fmt.Errorf("%s: %s is missing: %w", dir, want, fs.ErrNotExist)
		}
	}
	if count, _ := strconv.Atoi(first[3]); first[1] != "" && len(found) != count {
		return fmt.Errorf("%s: %d of %d shards are here: %w", dir, len(found), count, fs.ErrNotExist)
	}
	return nil
}

// add maps one file.
func (f *File) add(path string) error {
	m, err := mmap.Open(path)
	if err != nil {
		return err
	}
	f.maps, f.paths = append(f.maps, m), append(f.paths, path)
	tensors, data, err := parse(m.Data)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for i := range tensors {
		name := tensors[i].Name
		if f.data[name] != nil {
			return fmt.Errorf("%s: %w: tensor %s is in another file too", path, ErrCorrupt, escape.Quote(name, 80))
		}
		tensors[i].Part = len(f.paths) - 1
		f.data[name] = data[i]
	}
	f.tensors = append(f.tensors, tensors...)
	return nil
}

// Tensors lists the tensors, in the order of the files. The list must not be changed.
func (f *File) Tensors() []safetensors.Tensor { return f.tensors }

// Bytes returns the data of one of Tensors, which must not be changed.
func (f *File) Bytes(t *safetensors.Tensor) []byte { return f.data[t.Name] }

// Paths are the files.
func (f *File) Paths() []string { return slices.Clone(f.paths) }

// Close unmaps the files.
func (f *File) Close() error {
	var errs []error
	for _, m := range f.maps {
		errs = append(errs, m.Close())
	}
	f.maps, f.data = nil, nil
	return errors.Join(errs...)
}
