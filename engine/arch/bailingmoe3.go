package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// Ling 3 (llama.cpp's src/models/bailingmoe3.cpp): the layers of Kimi Linear with a bounded decay, latent attention with rotary embedding
// and a sigmoid gate on each head, and bounded gated units.

func newBailingMoE3(s *source) architecture {
	p, _ := s.rotatedLatent()
	if s.ropeSections() {
		p.rope.Kind = graph.RopeNeox
	}
	return s.hybrid(s.ends(), func(i int) mixer {
		if s.recurrent(i) {
			return s.kda(i, s.decayBound())
		}
		m, gate := s.mla(i, p), s.outputGate(i, s.Layers[i].NHead, graph.Sigmoid)
		m.Gate, m.Out.Scale = &gate, nil
		return m
	}, s.cutDeepSeekMoE())
}

// cutDeepSeekMoE binds DeepSeekMoE with limits by layer, of experts and of the other feed-forward blocks.
func (s *source) cutDeepSeekMoE() func(layer int) blocks.FFN {
	moe, limits, others := s.routedExperts(graph.GateSigmoid), s.limits("swiglu_clamp_exp", 0), s.limits("swiglu_clamp_shexp", 0)
	moe.Act = graph.SiLUCut
	ffn := s.deepSeekMoE(moe, unscaled)
	return func(i int) blocks.FFN { return limited(ffn(i), limits[i], others[i]) }
}

func init() { register("bailingmoe3", newBailingMoE3) }
