package model

import (
	"fmt"
	"math/rand/v2"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/quant"
)

// Write makes a model file of the given shape, with matrices of type t. The same seed gives the same file.
func Write(path string, s Shape, t quant.Type, seed uint64) error {
	return WriteAs(path, s, AllOf(t), seed)
}

// WriteAs is Write with types that may differ from matrix to matrix.
func WriteAs(path string, s Shape, types Types, seed uint64) error {
	list, md := s.tensors(), s.metadata()
	infos := make([]gguf.TensorInfo, len(list))
	for i := range list {
		infos[i] = gguf.TensorInfo{Name: list[i].name, Shape: list[i].shape}
	}
	if err := types(md, infos); err != nil {
		return err
	}
	out, err := gguf.Create(path, md, infos)
	if err != nil {
		return err
	}
	defer out.Abort() // without effect after Commit
	for i := range list {
		data, err := list[i].random(infos[i].Type, rand.New(rand.NewPCG(seed, uint64(i))))
		if err != nil {
			return err
		}
		if err := out.WriteTensor(data); err != nil {
			return err
		}
	}
	return out.Commit()
}

func (s *Shape) metadata() *gguf.Metadata {
	md := gguf.NewMetadata()
	set := func(key string, v gguf.Value) { md.Set(s.Arch+"."+key, v) }
	u32 := func(n int) gguf.Value { return gguf.Uint32(uint32(n)) }
	md.Set("general.architecture", gguf.String(s.Arch))
	md.Set("general.name", gguf.String("random weights"))
	set("context_length", u32(s.Context))
	set("embedding_length", u32(s.Embd))
	set("block_count", u32(s.Layers))
	set("feed_forward_length", u32(s.FF))
	set("attention.head_count", u32(s.Heads))
	set("attention.head_count_kv", u32(s.HeadsKV))
	set("attention.key_length", u32(s.HeadDim))
	set("attention.value_length", u32(s.HeadDim))
	set("attention."+s.epsilonKey(), gguf.Float32(1e-6))
	set("rope.dimension_count", u32(s.HeadDim))
	set("rope.freq_base", gguf.Float32(s.RopeBase))
	set("vocab_size", u32(s.Vocab))
	if s.Experts > 0 {
		set("expert_count", u32(s.Experts))
		set("expert_used_count", u32(s.ExpertsUsed))
		set("expert_feed_forward_length", u32(s.ExpertFF))
	}
	s.extras(set)
	s.encoderKeys(set)
	if s.SSM.Taps > 0 {
		s.recurrentKeys(set)
	}
	if s.encodes() {
		s.wordPieces(md)
	} else {
		s.vocabulary(md)
	}
	return md
}

// epsilonKey names the epsilon of the kind of norm that the architecture has.
func (s *Shape) epsilonKey() string {
	if s.biased() || s.Arch == "cohere2" || s.Arch == "modern-bert" {
		return "layer_norm_epsilon"
	}
	return "layer_norm_rms_epsilon"
}

// extras are keys of single architectures.
func (s *Shape) extras(set func(string, gguf.Value)) {
	switch s.Arch {
	case "gemma2":
		set("attn_logit_softcapping", gguf.Float32(5))
		set("final_logit_softcapping", gguf.Float32(3))
		set("attention.sliding_window", gguf.Uint32(uint32(s.Window)))
	case "gemma3":
		set("attention.sliding_window", gguf.Uint32(uint32(s.Window)))
		set("rope.freq_base_swa", gguf.Float32(100))
	case "cohere2":
		set("attention.sliding_window", gguf.Uint32(uint32(s.Window)))
		set("logit_scale", gguf.Float32(0.25))
	case "phi3":
		set("rope.scaling.original_context_length", gguf.Uint32(uint32(s.Context)))
		set("rope.scaling.attn_factor", gguf.Float32(1.1))
	case "mistral3":
		set("rope.scaling.type", gguf.String("yarn"))
		set("rope.scaling.factor", gguf.Float32(4))
		set("rope.scaling.original_context_length", gguf.Uint32(16))
		set("rope.scaling.yarn_log_multiplier", gguf.Float32(0.5))
		set("attention.temperature_scale", gguf.Float32(0.3))
	}
}

// vocabulary is one that has numbered tokens and cannot split text.
func (s *Shape) vocabulary(md *gguf.Metadata) {
	tokens, types := make([]string, s.Vocab), make([]int32, s.Vocab)
	for i := range tokens {
		tokens[i], types[i] = fmt.Sprintf("tok_%d", i), 1
	}
	md.Set("tokenizer.ggml.model", gguf.String("test"))
	md.Set("tokenizer.ggml.tokens", gguf.Strings(tokens))
	md.Set("tokenizer.ggml.token_type", gguf.Int32s(types))
	md.Set("tokenizer.ggml.scores", gguf.Float32s(make([]float32, s.Vocab)))
	md.Set("tokenizer.ggml.merges", gguf.Strings(nil))
	md.Set("tokenizer.ggml.add_bos_token", gguf.Bool(false))
}
