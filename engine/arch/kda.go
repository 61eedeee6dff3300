package arch

import (
	"fmt"
	"math"
	"slices"

	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/formats/gguf"
)

// kda binds Kimi Delta Attention in layer i, with a bound of its decay or 0. Decay and gate are matrices of low rank where the file has
// them in two parts.
func (s *source) kda(i int, bound float32) *blocks.KDA {
	d := &blocks.KDA{Heads: s.NHead, Dim: s.IntIn("kda.head_dim", 1, maxWidth), Bound: bound, UnitEps: s.NormEps}
	width, taps := d.Heads*d.Dim, s.IntIn("ssm.conv_kernel", 1, maxTaps)
	if width > maxWidth {
		s.fail(fmt.Errorf("%w: %d heads of %d columns", gguf.ErrCorrupt, d.Heads, d.Dim))
		return d
	}
	for _, part := range []struct {
		to   *blocks.Convolved
		name string
	}{{&d.Q, "q"}, {&d.K, "k"}, {&d.V, "v"}} {
		part.to.Proj.W = s.matrix(name(i, "attn_"+part.name+".weight"), s.NEmbd, width)
		part.to.Conv = blocks.Conv{W: s.vector(name(i, "ssm_conv1d_"+part.name+".weight"), taps, 1, width), Taps: taps}
	}
	d.Decay = s.lowRank(name(i, "ssm_f"), d.Dim, width)
	if last := &d.Decay.B; last.W == nil {
		d.Decay.A.Bias = s.vector(name(i, "ssm_dt.bias"), width)
	} else {
		last.Bias = s.vector(name(i, "ssm_dt.bias"), width)
	}
	for _, a := range s.vector(name(i, "ssm_a"), 1, d.Heads) {
		d.A = append(d.A, slices.Repeat([]float32{a}, d.Dim)...)
	}
	d.Beta.W = s.matrix(name(i, "ssm_beta.weight"), s.NEmbd, d.Heads)
	d.Gate = s.lowRank(name(i, "ssm_g"), d.Dim, width)
	d.Norm = s.rmsNorm(name(i, "ssm_norm"), d.Dim)
	d.Out.W = s.matrix(name(i, "attn_output.weight"), width, s.NEmbd)
	return d
}

// decayBound reads the least logarithm of a decay; 0 where there is none, which files say as minus infinity.
func (s *source) decayBound() float32 {
	bound := s.FloatOr("kda.gate_lower_bound", math.Inf(-1))
	if math.IsInf(bound, -1) {
		return 0
	}
	return float32(bound)
}

// boundKDA is kda with a bound from the file, and A as its logarithm is stored without one: negative.
func (s *source) boundKDA(i int) *blocks.KDA {
	d := s.kda(i, s.decayBound())
	for c := range d.A {
		if d.Bound != 0 {
			d.A[c] = -d.A[c]
		}
	}
	return d
}

// lowRank binds a matrix from NEmbd to out columns: one tensor of that name, or with _a, or _a and _b with rank columns between.
func (s *source) lowRank(name string, rank, out int) (l blocks.LowRank) {
	switch {
	case s.has(name + ".weight"):
		l.A.W = s.matrix(name+".weight", s.NEmbd, out)
	case s.has(name + "_b.weight"):
		l.A.W, l.B.W = s.matrix(name+"_a.weight", s.NEmbd, rank), s.matrix(name+"_b.weight", rank, out)
	default:
		l.A.W = s.matrix(name+"_a.weight", s.NEmbd, out)
	}
	return l
}
