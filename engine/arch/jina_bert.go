package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// Jina Embeddings v2 (arXiv:2310.19923): bert with linear biases on the scores (ALiBi), which fall off on both sides, instead of
// learned positions, and GeGLU. Its models of code (jina-embeddings-v2-base-code) norm all heads of queries, and of keys,
// together, and norm the first residual sum twice, with the layer's input added in between.
//
// Jina Embeddings v3 (arXiv:2409.10173) is XLM-RoBERTa, an MLP with GELU, with rotary pairs (i, i + Dims/2).

const jinaMaxBias = 8 // of ALiBi: files do not say it

type jinaBERT struct {
	encoder
	qk     []*blocks.QKNorm     // by layer, weights are (NHead·HeadDim) and (NHeadKV·HeadDim); nil: none
	second []*graph.NormWeights // by layer, (NEmbd); nil: none
}

func newJinaBERTv2(s *source) architecture {
	m := &jinaBERT{encoder: s.encoder(nil, s.jinaFFN)}
	m.attn.ALiBi = jinaMaxBias
	for i := range s.NLayer {
		m.qk = append(m.qk, s.jinaQKNorm(i))
		m.second = append(m.second, s.secondNorm(i))
	}
	return m
}

// jinaFFN binds GeGLU, its gate and up matrices in one or two tensors, or an MLP.
func (s *source) jinaFFN(i int) blocks.FFN {
	up, ok := s.file.Tensor(name(i, "ffn_up.weight"))
	switch {
	case s.has(name(i, "ffn_gate.weight")):
		return s.glu(i, graph.GELU, unscaled)
	case ok && len(up.Shape) == 2 && up.Shape[1] == s.NFF:
		return s.mlp(graph.GELU)(i)
	}
	return s.fusedGLU(i, graph.GELU)
}

func (s *source) jinaQKNorm(i int) *blocks.QKNorm {
	if !s.has(name(i, "attn_q_norm.weight")) {
		return nil
	}
	return &blocks.QKNorm{Q: s.layerNorm(name(i, "attn_q_norm"), s.NHead*s.HeadDim), K: s.layerNorm(name(i, "attn_k_norm"), s.NHeadKV*s.HeadDim)}
}

func (s *source) secondNorm(i int) *graph.NormWeights {
	if !s.has(name(i, "attn_norm_2.weight")) {
		return nil
	}
	n := s.layerNorm(name(i, "attn_norm_2"), s.NEmbd)
	return &n
}

func (m *jinaBERT) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	l := &m.layers[i]
	q, k, v := l.attn.Project(b, x)
	if m.qk[i] != nil {
		q, k = m.qk[i].Whole(b, q, k)
	}
	attended := l.attn.Attend(b, q, k, v, m.attn)
	if m.second[i] == nil {
		return l.close(b, x, attended)
	}
	h := b.Norm(b.Add(attended, x), l.attnNorm)
	return l.feedForward(b, b.Norm(b.Add(h, x), *m.second[i]))
}

func (m *jinaBERT) forward() *graph.Graph { return m.run(m.block) }

func newJinaBERTv3(s *source) architecture {
	m := s.encoder(s.rope(graph.RopeNeox, nil), s.mlp(graph.GELU))
	return &m
}

func init() {
	register("jina-bert-v2", newJinaBERTv2)
	register("jina-bert-v3", newJinaBERTv3)
}
