package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// mixer is what lets a row see earlier rows of its sequence: attention, or a recurrent layer.
type mixer interface {
	Apply(b *graph.Builder, h *graph.Tensor) *graph.Tensor
}

// hybrid is a pre-norm decoder whose layers mix rows in different ways: in each layer
//
//	x += mix(norm(x))
//	x += ffn(norm(x))
type hybrid struct {
	ends
	layers []hybridLayer
}

// hybridLayer are the weights of one layer.
type hybridLayer struct {
	mixNorm graph.NormWeights // (NEmbd)
	mix     mixer
	ffnNorm graph.NormWeights // (NEmbd)
	ffn     blocks.FFN        // nil: none
}

// hybrid binds a decoder with the mixers and feed-forward blocks that are given for each layer; ffn may be nil.
func (s *source) hybrid(e ends, mix func(layer int) mixer, ffn func(layer int) blocks.FFN) *hybrid {
	m := &hybrid{ends: e}
	for i := range s.NLayer {
		m.layers = append(m.layers, s.hybridLayer(i, mix(i), ffn))
	}
	return m
}

func (s *source) hybridLayer(i int, mix mixer, ffn func(layer int) blocks.FFN) hybridLayer {
	l := hybridLayer{mixNorm: s.norm(name(i, "attn_norm"), s.NEmbd), mix: mix}
	if ffn != nil {
		l.ffnNorm, l.ffn = s.norm(name(i, s.ffnNorm), s.NEmbd), ffn(i)
	}
	return l
}

// recurrent says whether layer i has no attention, by its heads.
func (s *source) recurrent(i int) bool { return s.Layers[i].NHeadKV == 0 }

// attentionMixer binds attention in layer i; rope and qk may be nil.
func (s *source) attentionMixer(i int, rope *graph.RopeSpec, qk *blocks.QKNorm) *blocks.Attention {
	return &blocks.Attention{QKV: s.qkv(i), QK: qk, Spec: s.attentionOf(i), Rope: rope}
}

func (m *hybrid) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	l := &m.layers[i]
	x = b.Add(x, l.mix.Apply(b, b.Name(b.Norm(x, l.mixNorm), "attn_norm")))
	if l.ffn == nil {
		return b.Name(x, "l_out")
	}
	h := b.Name(b.Norm(b.Name(x, "ffn_inp"), l.ffnNorm), "ffn_norm")
	return b.Name(b.Add(x, l.ffn.Apply(b, h)), "l_out")
}

func (m *hybrid) forward() *graph.Graph { return m.run(len(m.layers), m.block) }

// recurrentLayers says of each layer whether it is recurrent: as the file says, or all but the last of every interval.
func (s *source) recurrentLayers(interval int) []bool {
	interval = s.IntOr("full_attention_interval", interval)
	v, _ := s.file.Metadata.Get(s.arch + ".attention.recurrent_layers")
	listed, isList := flagSlice(v)
	out := make([]bool, s.NLayer)
	for i := range out {
		out[i] = interval > 0 && (i+1)%interval != 0
		if isList {
			out[i] = i < len(listed) && listed[i]
		}
	}
	return out
}
