package model

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/quant"
)

// TestMixedAs has a tensor that is put together from pieces: its rows differ, and have the spread that was asked for.
func TestMixedAs(t *testing.T) {
	s := Shape{Arch: "llama", Layers: 2, Embd: 256, FF: 512, Heads: 4, HeadsKV: 2, HeadDim: 64, Vocab: 5000, Context: 64, RopeBase: 1e4}
	for name, want := range map[string]string{"q4_k_m": "q6_K q4_K", "q8_0": "q8_0 q8_0", "mxfp4_moe": "q8_0 q8_0", "iq4_xs": "q6_K iq4_xs", "f16": "f16 f16", "q4_k": "q6_K q4_K", "nvfp4": "nvfp4 nvfp4"} {
		types, err := ParseTypes(name, false)
		if err != nil {
			t.Fatal(err)
		}
		f := written(t, s, types)
		output, _ := f.Tensor("output.weight")
		q, _ := f.Tensor("blk.0.attn_q.weight")
		if got := output.Type.String() + " " + q.Type.String(); got != want {
			t.Errorf("%s: output and attn_q are %s, want %s", name, got, want)
		}
		sameSpread(t, name, f, output)
	}
	if types, err := ParseTypes("Q4_K_M", true); err != nil {
		t.Error(err)
	} else if output, _ := written(t, s, types).Tensor("output.weight"); output.Type != quant.Q4_K {
		t.Errorf("pure: output is %v", output.Type)
	}
	if _, err := ParseTypes("q4", false); err == nil || !strings.Contains(err.Error(), "q4_k_m") {
		t.Error(err)
	}
}

func written(t *testing.T, s Shape, types Types) *gguf.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m.gguf")
	if err := WriteAs(path, s, types, 1); err != nil {
		t.Fatal(err)
	}
	f, err := gguf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// sameSpread checks the root mean square of a matrix as tensors.go wants it, and that its first rows differ.
func sameSpread(t *testing.T, name string, f *gguf.File, x *gguf.Tensor) {
	t.Helper()
	n, size := x.Shape[0], x.Type.RowBytes(x.Shape[0])
	data := f.Bytes(x)
	row, sum := make([]float32, n), 0.0
	for i := range x.Shape[1] {
		quant.Decode(x.Type, row, data[i*size:(i+1)*size])
		for _, v := range row {
			sum += float64(v) * float64(v)
		}
	}
	want := 1.3 / math.Sqrt(float64(n))
	if got := math.Sqrt(sum / float64(x.Elements())); math.Abs(got-want) > 0.05*want {
		t.Errorf("%s: root mean square %g, want %g", name, got, want)
	}
	if string(data[:size]) == string(data[size:2*size]) {
		t.Errorf("%s: rows are equal", name)
	}
}
