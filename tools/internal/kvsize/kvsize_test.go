package kvsize

import (
	"testing"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/formats/gguf"
)

// TestPerToken pins the reading of the keys, also of those that are no model's.
func TestPerToken(t *testing.T) {
	type keys map[string]gguf.Value
	base := keys{"block_count": gguf.Uint32(4), "attention.head_count": gguf.Uint32(8), "embedding_length": gguf.Uint32(256)}
	for _, c := range []struct {
		name string
		more keys
		want int64
	}{
		{"heads of keys as many as of queries", nil, 4 * 8 * (32 + 32) * 2},
		{"fewer", keys{"attention.head_count_kv": gguf.Uint32(2)}, 4 * 2 * (32 + 32) * 2},
		{"one a layer", keys{"attention.head_count_kv": gguf.Uint32s([]uint32{1, 0, 2, 0, 9})}, 3 * (32 + 32) * 2},
		{"other widths", keys{"attention.key_length": gguf.Uint32(16), "attention.value_length": gguf.Uint32(8)}, 4 * 8 * 24 * 2},
		{"compressed", keys{"attention.key_length_mla": gguf.Uint32(1), "attention.kv_lora_rank": gguf.Uint32(512), "rope.dimension_count": gguf.Uint32(64)}, 4 * 576 * 2},
		{"no layers", keys{"block_count": gguf.Uint32(0)}, 0},
		{"absurd", keys{"block_count": gguf.Uint32(1 << 31)}, 0},
		{"empty array", keys{"attention.head_count": gguf.Uint32s(nil)}, 0},
		{"text", keys{"block_count": gguf.String("4")}, 0},
	} {
		md := gguf.NewMetadata()
		md.Set("general.architecture", gguf.String("a"))
		for _, k := range []keys{base, c.more} {
			for name, v := range k {
				md.Set("a."+name, v)
			}
		}
		if got := PerToken(md); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
	if PerToken(gguf.NewMetadata()) != 0 {
		t.Error("no keys")
	}
}

// TestLoaderAgrees compares with what the engine allocates.
func TestLoaderAgrees(t *testing.T) {
	f, err := gguf.Open("../../../engine/demo/demo.gguf")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want, err := engine.CacheBytes(f, engine.CacheF16, engine.CacheF16)
	if got := PerToken(f.Metadata); got != want || err != nil {
		t.Errorf("%d, the engine has %d (%v)", got, want, err)
	}
	if _, err := engine.CacheBytes(f, engine.CacheF16, "q9"); err == nil {
		t.Error("a cache type that does not exist")
	}
}
