package arch

import (
	"slices"

	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// Maple (llama.cpp's src/models/maple.cpp): the layers of qwen3, the sliding ones with rotary embedding and the others without, and
// a mixture of experts whose gated units are bounded.

type maple struct {
	*qwen3
	windows []int // by layer; 0: none
	ropeSWA *graph.RopeSpec
}

const mapleLimit = 7 // of files without the key

func newMaple(s *source) architecture {
	moe, limits := s.experts(), s.limits("swiglu_clamp_exp", mapleLimit)
	m := &maple{windows: s.windows(4)}
	m.qwen3 = s.qwen3(func(i int) blocks.FFN {
		f := s.moe(i, moe, unscaled)
		f.Experts.Limit = limits[i]
		return f
	})
	m.ropeSWA = s.ropeSWA(m.rope, m.rope.Base)
	return m
}

// limits reads the bounds of gated units by layer; def where the key is missing, and none below 1e-6.
func (s *source) limits(key string, def float32) []float32 {
	limits := slices.Repeat([]float32{def}, s.NLayer)
	if s.Has(key) {
		limits = s.FloatsOrScalar(key, s.NLayer)
	}
	for i, l := range limits {
		if !(l > 1e-6) {
			limits[i] = 0
		}
	}
	return limits
}

func (m *maple) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	spec := m.attn
	if spec.Window = m.windows[i]; spec.Window > 0 {
		return m.layer(b, x, i, spec, m.ropeSWA)
	}
	return m.layer(b, x, i, spec, nil)
}

func (m *maple) forward() *graph.Graph { return m.run(len(m.layers), m.block) }

func init() { register("maple", newMaple) }
