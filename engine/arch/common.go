package arch

import (
	"fmt"

	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/formats/gguf"
)

// name is the name of a tensor of layer i.
func name(i int, part string) string { return fmt.Sprintf("blk.%d.%s", i, part) }

// ends are the embedding before the layers, and the norm and output matrix after them.
type ends struct {
	embd *graph.Weight     // (NVocab rows of NEmbd)
	norm graph.NormWeights // (NEmbd)
	out  graph.Linear      // (NOutput rows of NEmbd); the embedding itself where a file ties them
}

func (s *source) ends() ends {
	e := ends{embd: s.matrix("token_embd.weight", s.NEmbd, s.NVocab), norm: s.norm(s.lastNorm, s.NEmbd)}
	e.out.W = e.embd
	if s.has("output.weight") {
		e.out.W = s.matrix("output.weight", s.NEmbd, s.NOutput)
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
	heads, headsKV := s.Layers[i].NHead, s.Layers[i].NHeadKV
	nQ, nK, nV := heads*s.HeadDim, headsKV*s.HeadDim, headsKV*s.HeadDimV
	a := blocks.QKV{O: s.proj(name(i, "attn_output"), heads*s.HeadDimV, s.NEmbd)}
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

// qkNorm binds the norms of the heads of layer i.
func (s *source) qkNorm(i int) blocks.QKNorm {
	return blocks.QKNorm{Q: s.rmsNorm(name(i, "attn_q_norm"), s.HeadDim), K: s.rmsNorm(name(i, "attn_k_norm"), s.HeadDim)}
}

// wholeNorm binds the norms of all heads of queries, and of keys, together.
func (s *source) wholeNorm(i int) blocks.QKNorm {
	return blocks.QKNorm{Q: s.rmsNorm(name(i, "attn_q_norm"), s.NHead*s.HeadDim), K: s.rmsNorm(name(i, "attn_k_norm"), s.NHeadKV*s.HeadDim)}
}

// outputGate binds the gate of attention's result in layer i, of as many rows as it has columns or heads.
func (s *source) outputGate(i, rows int, act graph.Activation) blocks.OutputGate {
	return blocks.OutputGate{W: graph.Linear{W: s.matrix(name(i, "attn_gate.weight"), s.NEmbd, rows)}, Act: act}
}

// swiGLU binds the dense SwiGLU block of each layer.
func (s *source) swiGLU(sc scaling) func(layer int) blocks.FFN {
	return func(i int) blocks.FFN { return s.glu(i, graph.SiLU, sc) }
}

// glu binds the dense feed-forward matrices of layer i.
func (s *source) glu(i int, act graph.Activation, sc scaling) *blocks.GLU {
	return s.gluNamed(i, "", s.Layers[i].NFF, act, sc)
}

// gluNamed is glu of tensors with a suffix to their names and a width of their own.
func (s *source) gluNamed(i int, suffix string, width int, act graph.Activation, sc scaling) *blocks.GLU {
	return &blocks.GLU{
		Gate: s.ffn(name(i, "ffn_gate"+suffix), s.NEmbd, width, sc),
		Up:   s.ffn(name(i, "ffn_up"+suffix), s.NEmbd, width, sc),
		Down: s.ffn(name(i, "ffn_down"+suffix), width, s.NEmbd, sc),
		Act:  act,
	}
}

// attention is the specification of attention in an architecture whose layers are alike.
func (s *source) attention() graph.AttentionSpec {
	for i, l := range s.Layers {
		if l.NHead != s.NHead || l.NHeadKV != s.NHeadKV {
			s.fail(fmt.Errorf("%w: layer %d has %d heads and %d key heads, others %d and %d, not known of %s",
				gguf.ErrUnsupported, i, l.NHead, l.NHeadKV, s.NHead, s.NHeadKV, s.arch))
			break
		}
	}
	return s.attentionOf(0)
}

// attentionOf is the specification of attention in layer i, with its head counts and the usual scale. Rows see later ones where
// the file says so, as it does of models for embeddings that were made of decoders.
func (s *source) attentionOf(i int) graph.AttentionSpec {
	return graph.AttentionSpec{Heads: s.Layers[i].NHead, HeadsKV: s.Layers[i].NHeadKV, DimK: s.HeadDim, DimV: s.HeadDimV,
		Scale: 1 / sqrt32(s.HeadDim), Full: !s.BoolOr("attention.causal", true)}
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
	ff := s.Layers[i].NFF
	gateUp := split(s.ffn(name(i, "ffn_up"), s.NEmbd, 2*ff, unscaled), ff, ff)
	return &blocks.GLU{Gate: gateUp[0], Up: gateUp[1], Down: s.ffn(name(i, "ffn_down"), ff, s.NEmbd, unscaled), Act: act}
}
