package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// Llama 4, text (ai.meta.com/blog/llama-4-multimodal-intelligence): llama with a mixture of experts beside a shared one in every step-th
// layer. One expert a token is chosen, and the sigmoid of its logit multiplies its input. Three layers of four attend within chunks of
// 8192 positions and norm the heads of queries and keys, without weights, after the rotation. The fourth sees everything and has no
// rotary embedding; its queries grow with the position: q ·= 1 + 0.1·ln(floor((p+1)/8192) + 1).

// llama.cpp goes by these numbers whatever the file says.
const (
	llama4Chunk     = 8192
	llama4NoPEStep  = 4
	llama4TempScale = 0.1
	llama4BareHeads = 128 // experts of Maverick, which has no norms on heads
)

type llama4 struct {
	*decoder
	windows []int // by layer; 0: none
	qk      blocks.QKNorm
	normed  bool // heads of queries and keys
}

func newLlama4(s *source) architecture {
	moe, step := s.experts(), s.layerStep("interleave_moe_layer_step")
	moe.Gating, moe.Normalise = graph.GateSigmoid, false
	ffn := func(i int) blocks.FFN {
		if (i+1)%step != 0 {
			return s.glu(i, graph.SiLU, unscaled)
		}
		f := s.moe(i, moe, unscaled)
		f.Experts.WeightFirst = true
		return s.withShared(i, f, unscaled)
	}
	m := &llama4{decoder: s.decoder(s.rope(graph.RopeNorm, s.ropeFactors()), ffn), windows: s.windows(4), normed: moe.N != llama4BareHeads}
	m.qk.Q.Eps, m.qk.K.Eps = s.NormEps, s.NormEps
	return m
}

func (m *llama4) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	l, spec := &m.layers[i], m.attn
	if m.windows[i] > 0 {
		spec.Chunk = llama4Chunk
	}
	h := b.Name(b.Norm(x, l.attnNorm), "attn_norm")
	q, k, v := l.attn.Project(b, h)
	if (i+1)%llama4NoPEStep == 0 {
		q = b.Name(b.PosScale(q, llama4TempScale, llama4Chunk, 1), "Qcur_attn_temp_scaled")
	} else {
		q, k = rotate(b, q, k, spec.DimK, m.rope)
		if m.normed {
			q, k = m.qk.Heads(b, q, k, spec.DimK)
		}
	}
	x = b.Name(b.Add(x, l.attn.Attend(b, q, k, v, spec)), "ffn_inp")
	return l.feedForward(b, x)
}

func (m *llama4) forward() *graph.Graph { return m.run(len(m.layers), m.block) }

func init() { register("llama4", newLlama4) }
