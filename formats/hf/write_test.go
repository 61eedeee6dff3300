package hf

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestInputIsNeverOverwritten: a file that the conversion reads is refused as output, under its name, a symbolic link or a
// hard link, and keeps its bytes.
func TestInputIsNeverOverwritten(t *testing.T) {
	dir := t.TempDir()
	writeFolder(t, dir, "Qwen3ForCausalLM", tinyModel(t, "tiny-qwen3"))
	weights := filepath.Join(dir, "model.safetensors")
	if err := os.Symlink(weights, filepath.Join(dir, "soft.gguf")); err != nil {
		t.Skip(err)
	}
	if err := os.Link(weights, filepath.Join(dir, "hard.gguf")); err != nil {
		t.Skip(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "chat_template.json"), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c, err := f.Convert(Options{Type: OutF16})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"model.safetensors", "config.json", "tokenizer.json", "chat_template.json", "soft.gguf", "hard.gguf"} {
		path := filepath.Join(dir, name)
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Write(context.Background(), path, nil); err == nil || !strings.Contains(err.Error(), "is read by the conversion") {
			t.Errorf("%s: %v", name, err)
		}
		if after, _ := os.ReadFile(path); string(after) != string(before) {
			t.Errorf("%s has changed", name)
		}
	}
}
