package mixture

import (
	"testing"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/quant"
)

func TestParseFileType(t *testing.T) {
	for text, want := range map[string]string{"q4_k_m": "Q4_K_M", "Q4_K": "Q4_K_M", "15": "Q4_K_M", "mxfp4_moe": "MXFP4_MOE", "0": "F32", "copy": Copy} {
		if got, ok := ParseFileType(text); !ok || got.Name != want {
			t.Errorf("%q: %q, %v, want %q", text, got.Name, ok, want)
		}
	}
	for _, text := range []string{"", "q4", "99", "-1"} {
		if got, ok := ParseFileType(text); ok {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestFallback(t *testing.T) {
	for _, c := range []struct {
		in      quant.Type
		columns int
		want    quant.Type
	}{
		{quant.Q4_K, 512, quant.Q4_K}, {quant.Q4_K, 96, quant.Q5_0}, {quant.Q6_K, 96, quant.Q8_0}, {quant.IQ4_XS, 96, quant.IQ4_NL},
		{quant.Q4_K, 40, quant.F16}, {quant.Q8_0, 40, quant.F16}, {quant.F32, 7, quant.F32},
	} {
		if got, err := Fallback(c.in, c.columns); err != nil || got != c.want {
			t.Errorf("%v, rows of %d: %v, %v, want %v", c.in, c.columns, got, err, c.want)
		}
	}
}

// TestChoose has four layers of Q4_K_M: llama-quantize gives ffn_down of the first and the last eighth, and every third
// between, Q6_K.
func TestChoose(t *testing.T) {
	md := gguf.NewMetadata()
	md.Set("general.architecture", gguf.String("llama"))
	md.Set("llama.block_count", gguf.Uint32(4))
	names := []string{"blk.0.ffn_down.weight", "blk.1.ffn_down.weight", "blk.2.ffn_down.weight", "blk.3.ffn_down.weight", "token_embd.weight"}
	file, _ := ParseFileType("Q4_K_M")
	m, err := New(md, names, file, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []quant.Type{quant.Q4_K, quant.Q4_K, quant.Q6_K, quant.Q6_K, quant.Q6_K} {
		if got, err := m.Choose(names[i], []int{256, 256}); err != nil || got != want {
			t.Errorf("%s: %v, %v, want %v", names[i], got, err, want)
		}
	}
	if _, err := New(gguf.NewMetadata(), names, file, Options{}); err == nil {
		t.Error("metadata without an architecture is taken")
	}
}
