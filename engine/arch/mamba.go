package arch

import "github.com/llamakit/llamakit/engine/arch/blocks"

// Mamba (arXiv:2312.00752) and Mamba-2 (arXiv:2405.21060): no attention and no feed-forward block. Falcon Mamba
// (arXiv:2410.05355) norms step, B and C without weights.

func newMamba(s *source) architecture {
	p := s.ssm()
	var norm *blocks.StepNorm
	if s.BoolOr("ssm.dt_b_c_rms", false) {
		norm = &blocks.StepNorm{Eps: s.NormEps}
	}
	return s.hybrid(s.ends(), func(i int) mixer { return s.mamba(i, p, norm) }, nil)
}

func newMamba2(s *source) architecture {
	p := s.ssm()
	return s.hybrid(s.ends(), func(i int) mixer { return s.mamba2(i, p) }, nil)
}

func init() {
	register("mamba", newMamba)
	register("mamba2", newMamba2)
	withoutHeads["mamba"], withoutHeads["mamba2"] = true, true
}
