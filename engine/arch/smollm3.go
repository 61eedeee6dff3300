package arch

import "github.com/llamakit/llamakit/engine/graph"

// SmolLM3 (model card of HuggingFaceTB/SmolLM3-3B): the plain decoder with rotary pairs (2i, 2i+1), in which every fourth layer
// has no rotary embedding (NoPE, arXiv:2501.18795).

const smollm3NoPEStep = 4 // fixed in llama.cpp too: files do not say it

type smollm3 struct{ *decoder }

func newSmolLM3(s *source) architecture {
	return &smollm3{s.decoder(s.rope(graph.RopeNorm, nil), s.swiGLU(unscaled))}
}

func (m *smollm3) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	if (i+1)%smollm3NoPEStep == 0 {
		return m.layer(b, x, i, nil)
	}
	return m.layer(b, x, i, m.rope)
}

func (m *smollm3) forward() *graph.Graph { return m.run(len(m.layers), m.block) }

func init() { register("smollm3", newSmolLM3) }
