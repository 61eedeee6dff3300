package model

import "github.com/llamakit/llamakit/formats/gguf"

// labels are the classes of a reranker.
var labels = []string{"yes", "no"}

// tinyEncoder is a model for embeddings.
func tinyEncoder(arch string) Shape {
	s := tiny(arch)
	s.Layers = 3
	switch arch {
	case "jina-code":
		s.Arch, s.QKNorm = "jina-bert-v2", true
	case "nomic-bert-moe":
		s.Experts, s.ExpertsUsed = 4, 2
	case "bert":
		s.Pooling = 2
	case "qwen3":
		s.Pooling = 4
	case "gemma-embedding":
		s.Layers = 7 // the sixth sees everything
	case "eurobert":
		s.Tied = true
	}
	if s.encodes() {
		s.HeadsKV = s.Heads
	}
	return s
}

// encodes says whether the model has no logits of tokens, and sees a text in both directions.
func (s *Shape) encodes() bool {
	switch s.Arch {
	case "bert", "nomic-bert", "nomic-bert-moe", "jina-bert-v2", "jina-bert-v3", "modern-bert":
		return true
	}
	return false
}

// encoderTensors lists the weights of a model without logits, before its layers.
func (s *Shape) encoderTensors() []tensor {
	list := append([]tensor{{"token_embd.weight", []int{s.Embd, s.Vocab}, 0, 1}}, s.norm("token_embd_norm")...)
	if s.Arch == "modern-bert" {
		list = append(list, norm("output_norm", s.Embd), matrix("cls", s.Embd, s.Embd), norm("cls.norm", s.Embd))
		return append(list, s.classifier()...)
	}
	list = append(list, tensor{"token_types.weight", []int{s.Embd, 2}, 0, 0.5})
	if s.Arch == "bert" {
		list = append(list, matrix("position_embd", s.Embd, s.Context), matrix("cls", s.Embd, s.Embd), bias("cls", s.Embd))
		return append(list, s.classifier()...)
	}
	return list
}

func (s *Shape) classifier() []tensor {
	return []tensor{matrix("cls.output", s.Embd, len(labels)), bias("cls.output", len(labels))}
}

// encoderLayer lists the weights of layer i of such a model.
func (s *Shape) encoderLayer(i int) []tensor {
	if s.Arch == "modern-bert" {
		list := []tensor{matrix("attn_qkv", s.Embd, 3*s.Embd), matrix("attn_output", s.Embd, s.Embd), norm("ffn_norm", s.Embd),
			matrix("ffn_up", s.Embd, 2*s.FF), matrix("ffn_down", s.FF, s.Embd)}
		if i > 0 {
			list = append(list, norm("attn_norm", s.Embd))
		}
		return list
	}
	list := append(s.norm("attn_output_norm"), s.norm("layer_output_norm")...)
	for _, part := range []string{"attn_q", "attn_k", "attn_v", "attn_output"} {
		list = append(list, matrix(part, s.Embd, s.Embd))
		if s.Arch != "nomic-bert" {
			list = append(list, bias(part, s.Embd))
		}
	}
	if s.QKNorm {
		list = append(list, s.norm("attn_q_norm")...)
		list = append(list, s.norm("attn_k_norm")...)
		list = append(list, s.norm("attn_norm_2")...)
	}
	return append(list, s.encoderFFN(i)...)
}

func (s *Shape) encoderFFN(i int) []tensor {
	up, down := matrix("ffn_up", s.Embd, s.FF), matrix("ffn_down", s.FF, s.Embd)
	switch {
	case s.Arch == "nomic-bert":
		return []tensor{up, down, matrix("ffn_gate", s.Embd, s.FF)}
	case s.Arch == "jina-bert-v2" && s.QKNorm:
		return []tensor{up, down, matrix("ffn_gate", s.Embd, s.FF), bias("ffn_down", s.Embd)}
	case s.Arch == "jina-bert-v2":
		return []tensor{matrix("ffn_up", s.Embd, 2*s.FF), down, bias("ffn_down", s.Embd)}
	case s.Experts > 0 && i%2 == 1:
		return []tensor{matrix("ffn_gate_inp", s.Embd, s.Experts), matrix("ffn_up_exps", s.Embd, s.FF, s.Experts),
			matrix("ffn_down_exps", s.FF, s.Embd, s.Experts)}
	}
	return []tensor{up, down, bias("ffn_up", s.FF), bias("ffn_down", s.Embd)}
}

// encoderKeys are the keys of models for embeddings.
func (s *Shape) encoderKeys(set func(string, gguf.Value)) {
	if s.Pooling > 0 {
		set("pooling_type", gguf.Uint32(uint32(s.Pooling)))
	}
	switch s.Arch {
	case "qwen3", "gemma-embedding":
	case "llama-embed", "eurobert":
		set("attention.causal", gguf.Bool(false))
	default:
		if s.encodes() {
			set("attention.causal", gguf.Bool(false))
		}
	}
	switch s.Arch {
	case "nomic-bert-moe":
		set("moe_every_n_layers", gguf.Uint32(2))
	case "modern-bert":
		set("attention.sliding_window", gguf.Uint32(uint32(s.Window)))
		set("rope.freq_base_swa", gguf.Float32(100))
		set("classifier.output_labels", gguf.Strings(labels))
	case "bert", "qwen3":
		if s.Pooling > 0 {
			set("classifier.output_labels", gguf.Strings(labels))
		}
	case "gemma-embedding":
		set("attention.sliding_window", gguf.Uint32(uint32(s.Window)))
		for key, n := range map[string]int{"dense_2_feat_in": s.Embd, "dense_2_feat_out": s.FF, "dense_3_feat_in": s.FF, "dense_3_feat_out": s.Embd} {
			set(key, gguf.Uint32(uint32(n)))
		}
	}
}
