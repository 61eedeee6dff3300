package arch

import (
	"fmt"
	"math"

	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/formats/gguf"
)

// Hunyuan, dense, and the text half of HunyuanOCR (model cards of tencent/Hunyuan-7B-Instruct and tencent/HunyuanOCR): the plain decoder
// with rotary pairs (i, i + Dims/2), norms on the heads of queries and keys after the rotation, and SwiGLU. For long contexts the
// rotary base grows to base·α^(D/(D-2)) (NTK-aware scaling). The sections of HunyuanOCR's rotary embedding make no difference in text.

type hunyuan struct {
	*decoder
	qk []blocks.QKNorm // by layer; weights are (HeadDim)
}

func newHunyuan(s *source) architecture {
	rope := s.rope(graph.RopeNeox, nil)
	if alpha := s.FloatOr("rope.scaling.alpha", 0); alpha != 0 {
		d := float64(s.HeadDim)
		rope.Base *= float32(math.Pow(alpha, d/(d-2)))
		if !(alpha > 0) || s.HeadDim <= 2 || math.IsInf(float64(rope.Base), 0) {
			s.fail(fmt.Errorf("%w: key %s.rope.scaling.alpha is %g with heads of %d columns", gguf.ErrCorrupt, s.arch, alpha, s.HeadDim))
		}
	}
	return s.hunyuan(rope, s.swiGLU(unscaled))
}

func (s *source) hunyuan(rope *graph.RopeSpec, ffn func(layer int) blocks.FFN) *hunyuan {
	m := &hunyuan{decoder: s.decoder(rope, ffn)}
	for i := range s.NLayer {
		m.qk = append(m.qk, s.qkNorm(i))
	}
	return m
}

func (m *hunyuan) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	l := &m.layers[i]
	h := b.Name(b.Norm(x, l.attnNorm), "attn_norm")
	q, k, v := l.attn.Project(b, h)
	q, k = rotate(b, q, k, m.attn.DimK, m.rope)
	q, k = m.qk[i].Heads(b, q, k, m.attn.DimK)
	x = b.Name(b.Add(x, l.attn.Attend(b, q, k, v, m.attn)), "ffn_inp")
	return l.feedForward(b, x)
}

func (m *hunyuan) forward() *graph.Graph { return m.run(len(m.layers), m.block) }

func init() {
	register("hunyuan-dense", newHunyuan)
	register("hunyuan_vl", newHunyuan)
}
