package arch

import (
	"fmt"

	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// name is the name of a tensor of layer i.
func name(i int, part string) string { return fmt.Sprintf("blk.%d.%s", i, part) }

// ends are the embedding before the layers, and the norm and output matrix after them.
type ends struct {
	embd *graph.Weight // (NVocab rows of NEmbd)
	norm []float32     // (NEmbd)
	out  graph.Linear  // (NVocab rows of NEmbd); the embedding itself where a file ties them
}

func (s *source) ends() ends {
	e := ends{embd: s.matrix("token_embd.weight", s.NEmbd, s.NVocab), norm: s.vector("output_norm.weight", s.NEmbd)}
	e.out.W = e.embd
	if s.has("output.weight") {
		e.out.W = s.matrix("output.weight", s.NEmbd, s.NVocab)
	}
	return e
}

// finish computes the logits of the wanted rows of x.
func (e *ends) finish(b *graph.Builder, x *graph.Tensor, eps float32) (hidden, logits *graph.Tensor) {
	b.SetLayer(-1)
	hidden = b.Name(b.RMSNorm(b.Select(x), e.norm, eps), "result_norm")
	return hidden, b.Name(b.Linear(hidden, e.out), "result_output")
}

// qkv binds the attention matrices of layer i, from one fused matrix where the file has it.
func (s *source) qkv(i int) blocks.QKV {
	nQ, nK, nV := s.NHead*s.HeadDim, s.NHeadKV*s.HeadDim, s.NHeadKV*s.HeadDimV
	a := blocks.QKV{O: s.proj(name(i, "attn_output"), s.NHead*s.HeadDimV, s.NEmbd)}
	if s.has(name(i, "attn_qkv.weight")) {
		parts := split(s.proj(name(i, "attn_qkv"), s.NEmbd, nQ+nK+nV), nQ, nK, nV)
		a.Q, a.K, a.V = parts[0], parts[1], parts[2]
		return a
	}
	a.Q = s.proj(name(i, "attn_q"), s.NEmbd, nQ)
	a.K = s.proj(name(i, "attn_k"), s.NEmbd, nK)
	a.V = s.proj(name(i, "attn_v"), s.NEmbd, nV)
	return a
}

// glu binds the dense feed-forward matrices of layer i.
func (s *source) glu(i int, act graph.Activation, sc scaling) *blocks.GLU {
	return &blocks.GLU{
		Gate: s.ffn(name(i, "ffn_gate"), s.NEmbd, s.NFF, sc),
		Up:   s.ffn(name(i, "ffn_up"), s.NEmbd, s.NFF, sc),
		Down: s.ffn(name(i, "ffn_down"), s.NFF, s.NEmbd, sc),
		Act:  act,
	}
}

// moe binds the experts of layer i.
func (s *source) moe(i int, e experts, sc scaling) *blocks.MoE {
	return &blocks.MoE{
		Router: graph.Linear{W: s.matrix(name(i, "ffn_gate_inp.weight"), s.NEmbd, e.N)},
		GLU: blocks.GLU{
			Gate: s.expertStack(name(i, "ffn_gate_exps"), s.NEmbd, e.NFF, e.N, sc),
			Up:   s.expertStack(name(i, "ffn_up_exps"), s.NEmbd, e.NFF, e.N, sc),
			Down: s.expertStack(name(i, "ffn_down_exps"), e.NFF, s.NEmbd, e.N, sc),
		},
		Used: e.Used,
	}
}

// attention is the specification of a layer with the model's own head counts and the usual scale.
func (s *source) attention() graph.AttentionSpec {
	return graph.AttentionSpec{Heads: s.NHead, HeadsKV: s.NHeadKV, DimK: s.HeadDim, DimV: s.HeadDimV, Scale: 1 / sqrt32(s.HeadDim)}
}

// preNorm are the weights of a pre-norm layer: x += attention(norm(x)); x += ffn(norm(x)).
type preNorm struct {
	attnNorm []float32 // (NEmbd)
	attn     blocks.QKV
	ffnNorm  []float32 // (NEmbd)
	ffn      blocks.FFN
}

func (s *source) preNorm(i int, ffn blocks.FFN) preNorm {
	return preNorm{
		attnNorm: s.vector(name(i, "attn_norm.weight"), s.NEmbd),
		attn:     s.qkv(i),
		ffnNorm:  s.vector(name(i, "ffn_norm.weight"), s.NEmbd),
		ffn:      ffn,
	}
}

// feedForward records the second half of a pre-norm layer.
func (l *preNorm) feedForward(b *graph.Builder, x *graph.Tensor, eps float32) *graph.Tensor {
	h := b.Name(b.RMSNorm(x, l.ffnNorm, eps), "ffn_norm")
	return b.Name(b.Add(x, l.ffn.Apply(b, h)), "l_out")
}

// run records embedding, layers and output. block records layer i.
func (e *ends) run(layers int, eps float32, block func(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor) *graph.Graph {
	b := &graph.Builder{}
	x := b.Name(b.Embed(e.embd), "inp_embd")
	for i := range layers {
		b.SetLayer(i)
		x = block(b, x, i)
	}
	return b.Finish(e.finish(b, x, eps))
}

// fusedGLU binds a gated block whose gate and up matrices are one tensor, gate first.
func (s *source) fusedGLU(i int, act graph.Activation) *blocks.GLU {
	gateUp := split(s.ffn(name(i, "ffn_up"), s.NEmbd, 2*s.NFF, unscaled), s.NFF, s.NFF)
	return &blocks.GLU{Gate: gateUp[0], Up: gateUp[1], Down: s.ffn(name(i, "ffn_down"), s.NFF, s.NEmbd, unscaled), Act: act}
}
