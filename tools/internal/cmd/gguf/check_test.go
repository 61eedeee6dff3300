package gguf

import (
	"encoding/json"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/bench/golden"
	"github.com/llamakit/llamakit/engine/arch"
	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/quant"
)

func TestCheck(t *testing.T) {
	if got := exec(t, "check", demo); got.code != 0 || got.out != "" || !strings.Contains(got.err, "no errors (29 keys, 68 tensors)") {
		t.Errorf("%+v", got)
	}
	dir := t.TempDir()
	inf := float32(math.Inf(1))
	badScale := append(append(make([]byte, 34), 0, 0x7c), make([]byte, 32)...) // the second block's is infinite
	bad := store(t, filepath.Join(dir, "bad.gguf"), []any{"general.architecture", gguf.String("unknown"),
		"tokenizer.ggml.model", gguf.String("gpt2"), "tokenizer.ggml.pre", gguf.String("qwen2"), "tokenizer.ggml.tokens", gguf.Strings([]string{"a", "b", "ab"}),
		"tokenizer.ggml.merges", gguf.Strings([]string{"a b"}), "tokenizer.ggml.eos_token_id", gguf.Uint32(3),
		"tokenizer.chat_template", gguf.String("{% for %}")},
		tensor{"nan", quant.F32, []int{2, 2}, floats(1, 2, 3, float32(nan()))}, tensor{"inf", quant.F32, []int{2}, floats(inf, -inf)},
		tensor{"scale", quant.Q8_0, []int{32, 2}, badScale}, tensor{"rows", quant.F32, []int{3, 4}, floats(0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0)},
		tensor{"zero", quant.F32, []int{2, 2}, nil}, tensor{"none", quant.F32, []int{2, 0}, nil})
	got := exec(t, "check", bad)
	for _, text := range []string{
		`note   model: architecture "unknown" does not run here`,
		"note   tokenizer: key tokenizer.ggml.eos_token_id is 3, but there are 3 tokens",
		"note   tokenizer: the vocabulary cannot spell every byte",
		"error  template: ",
		"error  tensor nan: 1 of 4 values are NaN, the first at row 1, column 1",
		"error  tensor inf: 2 of 2 values are infinite, the first at row 0, column 0",
		"error  tensor scale: a scale that cannot be, first in block 1, at row 1, column 0",
		"note   tensor rows: 2 of 4 rows are zero, the first is row 1",
		"note   tensor zero: all zero",
	} {
		if !strings.Contains(got.out, text) {
			t.Errorf("no %q in\n%s", text, got.out)
		}
	}
	if got.code != 1 || !strings.Contains(got.err, "bad.gguf: 5 errors") || strings.Contains(got.out, "tensor none") {
		t.Errorf("code %d, %s%s", got.code, got.err, got.out)
	}
	var found []finding
	if got := exec(t, "check", "--json", bad); json.Unmarshal([]byte(got.out), &found) != nil || len(found) != 11 || got.code != 1 {
		t.Errorf("%d findings: %s", len(found), got.out)
	}
}

// TestCheckModel names the tensor that the architecture lacks.
func TestCheckModel(t *testing.T) {
	path := copyOf(t, demo)
	if got := exec(t, "rename", path, "output_norm.weight", "output_mean.weight", "--force"); got.code != 0 {
		t.Fatal(got.err)
	}
	if got := exec(t, "check", path); got.code != 1 || !strings.Contains(got.out, "error  model: ") || !strings.Contains(got.out, "output_norm.weight is missing") {
		t.Errorf("%+v", got)
	}
}

// TestArchitectures shows and checks the random models of all architectures.
func TestArchitectures(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(golden.Peer(t, "archs"), "*.gguf"))
	if err != nil {
		t.Fatal(err)
	}
	for i, path := range paths {
		got := exec(t, path)
		f, err := gguf.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		name, _ := architecture(f.Metadata)
		f.Close()
		cached := strings.Contains(got.out, "bytes a token (f16)")
		if want := slices.Contains(arch.Names(), name) && !strings.HasPrefix(name, "mamba"); got.code != 0 || !strings.Contains(got.out, "bits per weight") || cached != want { // mamba has no keys
			t.Errorf("%s: code %d, %s", filepath.Base(path), got.code, got.err)
		}
		if i%16 != 0 || testing.Short() {
			continue
		}
		if got := exec(t, "check", path); got.code != 0 {
			t.Errorf("%s: %s%s", filepath.Base(path), got.out, got.err)
		}
	}
}

// TestVocabularies sends texts through public vocabularies.
func TestVocabularies(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(golden.Shared(t, "golden", "vocab"), "*.gguf"))
	if err != nil {
		t.Fatal(err)
	}
	for i, path := range paths {
		if i%3 != 0 {
			continue
		}
		if got := exec(t, "check", path); got.code != 0 || strings.Contains(got.out, "tokenizer") {
			t.Errorf("%s: %s%s", filepath.Base(path), got.out, got.err)
		}
	}
}
