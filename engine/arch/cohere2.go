package arch

import "github.com/llamakit/llamakit/engine/graph"

// Command R7B and Command A (arXiv:2504.00698): command-r with a sliding window in three layers of four; only those have a rotary
// embedding.

type cohere2 struct {
	parallel
	windows    []int // by layer; 0: none
	logitScale float32
}

func newCohere2(s *source) architecture {
	s.norm = s.layerNorm
	m := &cohere2{parallel: s.parallel(s.rope(graph.RopeNorm, nil), s.swiGLU(scaled)), windows: s.windows(4)}
	m.logitScale = float32(s.Float("logit_scale"))
	return m
}

func (m *cohere2) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	l, spec, rope := &m.layers[i], m.attn, m.rope
	if spec.Window = m.windows[i]; spec.Window == 0 {
		rope = nil
	}
	h := b.Name(b.Norm(x, l.attnNorm), "attn_norm")
	return l.sum(b, x, l.attention(b, h, spec, rope), h)
}

func (m *cohere2) forward() *graph.Graph { return m.runScaled(len(m.layers), m.logitScale, m.block) }

func init() { register("cohere2", newCohere2) }
