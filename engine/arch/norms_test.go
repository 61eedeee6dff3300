package arch_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/engine/arch"
	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/quant"
)

// TestLearnedPositions: a sequence cannot be longer than the table of positions.
func TestLearnedPositions(t *testing.T) {
	f := openTiny(t, "tiny-gpt2", quant.F32)
	if _, err := arch.Build(f, arch.Options{Context: 256}); err != nil {
		t.Errorf("256 positions: %v", err)
	}
	_, err := arch.Build(f, arch.Options{Context: 257})
	if !errors.Is(err, gguf.ErrUnsupported) || !strings.Contains(err.Error(), "257 tokens") {
		t.Errorf("257 tokens on 256 positions: error %v", err)
	}
}

// TestEpsilon: the norm of an architecture has its own key, which must be there and make sense.
func TestEpsilon(t *testing.T) {
	const rms, layer = "attention.layer_norm_rms_epsilon", "attention.layer_norm_epsilon"
	for _, c := range []struct {
		model, set string
		value      float32
		names      string // in the error; "": none
	}{
		{"tiny-gpt2", rms, 1e-5, layer},
		{"tiny-gpt2", layer, 1, layer},
		{"tiny-gpt2", layer, 1e-5, ""},
		{"tiny-llama", rms, -1, rms},
		{"tiny-llama", rms, 1e-5, ""},
	} {
		f := openTiny(t, c.model, quant.F32)
		name := strings.TrimPrefix(c.model, "tiny-") + "."
		f.Metadata.Delete(name + rms)
		f.Metadata.Delete(name + layer)
		f.Metadata.Set(name+c.set, gguf.Float32(c.value))
		_, err := arch.Build(f, arch.Options{})
		if failed := err != nil; failed != (c.names != "") || failed && !strings.Contains(err.Error(), c.names) {
			t.Errorf("%s with %s %g: error %v", c.model, c.set, c.value, err)
		}
	}
}
