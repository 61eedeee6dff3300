package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// Command R and R+ (model cards of CohereForAI/c4ai-command-r-v01 and -plus): the parallel decoder with LayerNorm without bias,
// rotary pairs (2i, 2i+1) and SwiGLU, logits multiplied by a scale, output tied to the embedding. R+ has norms on the heads of
// queries and keys, with weights of their own for each head.

type commandR struct {
	parallel
	qk         []blocks.QKNorm // by layer; nil: none
	logitScale float32
}

func newCommandR(s *source) architecture {
	s.norm = s.layerNorm
	m := &commandR{parallel: s.parallel(s.rope(graph.RopeNorm, nil), s.swiGLU(unscaled)), qk: s.headNorms()}
	m.logitScale = float32(s.Float("logit_scale"))
	return m
}

func (m *commandR) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	l := &m.layers[i]
	h := b.Name(b.Norm(x, l.attnNorm), "attn_norm")
	q, k, v := l.attn.Project(b, h)
	if m.qk != nil {
		q, k = m.qk[i].Heads(b, q, k, m.attn.DimK)
	}
	q, k = rotate(b, q, k, m.attn.DimK, m.rope)
	return l.sum(b, x, l.attn.Attend(b, q, k, v, m.attn), h)
}

func (m *commandR) forward() *graph.Graph { return m.runScaled(len(m.layers), m.logitScale, m.block) }

func init() { register("command-r", newCommandR) }
