package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// MPT (github.com/mosaicml/llm-foundry; model card of mosaicml/mpt-7b): the plain decoder with LayerNorm and an MLP with GELU,
// linear biases on the scores (ALiBi) or learned positions, a bound on queries, keys and values, and norms over all their heads
// where the file has them.

type mpt struct {
	*decoder
	positions    *graph.Weight       // (TrainContext rows of NEmbd); nil: none
	qNorm, kNorm []graph.NormWeights // by layer; of whole rows; nil: none
}

func newMPT(s *source) architecture {
	s.norm = s.layerNorm
	m := &mpt{decoder: s.decoder(nil, s.mptMLP)}
	m.clampQKV(float32(s.FloatOr("attention.clamp_kqv", 0)))
	m.attn.ALiBi = float32(s.FloatOr("attention.max_alibi_bias", 0))
	if s.has("position_embd.weight") {
		m.positions = s.positions()
	}
	if s.has(name(0, "attn_q_norm.weight")) {
		for i := range s.NLayer {
			m.qNorm = append(m.qNorm, s.norm(name(i, "attn_q_norm"), s.NHead*s.HeadDim))
			m.kNorm = append(m.kNorm, s.norm(name(i, "attn_k_norm"), s.NHeadKV*s.HeadDim))
		}
	}
	return m
}

// scaledMLP is an MLP in which the hidden layer is divided by factors that activation-aware quantisation (Lin et al. 2023,
// arXiv:2306.00978) has moved into the weights after it.
type scaledMLP struct {
	blocks.MLP
	inverse []float32 // (NFF)
}

func (s *source) mptMLP(i int) blocks.FFN {
	mlp := s.mlp(graph.GELU)(i)
	scales := s.vectorOr(name(i, "ffn.act.scales"), s.NFF)
	if scales == nil {
		return mlp
	}
	inverse := make([]float32, len(scales))
	for j, v := range scales {
		inverse[j] = 1 / v
	}
	return &scaledMLP{*mlp.(*blocks.MLP), inverse}
}

// Apply records the block.
func (f *scaledMLP) Apply(b *graph.Builder, x *graph.Tensor) *graph.Tensor {
	h := b.Activate(b.Name(b.Linear(x, f.Up), "ffn_up"), f.Act)
	return b.Name(b.Linear(b.ScaleColumns(h, f.inverse), f.Down), "ffn_out")
}

func (m *mpt) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	if i == 0 && m.positions != nil {
		x = b.Name(b.Add(x, b.EmbedPosition(m.positions)), "inpL")
	}
	l := &m.layers[i]
	q, k, v := l.attn.Project(b, b.Name(b.Norm(x, l.attnNorm), "attn_norm"))
	if m.qNorm != nil {
		q, k = b.Norm(q, m.qNorm[i]), b.Norm(k, m.kNorm[i])
	}
	x = b.Name(b.Add(x, l.attn.Attend(b, q, k, v, m.attn)), "ffn_inp")
	return l.feedForward(b, x)
}

func (m *mpt) forward() *graph.Graph { return m.run(len(m.layers), m.block) }

func init() { register("mpt", newMPT) }
