package gguf

import (
	"errors"
	"io"
)

// Set makes several files that appear under their names together, when all are complete.
//
//	var set gguf.Set
//	defer set.Abort() // does nothing after Commit
//	for i, path := range paths {
//		if err := set.Add(path, md[i], tensors[i], fill); err != nil {
//			return err
//		}
//	}
//	return set.Commit()
type Set struct{ files []*FileWriter }

// Add makes a file under a temporary name. fill writes the data of its tensors, as [Writer.Write] does.
func (s *Set) Add(path string, md *Metadata, tensors []TensorInfo, fill func(w io.Writer) error) error {
	f, err := Create(path, md, tensors)
	if err != nil {
		return err
	}
	s.files = append(s.files, f)
	if err := fill(f); err != nil {
		return err
	}
	return f.Seal()
}

// Commit gives the files their names.
func (s *Set) Commit() error {
	for _, f := range s.files {
		if err := f.Commit(); err != nil {
			return err
		}
	}
	return nil
}

// Abort removes the files that have no name yet.
func (s *Set) Abort() error {
	var errs []error
	for _, f := range s.files {
		errs = append(errs, f.Abort())
	}
	return errors.Join(errs...)
}
