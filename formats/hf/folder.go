package hf

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/llamakit/llamakit/formats/safetensors"
	"github.com/llamakit/llamakit/formats/torch"
)

// ErrUnsupported is what errors wrap that speak of a model this package does not know.
var ErrUnsupported = errors.New("unsupported")

// maxJSON bounds the size of a JSON file that is read whole; the largest tokenizers have some 30 MB.
const maxJSON = 1 << 28

// SmallFiles are what is read of a folder beside config.json and the checkpoint, where it is there.
var SmallFiles = []string{"generation_config.json", "tokenizer.json", "tokenizer.model", "tekken.json", "tokenizer_config.json", "added_tokens.json", "special_tokens_map.json",
	"chat_template.jinja", "chat_template.json", "modules.json", "1_Pooling/config.json", "README.md"}

// Folder is an open model folder.
type Folder struct {
	Path   string
	Config *Config // nil when there is no config.json

	tensors checkpoint // nil when there is none
	noData  error      // why tensors is nil
}

// checkpoint is a file of tensors, or several.
type checkpoint interface {
	Tensors() []safetensors.Tensor
	Bytes(*safetensors.Tensor) []byte
	Paths() []string
	Close() error
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
	f.openTensors()
	return f, nil
}

// openTensors opens the checkpoint: that of PyTorch where there is no other.
func (f *Folder) openTensors() {
	tensors, err := safetensors.Open(f.Path)
	if f.noData = err; err == nil {
		f.tensors = tensors
		return
	}
	if !errors.Is(err, safetensors.ErrNotFound) {
		return
	}
	old, err := torch.Open(f.Path)
	if err == nil {
		f.tensors = old
	} else if !errors.Is(err, fs.ErrNotExist) {
		f.noData = err
	}
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
	if err == nil && isPointer(data) {
		err = pointerError(path)
	}
	return data, err == nil, err
}

// isPointer says of a small file that Git LFS keeps in place of a large one.
func isPointer(data []byte) bool {
	return len(data) < 1024 && strings.HasPrefix(string(data), "version https://git-lfs.github.com/")
}

func pointerError(path string) error {
	return fmt.Errorf("%s: only a pointer to the file is here; get the file with `git lfs pull`", path)
}

// whyNoWeights is why the checkpoint cannot be read.
func (f *Folder) whyNoWeights() error {
	entries, _ := os.ReadDir(f.Path)
	for _, e := range entries {
		path := filepath.Join(f.Path, e.Name())
		if ext := filepath.Ext(path); (ext == ".safetensors" || ext == ".bin") && isPointer(head(path)) {
			return pointerError(path)
		}
	}
	return f.noData
}

// head is the content of a small file.
func head(path string) []byte {
	if info, err := os.Stat(path); err != nil || info.Size() > 1024 {
		return nil
	}
	data, _ := os.ReadFile(path)
	return data
}

// readJSON decodes a file of the folder into v; found is false when it does not exist.
func (f *Folder) readJSON(name string, v any) (found bool, err error) {
	data, ok, err := f.read(name)
	if err != nil || !ok {
		return false, err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return false, fmt.Errorf("%s: %w", filepath.Join(f.Path, name), jsonError(err))
	}
	return true, nil
}

// jsonError says where a JSON file is wrong, without Go's names of types.
func jsonError(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("byte %d: %w", syntax.Offset, err)
	case errors.As(err, &kind) && kind.Field != "":
		return fmt.Errorf("byte %d: field %s is a JSON %s, which does not fit", kind.Offset, kind.Field, kind.Value)
	case errors.As(err, &kind):
		return fmt.Errorf("byte %d: a JSON %s does not fit", kind.Offset, kind.Value)
	}
	return err
}
