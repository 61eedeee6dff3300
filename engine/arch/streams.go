package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// streams is hybrid with several residual streams: in each layer, twice,
//
//	h = norm(Σ_s read_s·x_s);  x_d = Σ_s mix_sd·x_s + write_d·f(h)
//
// with weights of all streams. The streams begin as the embedding and end as their weighted sum, or mean.
type streams struct {
	*hybrid
	n        int
	mix, ffn []blocks.HyperConnection // by layer
	last     *blocks.HyperConnection  // nil: the mean
}

// maxStreams bounds the residual streams.
const maxStreams = 64

// streams binds the streams of a hybrid. With mixing they are mixed by matrices that are nearly doubly stochastic, else they stay apart.
func (s *source) streams(h *hybrid, mixing bool) *streams {
	spec := graph.StreamSpec{Streams: s.IntIn("hyper_connection.count", 1, maxStreams), Eps: float32(s.Float("hyper_connection.epsilon")), Magnitude: 2}
	n := spec.Streams
	kinds, columns := 2, 2*n
	if mixing {
		spec.Iterations = s.IntIn("hyper_connection.sinkhorn_iterations", 1, 1000)
		kinds, columns = 3, 2*n+n*n
	} else {
		spec.Magnitude, spec.WriteEps = float32(s.Float("hyper_connection.magnitude")), spec.Eps
	}
	m := &streams{hybrid: h, n: n}
	for i := range s.NLayer {
		m.mix = append(m.mix, s.hyperConnection(name(i, "hc_attn"), spec, kinds, columns))
		m.ffn = append(m.ffn, s.hyperConnection(name(i, "hc_ffn"), spec, kinds, columns))
	}
	if s.has("output_hc_fn.weight") {
		last := s.hyperConnection("output_hc", spec, 1, n)
		m.last = &last
	}
	return m
}

func (s *source) hyperConnection(name string, spec graph.StreamSpec, kinds, columns int) blocks.HyperConnection {
	spec.Scale, spec.Base = s.vector(name+"_scale.weight", kinds), s.vector(name+"_base.weight", columns)
	return blocks.HyperConnection{F: graph.Linear{W: s.matrix(name+"_fn.weight", spec.Streams*s.NEmbd, columns)}, Spec: spec, Eps: s.NormEps}
}

func (m *streams) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	l := &m.layers[i]
	if i == 0 {
		x = b.Repeat(x, m.n)
	}
	h, w := m.mix[i].Read(b, x)
	x = m.mix[i].Write(b, x, l.mix.Apply(b, b.Name(b.Norm(h, l.mixNorm), "attn_norm")), w)
	h, w = m.ffn[i].Read(b, x)
	x = m.ffn[i].Write(b, x, l.ffn.Apply(b, b.Name(b.Norm(h, l.ffnNorm), "ffn_norm")), w)
	switch {
	case i < len(m.layers)-1:
		return x
	case m.last == nil:
		return b.MixStreams(x, nil, m.n)
	}
	x, _ = m.last.Read(b, x)
	return x
}

func (m *streams) forward() *graph.Graph { return m.run(len(m.layers), m.block) }
