package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// Talkie (model card of lewtun/talkie-1930-13b-it-hf): pre-norm layers whose norms have no weights, a norm on the embedding, rotary pairs
// (i, i + Dims/2), norms on the heads of queries and keys after the rotation, of queries with one weight a head, and SwiGLU. Each
// layer adds the normed embedding to its result, times a learned number. Gains of the sub-layers are in .scale tensors.

type talkie struct {
	ends       // norm is that of all places, without weights
	layers     []talkieLayer
	attn       graph.AttentionSpec
	rope       *graph.RopeSpec
	logitScale float32 // 0: none
}

type talkieLayer struct {
	attn    blocks.QKV
	qk      blocks.QKNorm
	ffn     *blocks.GLU
	residue float32 // of the embedding
}

func newTalkie(s *source) architecture {
	s.norm = s.bareRMSNorm
	m := &talkie{ends: s.ends(), attn: s.attention(), rope: s.rope(graph.RopeNeox, nil)}
	m.logitScale = float32(s.FloatOr("logit_scale", 0))
	for i := range s.NLayer {
		l := talkieLayer{attn: s.qkv(i), ffn: s.glu(i, graph.SiLU, unscaled)}
		l.qk = blocks.QKNorm{Q: graph.NormWeights{W: s.headGains(name(i, "attn_q_norm.weight")), Eps: s.NormEps}, K: m.norm}
		l.ffn.Down = s.ffn(name(i, "ffn_down"), s.NFF, s.NEmbd, scaled)
		if w := s.vector(name(i, "layer_output_scale.weight"), 1); w != nil {
			l.residue = w[0]
		}
		m.layers = append(m.layers, l)
	}
	return m
}

// headGains binds one weight a head and repeats it for the head's columns.
func (s *source) headGains(name string) []float32 {
	var w []float32
	for _, gain := range s.vector(name, 1, s.NHead) {
		for range s.HeadDim {
			w = append(w, gain)
		}
	}
	return w
}

// block records layer i; embd is the normed embedding.
func (m *talkie) block(b *graph.Builder, x, embd *graph.Tensor, i int) *graph.Tensor {
	l := &m.layers[i]
	h := b.Name(b.Norm(x, m.norm), "attn_norm")
	q, k, v := l.attn.Project(b, h)
	q, k = rotate(b, q, k, m.attn.DimK, m.rope)
	q, k = l.qk.Heads(b, q, k, m.attn.DimK)
	x = b.Name(b.Add(x, l.attn.Attend(b, q, k, v, m.attn)), "ffn_inp")

	h = b.Name(b.Norm(x, m.norm), "ffn_norm")
	x = b.Add(x, l.ffn.Apply(b, h))
	return b.Name(b.Add(x, b.Scale(embd, l.residue)), "l_out")
}

func (m *talkie) forward() *graph.Graph {
	b := &graph.Builder{}
	embd := b.Name(b.Norm(b.Embed(m.embd), m.norm), "inp_norm")
	x := embd
	for i := range m.layers {
		b.SetLayer(i)
		x = m.block(b, x, embd, i)
	}
	hidden, logits := m.finish(b, x)
	return b.Finish(hidden, scale(b, logits, m.logitScale))
}

func init() { register("talkie", newTalkie) }
