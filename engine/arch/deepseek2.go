package arch

import (
	"math"

	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// DeepSeek-V2 (arXiv:2405.04434) and V3 (arXiv:2412.19437): multi-head latent attention with rotary pairs (2i, 2i+1), and many small
// experts beside shared ones in all layers but the leading. Mistral Small 4 has the same layers, with queries that grow with
// the position.

func newDeepSeek2(s *source) architecture {
	p, mscaleAll := s.rotatedLatent()
	if mscaleAll != 0 { // the paper's two mscales are taken to be equal: cos and sin keep their size
		p.scale /= float32(math.Pow(p.rope.Yarn.Magnitude(), 2))
		p.rope.Yarn.LogMul = 1
	}
	return s.deepSeek2(p)
}

func newMistral4(s *source) architecture {
	p, _ := s.rotatedLatent()
	return s.deepSeek2(p)
}

func (s *source) deepSeek2(p latent) architecture {
	temperature := s.temperature()
	mix := func(i int) mixer {
		m := s.mla(i, p)
		m.Temperature = temperature
		return m
	}
	return s.hybrid(s.ends(), mix, s.deepSeekMoE(s.routedExperts(graph.GateSoftmax), unscaled))
}

// temperature reads how queries grow with the position; nil where they do not.
func (s *source) temperature() *blocks.Temperature {
	t := &blocks.Temperature{A: float32(s.FloatOr("attention.temperature_scale", 0)), Length: float32(s.IntOr("attention.temperature_length", 0))}
	if t.A == 0 || t.Length <= 0 {
		return nil
	}
	return t
}

func init() {
	register("deepseek2", newDeepSeek2)
	register("mistral4", newMistral4)
}
