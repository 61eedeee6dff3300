package arch_test

import (
	"math"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/bench/golden"
	"github.com/llamakit/llamakit/engine/arch"
	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/quant"
)

// hostile are values that a key of a stranger's file may have.
var hostile = []gguf.Value{gguf.Uint32(0), gguf.Uint32(1), gguf.Uint32(3), gguf.Uint32(math.MaxInt32), gguf.Int32(-1), gguf.Int32(-7),
	gguf.Float32(0), gguf.Float32(float32(math.NaN())), gguf.Int32s([]int32{0, 0, 0, 0}), gguf.Int32s([]int32{1, -1, 2, 5}), gguf.Bool(true), gguf.String("x")}

// TestHostileKeys gives each key of the tiny models values that make no sense: Build may refuse them, but must not panic.
func TestHostileKeys(t *testing.T) {
	for _, model := range tinyNames() {
		hostileKeys(t, model, openTiny(t, model, quant.F32), func(int) []gguf.Value { return hostile })
	}
}

// TestHostileKeysOfAll is TestHostileKeys for every architecture that llama.cpp's random models have, whose files hold all keys, with one value
// a key, another in each file.
func TestHostileKeysOfAll(t *testing.T) {
	for n, r := range readRecorded(t, golden.Shared(t, "golden", "archs.jsonl")) {
		if r.Variant != "stock" || r.Error != "" {
			continue
		}
		f, err := gguf.Open(golden.Peer(t, variantFolders[r.Variant], r.File))
		if err != nil {
			t.Fatal(err)
		}
		hostileKeys(t, r.File, f, func(i int) []gguf.Value { return hostile[(n+i)%len(hostile):][:1] })
		f.Close()
	}
}

// hostileKeys gives the i-th key the values that values returns.
func hostileKeys(t *testing.T, model string, f *gguf.File, values func(i int) []gguf.Value) {
	for i, key := range f.Metadata.Keys() {
		was, _ := f.Metadata.Get(key)
		if strings.HasPrefix(key, "tokenizer.") || strings.HasPrefix(key, "general.") {
			continue
		}
		for _, v := range values(i) {
			func() {
				defer func() {
					if p := recover(); p != nil {
						t.Errorf("%s with %s = %v: %v", model, key, v.Any(), p)
					}
				}()
				f.Metadata.Set(key, v)
				_, _ = arch.Build(f, arch.Options{})
			}()
		}
		f.Metadata.Set(key, was)
	}
}
