package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestRun(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		ok   bool
		args []string
	}{
		{true, []string{"-shape", "tiny-llama", "-layers", "2", "-type", "q4_k_m"}},
		{false, []string{"-shape", "tiny-llama", "model.gguf"}}, {false, []string{"-shape", "tiny-llama", "-layers", "-1"}},
		{false, []string{"-shape", "none"}}, {false, []string{"-type", "none"}},
	} {
		path := filepath.Join(dir, "x.gguf")
		err := run(append([]string{"-o", path}, c.args...))
		if _, there := os.Stat(path); (err == nil) != c.ok || (there == nil) != c.ok {
			t.Errorf("%q: %v, %v", c.args, err, there)
		}
		os.Remove(path)
	}
}
