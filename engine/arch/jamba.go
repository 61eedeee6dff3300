package arch

import "github.com/llamakit/llamakit/engine/arch/blocks"

// Jamba (arXiv:2403.19887): Mamba layers with norms of step, B and C, and among them attention without positions; each is
// followed by SwiGLU or a mixture of experts, whose weights are not divided by their sum.

func newJamba(s *source) architecture {
	p, moe := s.ssm(), s.experts()
	moe.Normalise = false
	mix := func(i int) mixer {
		if s.recurrent(i) {
			return s.mamba(i, p, s.stepNorm(i, p.Rank, p.State))
		}
		return s.attentionMixer(i, nil, nil)
	}
	return s.hybrid(s.ends(), mix, s.whereRouted(moe, unscaled))
}

// stepNorm binds the norms of a step of rank columns and of B and C.
func (s *source) stepNorm(i, rank, state int) *blocks.StepNorm {
	return &blocks.StepNorm{Eps: s.NormEps, Dt: s.vector(name(i, "ssm_dt_norm.weight"), rank),
		B: s.vector(name(i, "ssm_b_norm.weight"), state), C: s.vector(name(i, "ssm_c_norm.weight"), state)}
}

func init() { register("jamba", newJamba) }
