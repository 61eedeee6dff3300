package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// PLaMo 2 (arXiv:2509.04897): layers of a state space and layers of attention in turn, as in Samba (arXiv:2406.07522). Attention has
// norms of each head of queries and keys and rotary pairs (i, i + Dims/2). Norms stand before and after both sub-layers; the first
// two matrices of SwiGLU are one tensor.

type plamo2 struct {
	ends
	layers []plamo2Layer
}

type plamo2Layer struct {
	hybridLayer
	mixPost, ffnPost graph.NormWeights // (NEmbd)
}

// plamo2SSM is Mamba with heads: as in Mamba-2 a step and A are one number a head, but step, B and C are projections of what
// comes out of the convolution, and normed.
type plamo2SSM struct {
	in          graph.Linear // to z and x of each head in turn
	conv        blocks.Conv
	xDt, xB, xC graph.Linear
	norm        *blocks.StepNorm
	dt          graph.Linear
	scan        graph.ScanSpec
	out         graph.Linear
}

func newPLaMo2(s *source) architecture {
	p := s.ssm()
	s.checkHeads(p)
	m, rope := &plamo2{ends: s.ends()}, s.rope(graph.RopeNeox, nil)
	for i := range s.NLayer {
		var mix mixer
		if s.recurrent(i) {
			mix = s.plamo2SSM(i, p)
		} else {
			mix = s.plamo2Attention(i, rope)
		}
		ffn := func(i int) blocks.FFN { return s.fusedGLU(i, graph.SiLU) }
		m.layers = append(m.layers, plamo2Layer{s.hybridLayer(i, mix, ffn),
			s.barelyNamed(name(i, "post_attention_norm"), s.NEmbd), s.barelyNamed(name(i, "post_ffw_norm"), s.NEmbd)})
	}
	return m
}

func (s *source) plamo2Attention(i int, rope *graph.RopeSpec) *blocks.Attention {
	qk := &blocks.QKNorm{
		Q: graph.NormWeights{W: s.vector(name(i, "attn_q_norm.weight"), s.HeadDim, s.Layers[i].NHead), Eps: s.NormEps},
		K: graph.NormWeights{W: s.vector(name(i, "attn_k_norm.weight"), s.HeadDim, s.Layers[i].NHeadKV), Eps: s.NormEps},
	}
	a := s.attentionMixer(i, rope, qk)
	dropScales(&a.Q, &a.K, &a.V)
	return a
}

func (s *source) plamo2SSM(i int, p ssm) *plamo2SSM {
	rank := max(64, s.NEmbd/16) // no key says it
	bcDt := split(s.ffn(name(i, "ssm_x"), p.Inner, 2*p.State+rank, unscaled), p.State, p.State, rank)
	return &plamo2SSM{
		in: s.ffn(name(i, "ssm_in"), s.NEmbd, 2*p.Inner, unscaled), conv: s.conv(name(i, "ssm_conv1d"), p.Taps, p.Inner),
		xB: bcDt[0], xC: bcDt[1], xDt: bcDt[2],
		norm: &blocks.StepNorm{Eps: s.NormEps, Dt: s.barelyNamed(name(i, "ssm_dt_norm"), rank).W,
			B: s.barelyNamed(name(i, "ssm_b_norm"), p.State).W, C: s.barelyNamed(name(i, "ssm_c_norm"), p.State).W},
		dt:   graph.Linear{W: s.matrix(name(i, "ssm_dt.weight"), rank, p.Rank), Bias: s.vector(name(i, "ssm_dt.bias"), p.Rank)},
		scan: graph.ScanSpec{Heads: p.Rank, N: p.State, A: s.vector(name(i, "ssm_a"), p.Rank), D: s.vector(name(i, "ssm_d"), p.Rank)},
		out:  s.ffn(name(i, "ssm_out"), p.Inner, s.NEmbd, unscaled),
	}
}

func (m *plamo2SSM) Apply(b *graph.Builder, h *graph.Tensor) *graph.Tensor {
	zx := b.Linear(h, m.in)
	dim := zx.Width / 2 / m.scan.Heads
	z, x := b.Slice(zx, 2*dim, 0, dim), b.Slice(zx, 2*dim, dim, dim)
	x = b.Activate(m.conv.Apply(b, x), graph.SiLU)
	dt, bb, c := m.norm.Apply(b, b.Linear(x, m.xDt), b.Linear(x, m.xB), b.Linear(x, m.xC))
	dt = b.Activate(b.Linear(dt, m.dt), graph.Softplus)
	y := b.Name(b.Scan(x, dt, bb, c, m.scan), "mamba_ssm")
	return b.Name(b.Linear(b.GLU(graph.SiLU, z, y), m.out), "mamba_out")
}

func (m *plamo2) forward() *graph.Graph {
	return m.run(len(m.layers), func(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
		l := &m.layers[i]
		h := l.mix.Apply(b, b.Name(b.Norm(x, l.mixNorm), "attn_norm"))
		x = b.Name(b.Add(x, b.Norm(h, l.mixPost)), "ffn_inp")
		h = l.ffn.Apply(b, b.Name(b.Norm(x, l.ffnNorm), "ffn_norm"))
		return b.Name(b.Add(x, b.Norm(h, l.ffnPost)), "l_out")
	})
}

func init() { register("plamo2", newPLaMo2) }
