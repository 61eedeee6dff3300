package safetensors

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/llamakit/llamakit/formats/quant"
)

var update = flag.Bool("update", false, "write testdata/sharded again (go test ./formats/safetensors -update)")

// TestSharded pins the bytes of testdata/sharded, which this test made: a change of the writer shows here.
func TestSharded(t *testing.T) {
	const index = `{
  "metadata": {"total_size": 16},
  "weight_map": {
    "embed.weight": "model-00001-of-00002.safetensors",
    "norm.weight": "model-00002-of-00002.safetensors"
  }
}
`
	format := map[string]string{"format": "pt"}
	embed := TensorData{"embed.weight", BF16, []int{2, 2}, []byte{0x80, 0x3f, 0x00, 0x40, 0x40, 0x40, 0x80, 0x40}}
	norm := TensorData{"norm.weight", F32, []int{2}, f32(0.5, 1)}
	for name, want := range map[string][]byte{
		indexFile: []byte(index),
		shard1:    written(t, []TensorData{embed}, format),
		shard2:    written(t, []TensorData{norm}, format),
	} {
		path := filepath.Join("testdata", "sharded", name)
		if *update {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("the writer makes other bytes than %s (%v)", path, err)
		}
	}
}

// TestTypes pins which types have a ggml type of the same layout.
func TestTypes(t *testing.T) {
	want := map[DType]quant.Type{F64: quant.F64, F32: quant.F32, F16: quant.F16, BF16: quant.BF16, I64: quant.I64, I32: quant.I32, I16: quant.I16, I8: quant.I8}
	for _, d := range dtypes {
		w, wantOK := want[d.name]
		got, ok := d.name.Type()
		if ok != wantOK || got != w || ok && got.BlockBytes()*8 != d.bits {
			t.Errorf("%s: %v %t", d.name, got, ok)
		}
	}
}
