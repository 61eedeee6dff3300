package arch

import (
	"fmt"

	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/formats/gguf"
)

// Nanbeige 4 (arXiv:2512.06266): llama whose layers are gone through num_loops times with the same weights, each time with keys and
// values of its own. Between two loops stands the output norm, unless skip_loop_final_norm.

type nanbeige struct {
	*decoder
	loop       int  // layers in one
	normedLoop bool // the output norm ends every loop
}

func newNanbeige(s *source) architecture {
	loops := s.IntOr("num_loops", 1)
	if loops < 1 || loops > maxLayers/s.NLayer {
		s.fail(fmt.Errorf("%w: key %s.num_loops is %d, want 1 to %d", gguf.ErrCorrupt, s.arch, loops, maxLayers/s.NLayer))
		loops = 1
	}
	m := &nanbeige{decoder: s.decoder(s.rope(graph.RopeNorm, s.ropeFactors()), s.swiGLU(scaled)), loop: s.NLayer}
	m.normedLoop = !s.BoolOr("skip_loop_final_norm", false)
	for i := s.NLayer; i < loops*s.NLayer; i++ { // the .scale tensors count in the first loop alone
		l := m.layers[i%s.NLayer]
		dropScales(&l.attn.Q, &l.attn.K, &l.attn.V, &l.attn.O)
		l.ffn = s.glu(i%s.NLayer, graph.SiLU, unscaled)
		m.layers = append(m.layers, l)
	}
	return m
}

func (m *nanbeige) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	if i > 0 && i%m.loop == 0 && m.normedLoop {
		x = b.Name(b.Norm(x, m.norm), "loop_norm")
	}
	return m.decoder.block(b, x, i)
}

func (m *nanbeige) forward() *graph.Graph { return m.run(len(m.layers), m.block) }

func init() { register("nanbeige", newNanbeige) }
