// Package mmap maps whole files into memory for reading.
//
// A mapping costs address space, not memory: pages come from the file as they are touched, are shared between processes,
// and can be dropped by the system at any time. Two caveats follow. The bytes are gone after Close, and touching a slice
// of them then is a crash, not a panic. And they are the file: if another program cuts the file short, touching what was
// cut off is a crash too (SIGBUS); one that writes a new file and renames it over the old one does no harm.
package mmap

import (
	"errors"
	"os"
)

// Map is a mapped file. Data must not be written to.
type Map struct {
	Data  []byte
	unmap func() error
}

// errNotRegular is returned for folders, pipes and devices, which have no size to check offsets against.
var errNotRegular = errors.New("is not a regular file")

// Open maps the file at path. Errors do not repeat the path.
func Open(path string) (*Map, error) {
	info, err := os.Stat(path) // before opening: opening a pipe would wait for its writer
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, errors.New("is a folder, not a file")
	}
	if !info.Mode().IsRegular() {
		return nil, errNotRegular
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, err
	}
	return mapFile(f, info.Size())
}

func mapFile(f *os.File, size int64) (*Map, error) {
	switch {
	case size == 0: // cannot be mapped, and need not be
		return &Map{}, nil
	case size != int64(int(size)):
		return nil, errors.New("is larger than the address space")
	}
	data, unmap, err := platformMap(f, int(size))
	if err != nil {
		return nil, err
	}
	return &Map{Data: data, unmap: unmap}, nil
}

// Close ends the mapping; Data is nil afterwards. A second call does nothing.
func (m *Map) Close() error {
	unmap := m.unmap
	m.Data, m.unmap = nil, nil
	if unmap == nil {
		return nil
	}
	return unmap()
}
