package arch

import "github.com/llamakit/llamakit/engine/graph"

// Mellum 2 (model card of JetBrains/Mellum2): the layers of qwen3 with a mixture of experts, some with a sliding window, and a rotary base of their
// own, never scaled, on those.

type mellum struct {
	*qwen3
	windows []int // by layer; 0: none
	ropeSWA *graph.RopeSpec
}

func newMellum(s *source) architecture {
	moe := s.routedExperts(graph.GateSoftmax)
	moe.Scale = 0 // whatever the key says
	m := &mellum{qwen3: s.qwen3(s.mixture(moe, scaled)), windows: s.windows(4)}
	m.ropeSWA = s.ropeSWA(m.rope, m.rope.Base)
	m.ropeSWA.Linear, m.ropeSWA.Yarn = 0, nil
	return m
}

func (m *mellum) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	spec, rope := m.attn, m.rope
	if spec.Window = m.windows[i]; spec.Window > 0 {
		rope = m.ropeSWA
	}
	return m.layer(b, x, i, spec, rope)
}

func (m *mellum) forward() *graph.Graph { return m.run(len(m.layers), m.block) }

func init() { register("mellum", newMellum) }
