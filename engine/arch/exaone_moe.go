package arch

import "github.com/llamakit/llamakit/engine/graph"

// K-EXAONE (arXiv:2601.01739): the layers of qwen3, three of four with a sliding window and rotary embedding, the others with neither,
// and DeepSeek-V3's experts where a layer has a router.

type exaoneMoE struct {
	*qwen3
	windows []int // by layer; 0: none
}

func newExaoneMoE(s *source) architecture {
	m := &exaoneMoE{s.qwen3(s.whereRouted(s.routedExperts(graph.GateSigmoid), unscaled)), s.windows(4)}
	m.rope.Factors = s.ropeFactors()
	return m
}

func (m *exaoneMoE) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	spec, rope := m.attn, m.rope
	if spec.Window = m.windows[i]; spec.Window == 0 {
		rope = nil
	}
	return m.layer(b, x, i, spec, rope)
}

func (m *exaoneMoE) forward() *graph.Graph { return m.run(len(m.layers), m.block) }

func init() { register("exaone-moe", newExaoneMoE) }
