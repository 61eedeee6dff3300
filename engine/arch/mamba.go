package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// Mamba (arXiv:2312.00752) and Mamba-2 (arXiv:2405.21060): no attention and no feed-forward block, in each layer
//
//	x += mamba(RMSNorm(x))
//
// Falcon Mamba (arXiv:2410.05355) norms step, B and C without weights.

type mamba struct {
	ends
	layers []mixer
	eps    float32
}

// mixer is a layer that mixes rows: attention or a recurrent one.
type mixer struct {
	norm []float32 // (NEmbd)
	mix  interface {
		Apply(b *graph.Builder, h *graph.Tensor) *graph.Tensor
	}
}

func newMamba(s *source) architecture {
	m, p := &mamba{ends: s.ends(), eps: s.NormEps}, s.ssm()
	for i := range s.NLayer {
		mix := s.mamba(i, p)
		if s.BoolOr("ssm.dt_b_c_rms", false) {
			mix.Norm = &blocks.StepNorm{Eps: s.NormEps}
		}
		m.layers = append(m.layers, mixer{s.vector(name(i, "attn_norm.weight"), s.NEmbd), mix})
	}
	return m
}

func newMamba2(s *source) architecture {
	m, p := &mamba{ends: s.ends(), eps: s.NormEps}, s.ssm()
	for i := range s.NLayer {
		m.layers = append(m.layers, mixer{s.vector(name(i, "attn_norm.weight"), s.NEmbd), s.mamba2(i, p)})
	}
	return m
}

func (m *mamba) forward() *graph.Graph {
	return m.run(len(m.layers), m.eps, func(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
		l := &m.layers[i]
		h := b.Name(b.RMSNorm(x, l.norm, m.eps), "attn_norm")
		return b.Name(b.Add(x, l.mix.Apply(b, h)), "l_out")
	})
}

func init() {
	register("mamba", newMamba)
	register("mamba2", newMamba2)
	withoutHeads["mamba"], withoutHeads["mamba2"] = true, true
}
