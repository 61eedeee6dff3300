package hf

import (
	"math"
)

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
	kinds := make([]bool, p.layers())
	for i := range kinds {
		kinds[i] = (i+1)%4 != 0
	}
	if p.Has("layer_types") {
		kinds = p.layerKinds("sliding_attention")
	}
	p.bools("attention.sliding_window_pattern", kinds)
}

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
	kinds := make([]bool, p.layers())
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
var plamoRules = rules(outer("model.embed_tokens", "model.norm", "lm_head"), names("model.layers.layers.{}.", "norm", "attn_norm",
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
