package imatrix

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/imatrix"
	"github.com/llamakit/llamakit/tools/internal/flags"
)

// checkOutput refuses an output that cannot be written, or that is something we read, before hours are spent.
func (o *options) checkOutput() error {
	for _, in := range append([]string{o.Path, o.file}, o.inputs...) {
		if in != "" && flags.SameFile(in, o.output) {
			return fmt.Errorf("%s is an input; give the output another name with -o", o.output)
		}
	}
	if info, err := os.Stat(o.output); err == nil && info.IsDir() {
		return fmt.Errorf("%s: is a folder; name a file in it", o.output)
	}
	probe, err := os.CreateTemp(filepath.Dir(o.output), ".imatrix.*.tmp")
	if err != nil {
		var path *os.PathError
		if errors.As(err, &path) {
			err = path.Err
		}
		return fmt.Errorf("%s cannot be written: %w", o.output, err)
	}
	probe.Close()
	return os.Remove(probe.Name())
}

// sumInputs adds up the matrices of --in-file. Chunks have the size of the first matrix that says one, else the given one.
func (o *options) sumInputs(chunkSize int) (*imatrix.Matrix, error) {
	var matrices []*imatrix.Matrix
	sum := imatrix.New()
	for _, path := range o.inputs {
		m, err := imatrix.Open(path)
		if err != nil {
			return nil, err
		}
		matrices = append(matrices, m)
		if sum.ChunkSize == 0 {
			sum.ChunkSize = m.ChunkSize
		}
	}
	if sum.ChunkSize == 0 {
		sum.ChunkSize = chunkSize
	}
	for i, m := range matrices {
		if m.Progress != nil {
			fmt.Fprintf(o.stderr, "note: %s is not finished: it holds %d chunks\n", o.inputs[i], m.Chunks)
		}
		if m.ChunkSize != 0 && m.ChunkSize != sum.ChunkSize {
			fmt.Fprintf(o.stderr, "note: %s has chunks of %d tokens; they are counted as ones of %d\n", o.inputs[i], m.ChunkSize, sum.ChunkSize)
		}
		if err := sum.Add(m); err != nil {
			return nil, fmt.Errorf("%s: %w", o.inputs[i], err)
		}
	}
	return sum, nil
}

// checkFits compares a matrix with the tensors of the model: one that belongs to another model is refused.
func (o *options) checkFits(m *imatrix.Matrix) error {
	model, err := gguf.Open(o.Path)
	if err != nil {
		return err
	}
	defer model.Close()
	strange := 0
	for _, name := range m.Names() {
		t, ok := model.Tensor(name)
		if !ok {
			strange++
			continue
		}
		if have, want := len(m.Entries[name].Squares), t.Dim(0)*t.Dim(2); have != want {
			return fmt.Errorf("--in-file: entry %q has %d columns, the tensor of %s %d (it was made for another model)", name, have, o.Path, want)
		}
	}
	if strange == len(m.Entries) && strange > 0 {
		return fmt.Errorf("--in-file: none of the %d entries belongs to a tensor of %s (made for another model)", strange, o.Path)
	}
	if strange > 0 {
		fmt.Fprintf(o.stderr, "note: %d entries of --in-file belong to no tensor of %s\n", strange, o.Path)
	}
	return nil
}
