package gguf

import (
	"bytes"
	"encoding/binary"
	"flag"
	"math"
	"os"
	"testing"

	"github.com/llamakit/llamakit/formats/quant"
)

var update = flag.Bool("update", false, "write testdata/tiny.gguf again (go test ./formats/gguf -update)")

// TestTiny pins the bytes of testdata/tiny.gguf, which this test made: a change of the writer shows here.
func TestTiny(t *testing.T) {
	md := NewMetadata()
	md.Set("general.architecture", String("llama"))
	md.Set("llama.block_count", Uint32(1))
	md.Set("llama.attention.layer_norm_rms_epsilon", Float32(1e-5))
	md.Set("tokenizer.ggml.tokens", Strings([]string{"<unk>", "a", "b"}))
	floats := func(f ...float32) (b []byte) {
		for _, x := range f {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
		}
		return b
	}
	got := written(t, md, []TensorInfo{{"token_embd.weight", quant.F32, []int{2, 3}}, {"output_norm.weight", quant.F32, []int{2}}},
		[][]byte{floats(0, 1, 2, 3, 4, 5), floats(1, 1)})
	if *update {
		if err := os.WriteFile("testdata/tiny.gguf", got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/tiny.gguf")
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("the writer makes other bytes than testdata/tiny.gguf (%v)", err)
	}
}
