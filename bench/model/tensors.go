package model

import (
	"fmt"
	"math"
	"strings"
)

// tensor is one weight: its shape, and the mean and spread of its values.
type tensor struct {
	name         string
	shape        []int
	mean, spread float64
}

func (t *tensor) elements() int {
	n := 1
	for _, d := range t.shape {
		n *= d
	}
	return n
}

// tensors lists the weights of a shape in file order.
func (s *Shape) tensors() []tensor {
	embd := 1.0
	if s.gemma() {
		embd = 1 / math.Sqrt(float64(s.Embd)) // multiplied by its root in the forward pass
	}
	last := "output_norm"
	if s.Arch == "lfm2" {
		last = "token_embd_norm"
	}
	if s.encodes() {
		return s.inLayers(s.encoderTensors())
	}
	list := append([]tensor{{"token_embd.weight", []int{s.Embd, s.Vocab}, 0, embd}}, s.norm(last)...)
	if !s.Tied {
		list = append(list, matrix("output", s.Embd, s.Vocab))
	}
	switch s.Arch {
	case "llama", "mistral3":
		list = append(list, tensor{"rope_freqs.weight", []int{s.HeadDim / 2}, 3, 1})
	case "gpt2":
		list = append(list, matrix("position_embd", s.Embd, s.Context))
	case "bloom":
		list = append(list, s.norm("token_embd_norm")...)
	case "phi3":
		list = append(list, tensor{"rope_factors_long.weight", []int{s.HeadDim / 2}, 6, 1},
			tensor{"rope_factors_short.weight", []int{s.HeadDim / 2}, 3, 1})
	case "gemma-embedding":
		list = append(list, matrix("dense_2", s.Embd, s.FF), matrix("dense_3", s.FF, s.Embd))
	case "qwen3":
		if s.Pooling > 0 {
			list = append(list, matrix("cls.output", s.Embd, len(labels)))
		}
	}
	return s.inLayers(list)
}

// inLayers adds the weights of the layers.
func (s *Shape) inLayers(list []tensor) []tensor {
	for i := range s.Layers {
		for _, t := range s.layer(i) {
			t.name = fmt.Sprintf("blk.%d.%s", i, t.name)
			list = append(list, t)
		}
	}
	return list
}

func (s *Shape) attention() []tensor {
	q, kv := s.Heads*s.HeadDim, s.HeadsKV*s.HeadDim
	list := append(s.norm("attn_norm"), matrix("attn_output", q, s.Embd))
	switch {
	case s.biased():
		list = append(list, bias("attn_output", s.Embd), matrix("attn_qkv", s.Embd, q+2*kv), bias("attn_qkv", q+2*kv))
	case s.Arch == "phi3":
		list = append(list, matrix("attn_qkv", s.Embd, q+2*kv))
	case s.Arch == "qwen35": // queries and gates
		list = append(list, matrix("attn_q", s.Embd, 2*q), matrix("attn_k", s.Embd, kv), matrix("attn_v", s.Embd, kv))
	default:
		list = append(list, matrix("attn_q", s.Embd, q), matrix("attn_k", s.Embd, kv), matrix("attn_v", s.Embd, kv))
	}
	switch s.Arch {
	case "qwen2", "dream":
		list = append(list, bias("attn_q", q), bias("attn_k", kv), bias("attn_v", kv))
	case "qwen3", "qwen3moe", "qwen35", "lfm2":
		list = append(list, norm("attn_q_norm", s.HeadDim), norm("attn_k_norm", s.HeadDim))
	case "gemma3", "gemma-embedding":
		list = append(list, norm("attn_q_norm", s.HeadDim), norm("attn_k_norm", s.HeadDim), norm("post_attention_norm", s.Embd))
	case "gemma2":
		list = append(list, norm("post_attention_norm", s.Embd))
	}
	return list
}

func (s *Shape) feedForward() []tensor {
	var list []tensor
	switch s.Arch {
	case "cohere2": // reads the rows of attention
	case "qwen35":
		list = s.norm("post_attention_norm")
	case "falcon-h1":
		list = []tensor{{"ffn_norm", []int{s.Embd}, 1, 0.2}}
	default:
		list = s.norm("ffn_norm")
	}
	switch {
	case s.biased():
		return append(list, matrix("ffn_up", s.Embd, s.FF), bias("ffn_up", s.FF), matrix("ffn_down", s.FF, s.Embd), bias("ffn_down", s.Embd))
	case s.Experts > 0:
		return append(list, matrix("ffn_gate_inp", s.Embd, s.Experts),
			matrix("ffn_gate_exps", s.Embd, s.ExpertFF, s.Experts), matrix("ffn_up_exps", s.Embd, s.ExpertFF, s.Experts),
			matrix("ffn_down_exps", s.ExpertFF, s.Embd, s.Experts))
	case s.Arch == "phi3":
		return append(list, matrix("ffn_up", s.Embd, 2*s.FF), matrix("ffn_down", s.FF, s.Embd))
	case s.gemma():
		list = append(list, norm("post_ffw_norm", s.Embd))
	}
	return append(list, matrix("ffn_gate", s.Embd, s.FF), matrix("ffn_up", s.Embd, s.FF), matrix("ffn_down", s.FF, s.Embd))
}

// biased says whether matrices and norms have biases, and the feed-forward block no gate.
func (s *Shape) biased() bool {
	return s.Arch == "gpt2" || s.Arch == "bloom" || s.encodes() && s.Arch != "modern-bert"
}

// gemma says whether norms stand around each part of a layer, and embeddings are multiplied.
func (s *Shape) gemma() bool { return strings.HasPrefix(s.Arch, "gemma") }

// norm is a norm of the stream.
func (s *Shape) norm(name string) []tensor {
	if s.biased() {
		return []tensor{norm(name, s.Embd), bias(name, s.Embd)}
	}
	return []tensor{norm(name, s.Embd)}
}

func norm(name string, n int) tensor { return tensor{name + ".weight", []int{n}, 1, 0.2} }
func bias(name string, n int) tensor { return tensor{name + ".bias", []int{n}, 0, 0.5} }

// matrix has values that keep the size of a normed row, a little enlarged so that attention is awake.
func matrix(name string, shape ...int) tensor {
	return tensor{name + ".weight", shape, 0, 1.3 / math.Sqrt(float64(shape[0]))}
}
