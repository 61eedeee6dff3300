package hf

import (
	"math"

	"github.com/llamakit/llamakit/formats/gguf"
)

// llamaRules are Llama's: rotary projections are stored with the halves of each head apart, llama.cpp wants them as pairs.
var llamaRules = with(decoderRules, map[string]rule{
	layer + "self_attn.q_proj":               {to: "blk.{}.attn_q", heads: headsQ},
	layer + "self_attn.k_proj":               {to: "blk.{}.attn_k", heads: headsK},
	layer + "block_sparse_moe.gate":          {to: "blk.{}.ffn_gate_inp"},
	layer + "block_sparse_moe.experts.{}.w1": {to: "blk.{}.ffn_gate_exps"},
	layer + "block_sparse_moe.experts.{}.w2": {to: "blk.{}.ffn_down_exps"},
	layer + "block_sparse_moe.experts.{}.w3": {to: "blk.{}.ffn_up_exps"},
})

func llamaParams(p *params) {
	p.usual()
	p.u32("vocab_size", p.Int("vocab_size"))
	p.u32("rope.dimension_count", p.headDim())
}

// shifted are the norms of Gemma's layers, which multiply by 1 + w; GGUF holds the sum.
var shifted = map[string]rule{
	"model.norm":                         {to: "output_norm", add: 1},
	layer + "input_layernorm":            {to: "blk.{}.attn_norm", add: 1},
	layer + "post_attention_layernorm":   {to: "blk.{}.post_attention_norm", add: 1},
	layer + "pre_feedforward_layernorm":  {to: "blk.{}.ffn_norm", add: 1},
	layer + "post_feedforward_layernorm": {to: "blk.{}.post_ffw_norm", add: 1},
	layer + "self_attn.q_norm":           {to: "blk.{}.attn_q_norm", add: 1},
	layer + "self_attn.k_norm":           {to: "blk.{}.attn_k_norm", add: 1},
	"lm_head":                            {},
}

func withoutPrefixSpace(v *Vocabulary) {
	if v.Model == "llama" {
		v.prefix = new(bool)
	}
}

func gemma2Params(p *params) {
	p.usual()
	p.f32("attn_logit_softcapping", p.Float("attn_logit_softcapping"))
	p.f32("final_logit_softcapping", p.Float("final_logit_softcapping"))
	p.u32("attention.sliding_window", p.Int("sliding_window"))
}

func gemma3Params(p *params) {
	for key, standard := range map[string]float64{"max_position_embeddings": 131072, "num_attention_heads": 8, "num_key_value_heads": 4,
		"rms_norm_eps": 1e-6, "head_dim": 256} {
		if !p.Has(key) {
			p.values[key] = standard
		}
	}
	p.usual()
	if r := p.rope(); !r.Has("rope_theta") {
		p.f32("rope.freq_base", 1e6)
	}
	if p.Has("final_logit_softcapping") {
		p.f32("final_logit_softcapping", p.Float("final_logit_softcapping"))
	}
	if p.IntOr(0, "sliding_window_pattern") != 1 {
		p.u32("attention.sliding_window", p.Int("sliding_window"))
	}
}

func phi3Params(p *params) {
	p.usual()
	r := p.rope()
	dims := int(r.FloatOr(1, "partial_rotary_factor")*float64(p.Int("hidden_size"))) / max(1, headsQ(p.Config))
	p.u32("rope.dimension_count", dims)
	original := r.IntOr(p.Int("max_position_embeddings"), "original_max_position_embeddings")
	p.u32("rope.scaling.original_context_length", original)
	p.u32("attention.sliding_window", p.IntOr(0, "sliding_window"))
	p.keep(r)
}

// phi3Longrope adds longrope's two sets of divisors, and the factor of cosines and sines that goes with them.
func phi3Longrope(p *params) {
	r := p.rope()
	long, short := r.floats("long_factor"), r.floats("short_factor")
	if len(long) == 0 {
		return
	}
	if len(long) != len(short) {
		p.fail("long_factor has %d numbers, short_factor %d", len(long), len(short))
	}
	longest := float64(p.Int("max_position_embeddings"))
	original := r.FloatOr(longest, "original_max_position_embeddings")
	factor := 1.0
	if scale := longest / original; scale > 1 {
		switch kind := r.Str("rope_type"); kind {
		case "su", "longrope":
			factor = math.Sqrt(1 + math.Log(scale)/math.Log(original))
		case "yarn":
			factor = 0.1*math.Log(scale) + 1
		default:
			p.fail("rope_type %q with long_factor is not known", kind)
		}
	}
	p.f32("rope.scaling.attn_factor", factor)
	p.keep(r)
	p.add("rope_factors_long.weight", long)
	p.add("rope_factors_short.weight", short)
}

func mistral3Params(p *params) {
	llamaParams(p)
	if p.Str("model_type") != "ministral3" {
		return
	}
	r := p.rope()
	p.f32("rope.scaling.yarn_log_multiplier", r.Float("mscale_all_dim"))
	p.f32("attention.temperature_scale", r.Float("llama_4_scaling_beta"))
	p.keep(r)
}

func init() {
	families = []*Family{
		{Arch: "llama", Classes: []string{"LlamaForCausalLM", "LLaMAForCausalLM", "MistralForCausalLM", "MixtralForCausalLM"},
			Rules: llamaRules, Params: llamaParams, Extra: (*params).llama3Factors},
		{Arch: "smollm3", Classes: []string{"SmolLM3ForCausalLM"}, Rules: llamaRules, Params: llamaParams, Extra: (*params).llama3Factors},
		{Arch: "mistral3", Classes: []string{"Mistral3ForConditionalGeneration", "Ministral3ForCausalLM"}, Skip: seeing,
			Rules: llamaRules, Params: mistral3Params, Extra: (*params).llama3Factors},
		{Arch: "qwen2", Classes: []string{"Qwen2ForCausalLM"}, Rules: decoderRules, Params: (*params).usual},
		{Arch: "qwen3", Classes: []string{"Qwen3ForCausalLM"}, Rules: with(decoderRules, qkNorms), Params: (*params).usual},
		{Arch: "qwen3moe", Classes: []string{"Qwen3MoeForCausalLM"},
			Rules: with(with(decoderRules, qkNorms), map[string]rule{
				layer + "mlp.gate":                 {to: "blk.{}.ffn_gate_inp"},
				layer + "mlp.experts.{}.gate_proj": {to: "blk.{}.ffn_gate_exps"},
				layer + "mlp.experts.{}.up_proj":   {to: "blk.{}.ffn_up_exps"},
				layer + "mlp.experts.{}.down_proj": {to: "blk.{}.ffn_down_exps"},
			}),
			Params: func(p *params) {
				p.usual()
				p.u32("expert_feed_forward_length", p.Int("moe_intermediate_size"))
			}},
		{Arch: "gemma", Classes: []string{"GemmaForCausalLM"}, Vocab: withoutPrefixSpace, Params: (*params).usual,
			Rules: with(with(decoderRules, shifted), map[string]rule{layer + "post_attention_layernorm": {to: "blk.{}.ffn_norm", add: 1}})},
		{Arch: "gemma2", Classes: []string{"Gemma2ForCausalLM"}, Vocab: withoutPrefixSpace, Params: gemma2Params, Rules: with(decoderRules, shifted)},
		{Arch: "gemma3", Classes: []string{"Gemma3ForCausalLM", "Gemma3ForConditionalGeneration"}, Skip: seeing,
			Vocab: withoutPrefixSpace, Params: gemma3Params,
			Rules: with(with(decoderRules, shifted), map[string]rule{"lm_head": {to: "output", head: true}})},
		{Arch: "phi3", Classes: []string{"Phi3ForCausalLM"}, Params: phi3Params, Extra: phi3Longrope,
			Rules: with(decoderRules, map[string]rule{
				layer + "self_attn.qkv_proj": {to: "blk.{}.attn_qkv"},
				layer + "mlp.gate_up_proj":   {to: "blk.{}.ffn_up"},
			})},
	}
}

// Names of the output types, as the file names and general.file_type have them.
var fileTypes = map[string]uint32{"F32": 0, "F16": 1, "Q8_0": 7, "BF16": 32}

func setFileType(md *gguf.Metadata, name string) {
	md.Set("general.file_type", gguf.Uint32(fileTypes[name]))
}
