package arch

import (
	"fmt"

	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/formats/gguf"
)

// ssm are the hyper-parameters of recurrent layers.
type ssm struct {
	Inner  int // channels
	State  int // values of state a channel
	Taps   int // of the convolution
	Rank   int // columns of Mamba's step before its projection; heads in later kinds
	Groups int
}

// maxTaps bounds what a convolution keeps of a sequence.
const maxTaps = 1 << 10

func (s *source) ssm() ssm {
	return ssm{Inner: s.IntIn("ssm.inner_size", 1, maxWidth), State: s.IntIn("ssm.state_size", 1, maxHeads),
		Taps: s.IntIn("ssm.conv_kernel", 1, maxTaps), Rank: s.IntIn("ssm.time_step_rank", 1, maxWidth),
		Groups: max(1, s.IntOr("ssm.group_count", 1))}
}

// conv binds the convolution of the given number of channels.
func (s *source) conv(name string, taps, channels int) blocks.Conv {
	return blocks.Conv{W: s.vector(name+".weight", taps, channels), Bias: s.vectorOr(name+".bias", channels), Taps: taps}
}

// mamba binds the Mamba layer i; norm may be nil.
func (s *source) mamba(i int, p ssm, norm *blocks.StepNorm) *blocks.Mamba {
	in := split(s.proj(name(i, "ssm_in"), s.NEmbd, 2*p.Inner), p.Inner, p.Inner)
	dtBC := split(graph.Linear{W: s.matrix(name(i, "ssm_x.weight"), p.Inner, p.Rank+2*p.State)}, p.Rank, p.State, p.State)
	dt := graph.Linear{W: s.matrix(name(i, "ssm_dt.weight"), p.Rank, p.Inner), Bias: s.vector(name(i, "ssm_dt.bias"), p.Inner)}
	return &blocks.Mamba{
		InX: in[0], InZ: in[1], Conv: s.conv(name(i, "ssm_conv1d"), p.Taps, p.Inner),
		XDt: dtBC[0], XB: dtBC[1], XC: dtBC[2], Norm: norm, Dt: dt,
		Scan: graph.ScanSpec{Heads: p.Inner, N: p.State, A: s.vector(name(i, "ssm_a"), p.State, p.Inner),
			D: s.vector(name(i, "ssm_d"), p.Inner)},
		Out: s.proj(name(i, "ssm_out"), p.Inner, s.NEmbd),
	}
}

// mamba2 binds the Mamba-2 layer i. The bias of the step is a tensor of its own.
func (s *source) mamba2(i int, p ssm) *blocks.Mamba2 {
	s.checkHeads(p)
	mixed := p.Inner + 2*p.Groups*p.State
	in := split(s.proj(name(i, "ssm_in"), s.NEmbd, p.Inner+mixed+p.Rank), p.Inner, mixed, p.Rank)
	in[2].Bias = s.vector(name(i, "ssm_dt.bias"), p.Rank)
	return &blocks.Mamba2{
		InZ: in[0], InXBC: in[1], InDt: in[2], Conv: s.conv(name(i, "ssm_conv1d"), p.Taps, mixed), Groups: p.Groups,
		Scan: graph.ScanSpec{Heads: p.Rank, N: p.State, A: s.vector(name(i, "ssm_a"), 1, p.Rank),
			D: s.vector(name(i, "ssm_d"), 1, p.Rank)},
		Norm: s.vectorOr(name(i, "ssm_norm.weight"), p.Inner/max(1, p.Groups), p.Groups), Eps: s.NormEps,
		Out: s.proj(name(i, "ssm_out"), p.Inner, s.NEmbd),
	}
}

// checkHeads refuses channels that cannot be cut into Rank heads, or these into groups.
func (s *source) checkHeads(p ssm) {
	if s.err() == nil && (p.Inner%p.Rank != 0 || p.Rank%p.Groups != 0 || p.Inner == p.Rank) {
		s.fail(fmt.Errorf("%w: %d channels in %d heads in %d groups", gguf.ErrCorrupt, p.Inner, p.Rank, p.Groups))
	}
}
