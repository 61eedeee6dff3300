package arch

import (
	"fmt"

	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/formats/gguf"
)

// HRM-Text, after the Hierarchical Reasoning Model (arXiv:2506.21734): two stacks of layers, low and high, that are gone through in
// cycles. From zH = embedding and a learned zL,
//
//	h_cycles times:
//		l_cycles times: zL = low(zL + zH)
//		zH = high(zH + zL)
//
// and zH gives the logits. A stack is layers_per_stack pre-norm layers and a norm; norms have no weights, rotary pairs are (i, i + Dims/2),
// attention has a sigmoid gate on its output. block_count counts the layers as they are gone through, each with keys and values of its own.

type hrmText struct {
	ends                 // norm is that of all places, without weights
	slots     []hrmLayer // in the order of execution
	perStack  int
	lowCycles int       // in each high cycle
	zL        []float32 // (NEmbd)
	attn      graph.AttentionSpec
	rope      *graph.RopeSpec
	embdScale float32 // 0: none
}

type hrmLayer struct {
	attn blocks.QKV
	gate blocks.OutputGate
	ffn  *blocks.GLU
}

func newHRMText(s *source) architecture {
	s.norm = s.bareRMSNorm
	m := &hrmText{ends: s.ends(), attn: s.attention(), rope: s.rope(graph.RopeNeox, nil)}
	m.perStack = s.IntIn("hrm.layers_per_stack", 1, s.NLayer)
	m.lowCycles = s.IntIn("hrm.l_cycles", 1, s.NLayer)
	cycles := s.IntIn("hrm.h_cycles", 1, s.NLayer)
	if s.err() != nil || cycles*(m.lowCycles+1)*m.perStack != s.NLayer {
		s.fail(fmt.Errorf("%w: key %s.block_count is %d, want h_cycles·(l_cycles+1)·layers_per_stack", gguf.ErrCorrupt, s.arch, s.NLayer))
		return m
	}
	m.zL = s.vector("hrm.z_l_init", s.NEmbd)
	m.embdScale = float32(s.FloatOr("embedding_scale", 0))
	for slot := range s.NLayer {
		layer := slot % m.perStack
		if slot/m.perStack%(m.lowCycles+1) == m.lowCycles { // the high stack ends each cycle
			layer += m.perStack
		}
		m.slots = append(m.slots, s.hrmLayer(layer, slot))
	}
	return m
}

// hrmLayer binds the weights of a layer and the scales of the slot in which it runs.
func (s *source) hrmLayer(layer, slot int) hrmLayer {
	l := hrmLayer{attn: s.qkv(layer), gate: s.outputGate(layer, s.NHead*s.HeadDimV, graph.Sigmoid), ffn: s.glu(layer, graph.SiLU, unscaled)}
	for part, p := range map[string]*graph.Linear{"attn_q": &l.attn.Q, "attn_k": &l.attn.K, "attn_v": &l.attn.V, "attn_output": &l.attn.O} {
		p.Scale = s.vectorOr(name(slot, part+".scale"), 1)
	}
	return l
}

func (m *hrmText) block(b *graph.Builder, x *graph.Tensor, slot int) *graph.Tensor {
	l := &m.slots[slot]
	h := b.Name(b.Norm(x, m.norm), "attn_norm")
	q, k, v := l.attn.Project(b, h)
	q, k = rotate(b, q, k, m.attn.DimK, m.rope)
	x = b.Name(b.Add(x, l.gate.Attend(b, &l.attn, h, q, k, v, m.attn)), "ffn_inp")
	h = b.Name(b.Norm(x, m.norm), "ffn_norm")
	return b.Name(b.Add(x, l.ffn.Apply(b, h)), "l_out")
}

// stack goes through one stack, from slot first on.
func (m *hrmText) stack(b *graph.Builder, x *graph.Tensor, first int) *graph.Tensor {
	for slot := first; slot < first+m.perStack; slot++ {
		b.SetLayer(slot)
		x = m.block(b, x, slot)
	}
	return b.Norm(x, m.norm)
}

// sum is zH + zL, the input of a stack; before the first, zL is the learned vector.
func (m *hrmText) sum(b *graph.Builder, zH, zL *graph.Tensor) *graph.Tensor {
	if zL == nil {
		return b.AddVector(zH, m.zL)
	}
	return b.Add(zH, zL)
}

func (m *hrmText) forward() *graph.Graph {
	b := &graph.Builder{}
	zH := b.Name(scale(b, b.Embed(m.embd), m.embdScale), "inp_scaled")
	var zL *graph.Tensor
	for slot := 0; slot < len(m.slots); slot += m.perStack {
		for range m.lowCycles {
			zL = m.stack(b, m.sum(b, zH, zL), slot)
			slot += m.perStack
		}
		zH = m.stack(b, m.sum(b, zH, zL), slot)
	}
	b.SetLayer(-1)
	hidden := b.Name(b.Select(zH), "result_norm")
	return b.Finish(hidden, b.Name(b.Linear(hidden, m.out), "result_output"))
}

func init() { register("hrm_text", newHRMText) }
