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
	embd *graph.Weight     // (NVocab rows of NEmbd)
	norm graph.NormWeights // (NEmbd)
	out  graph.Linear      // (NVocab rows of NEmbd); the embedding itself where a file ties them
}

func (s *source) ends() ends {
	e := ends{embd: s.matrix("token_embd.weight", s.NEmbd, s.NVocab), norm: s.norm("output_norm", s.NEmbd)}
	e.out.W = e.embd
	if s.has("output.weight") {
		e.out.W = s.matrix("output.weight", s.NEmbd, s.NVocab)
	}
	return e
}

// finish computes the logits of the wanted rows of x.
func (e *ends) finish(b *graph.Builder, x *graph.Tensor) (hidden, logits *graph.Tensor) {
	b.SetLayer(-1)
	hidden = b.Name(b.Norm(b.Select(x), e.norm), "result_norm")
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

// swiGLU binds the dense SwiGLU block of each layer.
func (s *source) swiGLU(sc scaling) func(layer int) blocks.FFN {
	return func(i int) blocks.FFN { return s.glu(i, graph.SiLU, sc) }
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

// run records embedding, layers and output. block records layer i.
func (e *ends) run(layers int, block func(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor) *graph.Graph {
	return e.runScaled(layers, 0, block)
}

// runScaled is run with logits multiplied by a scale; 0: none.
func (e *ends) runScaled(layers int, logitScale float32, block func(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor) *graph.Graph {
	b := &graph.Builder{}
	x := b.Name(b.Embed(e.embd), "inp_embd")
	for i := range layers {
		b.SetLayer(i)
		x = block(b, x, i)
	}
	hidden, logits := e.finish(b, x)
	return b.Finish(hidden, scale(b, logits, logitScale))
}

// fusedGLU binds a gated block whose gate and up matrices are one tensor, gate first.
func (s *source) fusedGLU(i int, act graph.Activation) *blocks.GLU {
	gateUp := split(s.ffn(name(i, "ffn_up"), s.NEmbd, 2*s.NFF, unscaled), s.NFF, s.NFF)
	return &blocks.GLU{Gate: gateUp[0], Up: gateUp[1], Down: s.ffn(name(i, "ffn_down"), s.NFF, s.NEmbd, unscaled), Act: act}
}

// withShared adds the shared expert of layer i to a mixture, where its width is not 0.
func (s *source) withShared(i int, m *blocks.MoE, width int) blocks.FFN {
	if width == 0 {
		return m
	}
	return &blocks.Shared{MoE: m, GLU: &blocks.GLU{
		Gate: s.ffn(name(i, "ffn_gate_shexp"), s.NEmbd, width, unscaled),
		Up:   s.ffn(name(i, "ffn_up_shexp"), s.NEmbd, width, unscaled),
		Down: s.ffn(name(i, "ffn_down_shexp"), width, s.NEmbd, unscaled),
	}}
}
