package imatrix

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/llamakit/llamakit/bench/model"
	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/quant"
)

// newModel writes a small mixture of experts with random weights and a tokenizer of one token a byte of ASCII. The file is
// the same each time: testdata holds what llama.cpp computes with it.
func newModel(t *testing.T, seed uint64) string {
	t.Helper()
	shape, err := model.Named("tiny-qwen3moe")
	if err != nil {
		t.Fatal(err)
	}
	shape.Vocab = 128
	dir := t.TempDir()
	bare, path := filepath.Join(dir, "bare.gguf"), filepath.Join(dir, "model.gguf")
	if err := model.Write(bare, shape, quant.F32, seed); err != nil {
		t.Fatal(err)
	}
	f, err := gguf.Open(bare)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	md := f.Metadata.Clone()
	setASCII(md)
	copyModel(t, f, path, md)
	return path
}

// setASCII is byte-level BPE without merges: characters that do not print are spelled 256 higher.
func setASCII(md *gguf.Metadata) {
	tokens, types := make([]string, 128), make([]int32, 128)
	for i := range tokens {
		tokens[i], types[i] = string(rune(i)), 1
		if i <= ' ' {
			tokens[i] = string(rune(256 + i))
		}
	}
	tokens[127] = string(rune(256 + 33))
	md.Set("tokenizer.ggml.model", gguf.String("gpt2"))
	md.Set("tokenizer.ggml.pre", gguf.String("gpt-2"))
	md.Set("tokenizer.ggml.tokens", gguf.Strings(tokens))
	md.Set("tokenizer.ggml.token_type", gguf.Int32s(types))
	md.Set("tokenizer.ggml.bos_token_id", gguf.Uint32(0))
	md.Set("tokenizer.ggml.eos_token_id", gguf.Uint32(0))
	md.Set("tokenizer.ggml.add_bos_token", gguf.Bool(true))
}

func copyModel(t *testing.T, f *gguf.File, path string, md *gguf.Metadata) {
	t.Helper()
	var infos []gguf.TensorInfo
	for i := range f.Tensors {
		infos = append(infos, gguf.TensorInfo{Name: f.Tensors[i].Name, Type: f.Tensors[i].Type, Shape: f.Tensors[i].Shape})
	}
	w, err := gguf.Create(path, md, infos)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	for i := range f.Tensors {
		if err := w.WriteTensor(f.Bytes(&f.Tensors[i])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
}

// TestWriteModel writes the model for llama.cpp where $IMATRIX_MODEL names a file: see testdata/README.md.
func TestWriteModel(t *testing.T) {
	target := os.Getenv("IMATRIX_MODEL")
	if target == "" {
		t.Skip("IMATRIX_MODEL is not set")
	}
	data, err := os.ReadFile(newModel(t, 1))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(target, data, 0o644); err != nil {
		t.Fatal(err)
	}
}
