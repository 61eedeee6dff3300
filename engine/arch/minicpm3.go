package arch

import "github.com/llamakit/llamakit/engine/graph"

// MiniCPM3 (model card of openbmb/MiniCPM3-4B): the scales of MiniCPM on layers with latent attention in the plain form, rotary pairs
// (i, i + Dims/2) with longrope's divisors, and SwiGLU. Files do not say the scales.

const (
	minicpm3Embd     = 12
	minicpm3Residual = 1.4 // of all layers together, as a root
	minicpm3Logits   = 256 // by NEmbd
)

type minicpm3 struct {
	*hybrid
	residual, logits float32
}

func newMiniCPM3(s *source) architecture {
	p := s.latent()
	p.rope = s.rope(graph.RopeNeox, s.longropeFactors())
	p.rope.Tail = true
	mix := func(i int) mixer { return s.mla(i, p) }
	return &minicpm3{s.hybrid(s.ends(), mix, s.swiGLU(unscaled)), minicpm3Residual / sqrt32(s.NLayer), minicpm3Logits / float32(s.NEmbd)}
}

func (m *minicpm3) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	l := &m.layers[i]
	if i == 0 {
		x = b.Name(b.Scale(x, minicpm3Embd), "inp_scaled")
	}
	h := b.Name(b.Norm(x, l.mixNorm), "attn_norm")
	x = b.Name(b.Add(x, b.Scale(l.mix.Apply(b, h), m.residual)), "ffn_inp")
	h = b.Name(b.Norm(x, l.ffnNorm), "ffn_norm")
	return b.Name(b.Add(x, b.Scale(l.ffn.Apply(b, h), m.residual)), "l_out")
}

func (m *minicpm3) forward() *graph.Graph { return m.runScaled(len(m.layers), m.logits, m.block) }

func init() { register("minicpm3", newMiniCPM3) }
