package model

import (
	"github.com/llamakit/llamakit/formats/gguf"
)

// SSM is the size of recurrent layers.
type SSM struct {
	Inner  int // channels
	State  int // values of state a channel
	Rank   int // columns of Mamba's step; heads in later kinds
	Groups int
	Taps   int // of the convolution
}

func tinyRecurrent(arch string, ssm SSM) Shape {
	s := tiny(arch)
	s.SSM = ssm
	if arch == "mamba" {
		s.Heads, s.HeadsKV, s.HeadDim = 0, 0, 0
	}
	return s
}

// layer lists the weights of layer i.
func (s *Shape) layer(i int) []tensor {
	norm := s.norm("attn_norm")
	switch {
	case s.encodes():
		return s.encoderLayer(i)
	case s.Arch == "mamba":
		return append(norm, s.mamba()...)
	case s.Arch == "falcon-h1":
		return append(append(s.attention(), s.mamba2()...), s.feedForward()...)
	case s.Arch == "qwen35" && s.recurrent(i):
		return append(append(norm, s.deltaNet()...), s.feedForward()...)
	case s.Arch == "lfm2" && s.recurrent(i):
		norm = append(norm, matrix("shortconv.in_proj", s.Embd, 3*s.Embd), matrix("shortconv.conv", s.SSM.Taps, s.Embd),
			matrix("shortconv.out_proj", s.Embd, s.Embd))
		return append(norm, s.feedForward()...)
	}
	return append(s.attention(), s.feedForward()...)
}

// recurrent says whether layer i has no attention, in models that have both.
func (s *Shape) recurrent(i int) bool { return (i+1)%4 != 0 }

func (s *Shape) mamba() []tensor {
	p := s.SSM
	return append(s.conv(p.Inner), matrix("ssm_in", s.Embd, 2*p.Inner), matrix("ssm_x", p.Inner, p.Rank+2*p.State),
		matrix("ssm_dt", p.Rank, p.Inner), bias("ssm_dt", p.Inner), decay(p.State, p.Inner), tensor{"ssm_d", []int{p.Inner}, 1, 0.3},
		matrix("ssm_out", p.Inner, s.Embd))
}

func (s *Shape) mamba2() []tensor {
	p := s.SSM
	mixed := p.Inner + 2*p.Groups*p.State
	return append(s.conv(mixed), matrix("ssm_in", s.Embd, p.Inner+mixed+p.Rank), bias("ssm_dt", p.Rank), decay(1, p.Rank),
		tensor{"ssm_d", []int{1, p.Rank}, 1, 0.3}, tensor{"ssm_norm.weight", []int{p.Inner / p.Groups, p.Groups}, 1, 0.2},
		matrix("ssm_out", p.Inner, s.Embd))
}

func (s *Shape) deltaNet() []tensor {
	p := s.SSM
	mixed := p.Inner + 2*p.Groups*p.State
	return append(s.conv(mixed)[:1], matrix("attn_qkv", s.Embd, mixed), matrix("attn_gate", s.Embd, p.Inner),
		matrix("ssm_alpha", s.Embd, p.Rank), matrix("ssm_beta", s.Embd, p.Rank), bias("ssm_dt", p.Rank), decay(p.Rank),
		norm("ssm_norm", p.Inner/p.Rank), matrix("ssm_out", p.Inner, s.Embd))
}

func (s *Shape) conv(channels int) []tensor {
	return []tensor{matrix("ssm_conv1d", s.SSM.Taps, channels), bias("ssm_conv1d", channels)}
}

// decay has negative values, with a memory of some tokens.
func decay(shape ...int) tensor { return tensor{"ssm_a", shape, -0.5, 0.1} }

// recurrentKeys are the keys of recurrent layers.
func (s *Shape) recurrentKeys(set func(string, gguf.Value)) {
	for key, n := range map[string]int{"ssm.inner_size": s.SSM.Inner, "ssm.state_size": s.SSM.State, "ssm.time_step_rank": s.SSM.Rank,
		"ssm.group_count": s.SSM.Groups, "ssm.conv_kernel": s.SSM.Taps} {
		set(key, gguf.Uint32(uint32(n)))
	}
	switch s.Arch {
	case "qwen35":
		set("full_attention_interval", gguf.Uint32(4))
		set("rope.dimension_sections", gguf.Int32s([]int32{int32(s.HeadDim) / 4, int32(s.HeadDim) / 8, int32(s.HeadDim) / 8, 0}))
	case "lfm2":
		heads := make([]int32, s.Layers)
		for i := range heads {
			if !s.recurrent(i) {
				heads[i] = int32(s.HeadsKV)
			}
		}
		set("attention.head_count_kv", gguf.Int32s(heads))
		set("shortconv.l_cache", gguf.Uint32(uint32(s.SSM.Taps)))
	}
}
