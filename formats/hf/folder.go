package hf

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/llamakit/llamakit/formats/safetensors"
)

// ErrUnsupported is what errors wrap that speak of a model this package does not know.
var ErrUnsupported = errors.New("unsupported")

// maxJSON bounds the size of a JSON file that is read whole; the largest tokenizers have some 30 MB.
const maxJSON = 1 << 28

// Folder is an open model folder.
type Folder struct {
	Path   string
	Config *Config // nil when there is no config.json

	tensors *safetensors.File // nil when there is no checkpoint
	noData  error             // why tensors is nil
}

// Open reads config.json and the headers of the checkpoint. A folder without either, or with a broken checkpoint, can still
// have a tokenizer; what is missing is reported by what needs it.
func Open(path string) (*Folder, error) {
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, fmt.Errorf("%s: not a folder; give the folder that holds config.json", path)
	}
	f := &Folder{Path: path}
	var values map[string]any
	found, err := f.readJSON("config.json", &values)
	if err != nil {
		return nil, err
	}
	if found {
		f.Config = newConfig(filepath.Join(path, "config.json"), values)
	}
	f.tensors, f.noData = safetensors.Open(path)
	return f, nil
}

// Close unmaps the checkpoint.
func (f *Folder) Close() error {
	if f.tensors == nil {
		return nil
	}
	return f.tensors.Close()
}

// read returns a file of the folder; ok is false when it does not exist.
func (f *Folder) read(name string) (data []byte, ok bool, err error) {
	path := filepath.Join(f.Path, name)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	if info.Size() > maxJSON {
		return nil, false, fmt.Errorf("%s: %d bytes, want at most %d", path, info.Size(), maxJSON)
	}
	data, err = os.ReadFile(path)
	return data, err == nil, err
}

// readJSON decodes a file of the folder into v; found is false when it does not exist.
func (f *Folder) readJSON(name string, v any) (found bool, err error) {
	data, ok, err := f.read(name)
	if err != nil || !ok {
		return false, err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return false, fmt.Errorf("%s: %w", filepath.Join(f.Path, name), err)
	}
	return true, nil
}
