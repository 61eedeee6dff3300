package hf

import "math"

// mixtral are the experts of Mixtral, under the names that many took over.
var mixtral = names(layer, "block_sparse_moe.gate", "ffn_gate_inp", "block_sparse_moe.experts.{}.w1", "ffn_gate_exps",
	"block_sparse_moe.experts.{}.w2", "ffn_down_exps", "block_sparse_moe.experts.{}.w3", "ffn_up_exps")

// afterNorms are norms after attention and after the feed-forward network, none before (OLMo 2).
var afterNorms = rules(without(decoderRules, layer+"input_layernorm"), names(layer, "post_attention_layernorm", "post_attention_norm",
	"post_feedforward_layernorm", "post_ffw_norm"))

// plusOne adds one to norms that multiply by 1 + w.
func plusOne(table map[string]rule, keys ...string) map[string]rule {
	out := rules(table)
	for _, k := range keys {
		r := out[k]
		r.add = 1
		out[k] = r
	}
	return out
}

func init() {
	register(&Family{Arch: "olmo", Classes: []string{"OlmoForCausalLM", "OLMoForCausalLM"}, Params: olmoParams,
		Rules: without(llamaRules, "model.norm", layer+"input_layernorm", layer+"post_attention_layernorm")})
	register(&Family{Arch: "olmo2", Classes: []string{"Olmo2ForCausalLM", "Olmo3ForCausalLM"}, Params: olmo2Params, Rules: rules(afterNorms, qkNorms)})
	register(&Family{Arch: "olmoe", Classes: []string{"OlmoeForCausalLM"}, Params: olmoeParams, Rules: rules(decoderRules, qkNorms, experts)})
	register(&Family{Arch: "phi2", Classes: []string{"PhiForCausalLM"}, Params: phi2Params, Rules: rules(decoderRules,
		ends("model.embed_tokens", "model.final_layernorm", "lm_head"), names(layer, "self_attn.dense", "attn_output", "mlp.fc1", "ffn_up", "mlp.fc2", "ffn_down"))})
	register(&Family{Arch: "phimoe", Classes: []string{"PhiMoEForCausalLM"}, Params: phi3Params, Extra: phi3Longrope, Rules: rules(decoderRules, mixtral)})
	register(&Family{Arch: "stablelm", Classes: []string{"StableLmForCausalLM", "StableLMEpochForCausalLM"}, Params: stablelmParams,
		Rules: rules(decoderRules, names(layer, "self_attn.q_layernorm.norms.{}", "attn_q_norm", "self_attn.k_layernorm.norms.{}", "attn_k_norm"))})
	register(&Family{Arch: "command-r", Classes: []string{"CohereForCausalLM"}, Params: cohereParams, Rules: rules(without(decoderRules, "lm_head"), qkNorms)})
	register(&Family{Arch: "cohere2", Classes: []string{"Cohere2ForCausalLM"}, Params: cohere2Params, Rules: without(decoderRules, "lm_head")})
	register(&Family{Arch: "cohere2moe", Classes: []string{"Cohere2MoeForCausalLM"}, Mixed: true, Params: cohere2moeParams,
		Rules: rules(decoderRules, experts, sharedExperts)})
	register(&Family{Arch: "nemotron", Classes: []string{"NemotronForCausalLM"}, Params: nemotronParams,
		Rules: plusOne(decoderRules, "model.norm", layer+"input_layernorm", layer+"post_attention_layernorm")})
	register(&Family{Arch: "minicpm", Classes: []string{"MiniCPMForCausalLM"}, Params: minicpmParams, Extra: longFactors, Rules: llamaRules})
	register(&Family{Arch: "minicpm3", Classes: []string{"MiniCPM3ForCausalLM"}, Params: minicpm3Params, Extra: longFactors,
		Rules: rules(decoderRules, latent, names(layer, "self_attn.kv_b_proj", "attn_kv_b"))})
	register(&Family{Arch: "internlm2", Classes: []string{"InternLM2ForCausalLM"}, Params: (*params).usual, Rules: rules(
		ends("model.tok_embeddings", "model.norm", "output"), names(layer, "attention_norm", "attn_norm", "attention.wo", "attn_output",
			"ffn_norm", "ffn_norm", "feed_forward.w1", "ffn_gate", "feed_forward.w2", "ffn_down", "feed_forward.w3", "ffn_up"), map[string]rule{
			layer + "attention.wqkv": {to: "blk.{}.attn_q", rows: then(groupByGroup(0), rotary(headsQ)), also: []rule{
				{to: "blk.{}.attn_k", rows: then(groupByGroup(1), rotary(headsK))}, {to: "blk.{}.attn_v", rows: groupByGroup(2)}}},
		})})
	register(&Family{Arch: "baichuan", Classes: []string{"BaichuanForCausalLM", "BaiChuanForCausalLM"}, Params: baichuanParams,
		Rules: rules(without(decoderRules, layer+"self_attn.q_proj", layer+"self_attn.k_proj", layer+"self_attn.v_proj"), map[string]rule{
			layer + "self_attn.W_pack": {to: "blk.{}.attn_q", rows: then(share(0, 3), rotary(headsQ)), also: []rule{
				{to: "blk.{}.attn_k", rows: then(share(1, 3), rotary(headsK))}, {to: "blk.{}.attn_v", rows: share(2, 3)}}},
		})})
	register(&Family{Arch: "xverse", Classes: []string{"XverseForCausalLM"}, Params: baichuanParams, Rules: llamaRules})
	register(&Family{Arch: "orion", Classes: []string{"OrionForCausalLM"}, Params: orionParams, Rules: decoderRules})
	register(&Family{Arch: "exaone", Classes: []string{"ExaoneForCausalLM"}, Params: exaoneParams, Extra: (*params).llama3Factors, Rules: rules(
		ends("transformer.wte", "transformer.ln_f", "lm_head"), names(block, "ln_1", "attn_norm", "attn.attention.q_proj", "attn_q", "attn.attention.k_proj", "attn_k",
			"attn.attention.v_proj", "attn_v", "attn.attention.out_proj", "attn_output", "ln_2", "ffn_norm", "mlp.c_fc_0", "ffn_gate", "mlp.c_fc_1", "ffn_up", "mlp.c_proj", "ffn_down"))})
	register(&Family{Arch: "exaone4", Classes: []string{"Exaone4ForCausalLM"}, Params: exaone4Params, Extra: (*params).llama3Factors, Rules: rules(afterNorms, qkNorms)})
	register(&Family{Arch: "exaone-moe", Classes: []string{"ExaoneMoEForCausalLM", "ExaoneMoeForCausalLM"}, Mixed: true, Params: exaoneMoeParams,
		Extra: (*params).llama3Factors, Rules: rules(decoderRules, qkNorms, experts, sharedExperts, correction("mlp.e_score_correction_bias"))})
	register(&Family{Arch: "pangu-embedded", Classes: []string{"PanguEmbeddedForCausalLM"}, Params: panguParams, Rules: decoderRules})
	register(&Family{Arch: "nanbeige", Classes: []string{"NanbeigeForCausalLM"}, Params: nanbeigeParams, Rules: llamaRules, Extra: (*params).llama3Factors})
	register(&Family{Arch: "plamo", Classes: []string{"PlamoForCausalLM"}, Params: plamoParams, Rules: plamoRules})
	register(&Family{Arch: "arctic", Classes: []string{"ArcticForCausalLM"}, Mixed: true, Params: llamaParams, Rules: rules(llamaRules, names(layer,
		"residual_layernorm", "ffn_norm", "post_attention_layernorm", "ffn_norm_exps", "residual_mlp.w1", "ffn_gate", "residual_mlp.w2", "ffn_down", "residual_mlp.w3", "ffn_up"))})
	register(&Family{Arch: "deci", Classes: []string{"DeciLMForCausalLM"}, Params: deciParams, Rules: llamaRules, Extra: (*params).llama3Factors})
}

func olmoParams(p *params) {
	p.usual()
	p.f32("attention.layer_norm_epsilon", 1e-5)
	p.optionalFloat("attention.clamp_kqv", "clip_qkv")
}

// olmo2Params has a window in three of four layers where there is one (OLMo 3).
func olmo2Params(p *params) {
	p.usual()
	if !p.Has("sliding_window") {
		return
	}
	p.u32("attention.sliding_window", p.Int("sliding_window"))
	kinds := make([]bool, max(0, min(p.Int(layerKeys...), maxLayers)))
	for i := range kinds {
		kinds[i] = (i+1)%4 != 0
	}
	if p.Has("layer_types") {
		kinds = p.layerKinds("sliding_attention")
	}
	p.bools("attention.sliding_window_pattern", kinds)
}

// maxLayers bounds what config.json can claim.
const maxLayers = 1 << 12

func olmoeParams(p *params) {
	p.setDefault("rms_norm_eps", 1e-5)
	p.usual()
}

func phi2Params(p *params) {
	p.fourfold()
	p.usual()
	p.rotated(0.4)
}

func stablelmParams(p *params) {
	p.usual()
	p.optionalFloat("attention.layer_norm_epsilon", "layer_norm_eps", "norm_eps")
	p.rotated(0.25)
	p.bool("use_parallel_residual", p.Bool(true, "use_parallel_residual"))
}

func cohereParams(p *params) {
	p.usual()
	p.optional("context_length", "model_max_length", "max_position_embeddings")
	p.f32("logit_scale", p.Float("logit_scale"))
	p.noScaling()
}

func cohere2Params(p *params) {
	p.usual()
	p.f32("logit_scale", p.Float("logit_scale"))
	p.u32("attention.sliding_window", p.Int("sliding_window"))
	p.u32("vocab_size", p.rows)
	p.u32("rope.dimension_count", int(p.FloatOr(1, "rotary_pct")*float64(p.headDim())))
	p.noScaling()
}

func cohere2moeParams(p *params) {
	p.usual()
	p.moe()
	p.f32("logit_scale", p.Float("logit_scale"))
	p.sliding()
	p.u32("vocab_size", p.rows)
	width := p.Int("intermediate_size")
	p.u32("expert_feed_forward_length", width)
	if n := p.IntOr(0, "num_shared_experts"); n > 0 {
		p.u32("expert_shared_feed_forward_length", width*n)
	}
	p.u32("rope.dimension_count", p.headDim())
	p.noScaling()
}

func nemotronParams(p *params) {
	p.usual()
	p.u32("vocab_size", p.rows)
	p.f32("attention.layer_norm_epsilon", p.Float("layer_norm_eps", "layer_norm_epsilon", "norm_epsilon", "norm_eps"))
	p.rotated(0.5)
}

// minicpmParams scales the embedding, what layers add, and the logits (MiniCPM).
func minicpmParams(p *params) {
	p.usual()
	p.u32("rope.dimension_count", p.headDim())
	p.f32("embedding_scale", p.Float("scale_emb"))
	p.f32("residual_scale", p.Float("scale_depth")/math.Sqrt(float64(max(1, p.Int(layerKeys...)))))
	p.f32("logit_scale", p.Float("hidden_size")/math.Max(1, p.Float("dim_model_base")))
}

func minicpm3Params(p *params) {
	p.usual()
	p.u32("vocab_size", p.rows)
	p.optional("attention.q_lora_rank", "q_lora_rank")
	p.u32("attention.kv_lora_rank", p.Int("kv_lora_rank"))
	p.u32("attention.key_length", p.Int("qk_nope_head_dim")+p.Int("qk_rope_head_dim"))
	p.u32("rope.dimension_count", p.Int("qk_rope_head_dim"))
}

// longFactors adds the divisors of both contexts (LongRoPE).
func longFactors(p *params) {
	r := p.rope()
	if long := r.floats("long_factor"); len(long) > 0 {
		p.add("rope_factors_long.weight", long)
		p.add("rope_factors_short.weight", r.floats("short_factor"))
	}
	p.keep(r)
}

func baichuanParams(p *params) {
	p.usual()
	p.u32("rope.dimension_count", p.headDim())
}

func orionParams(p *params) {
	p.usual()
	p.f32("attention.layer_norm_epsilon", p.Float("rms_norm_eps"))
}

func exaoneParams(p *params) {
	p.usual()
	p.rotated(1)
}

// exaone4Params says which layers have a window: those of layer_types, or of a pattern such as LLLG or 4.
func exaone4Params(p *params) {
	p.usual()
	p.u32("vocab_size", p.rows)
	p.sliding()
	if p.Has("layer_types") || !p.Has("sliding_window") {
		return
	}
	kinds := make([]bool, max(0, min(p.Int(layerKeys...), maxLayers)))
	letters, every := p.Str("sliding_window_pattern"), 0
	if letters == "" {
		every = p.IntOr(0, "sliding_window_pattern")
	}
	for i := range kinds {
		kinds[i] = letters != "" && letters[i%max(1, len(letters))] == 'L' || every > 0 && (i+1)%every != 0
	}
	p.bools("attention.sliding_window_pattern", kinds)
}

func exaoneMoeParams(p *params) {
	exaone4Params(p)
	p.moe()
	p.u32("expert_shared_feed_forward_length", p.Int("moe_intermediate_size")*p.Int("num_shared_experts"))
	p.u32("leading_dense_block_count", p.IntOr(0, "first_k_dense_replace", "first_last_k_dense_replace"))
	p.noScaling()
}

func panguParams(p *params) {
	p.usual()
	p.u32("vocab_size", p.rows)
	p.u32("rope.dimension_count", p.headDim())
	p.u32("attention.key_length", p.headDim())
	p.u32("attention.value_length", p.headDim())
}

func nanbeigeParams(p *params) {
	llamaParams(p)
	p.u32("num_loops", max(1, p.IntOr(1, "num_loops")))
	p.bool("skip_loop_final_norm", p.Bool(false, "skip_loop_final_norm"))
}

// plamoRules exchange the order of queries and key heads: PLaMo has 8 groups of 5, GGUF 5 of 8.
var plamoRules = rules(ends("model.embed_tokens", "model.norm", "lm_head"), names("model.layers.layers.{}.", "norm", "attn_norm",
	"self_attn.k_proj", "attn_k", "self_attn.v_proj", "attn_v", "mlp.gate_proj", "ffn_gate", "mlp.up_proj", "ffn_up", "mlp.down_proj", "ffn_down"), map[string]rule{
	"model.layers.layers.{}.self_attn.q_proj":              {to: "blk.{}.attn_q", rows: swapped(plamoShares, headsK5)},
	"model.layers.layers.{}.self_attn.o_proj":              {to: "blk.{}.attn_output", columns: swapped(plamoShares, headsK5)},
	"model.layers.layers.{}.self_attn.rotary_emb.inv_freq": {},
})

func plamoShares(c *Config) int { return c.IntOr(8, "n_shared_head") }
func headsK5(c *Config) int     { return headsQ(c) / max(1, plamoShares(c)) }

func plamoParams(p *params) {
	p.setDefault("max_position_embeddings", 4096)
	p.values["num_key_value_heads"] = float64(headsK5(p.Config))
	p.usual()
}

// deciParams has another number of key heads in each layer.
func deciParams(p *params) {
	if p.Has("block_configs") {
		p.fail("layers of different build (block_configs) are not known")
	}
	perLayer := p.ints("num_key_value_heads_per_layer")
	llamaParams(p)
	if len(perLayer) > 0 {
		p.numbers("attention.head_count_kv", perLayer)
	}
}
