package hf

import (
	"math"

	"github.com/llamakit/llamakit/formats/gguf"
)

func dots1Params(p *params) {
	p.usual()
	p.moe()
}

func bailingParams(p *params) {
	p.usual()
	p.moe()
	p.u32("rope.dimension_count", p.headDim())
	p.u32("vocab_size", p.rows)
	p.f32("expert_weights_scale", 1)
	if p.Bool(false, "norm_head") {
		p.fail("norm_head: normalised output matrices are not known")
	}
}

func bailing2Params(p *params) {
	p.usual()
	p.moe()
	p.rotated(0.5)
	p.u32("vocab_size", p.rows)
	p.u32("expert_shared_feed_forward_length", p.IntOr(p.Int("moe_intermediate_size")*p.Int("num_shared_experts"), "moe_shared_expert_intermediate_size"))
}

func ernieMoeParams(p *params) {
	p.usual()
	p.u32("expert_count", p.Int("moe_num_experts"))
	p.u32("expert_used_count", p.Int("moe_k"))
	p.u32("interleave_moe_layer_step", p.Int("moe_layer_interval"))
	p.u32("leading_dense_block_count", p.Int("moe_layer_start_index"))
	p.optional("expert_feed_forward_length", "moe_intermediate_size")
	p.optional("expert_shared_count", "moe_num_shared_experts")
	if p.IntOr(0, "moe_num_shared_experts") > 0 {
		p.u32("expert_shared_feed_forward_length", p.Int("moe_intermediate_size")*p.Int("moe_num_shared_experts"))
	}
}

func graniteSWAParams(p *params) {
	graniteParams(p)
	p.u32("attention.sliding_window", p.IntOr(128, "sliding_window"))
	kinds := make([]bool, p.layers())
	for i := range kinds {
		kinds[i] = i%4 != 0
	}
	if p.Has("layer_types") {
		kinds = p.layerKinds("sliding_attention")
	}
	p.bools("attention.sliding_window_pattern", kinds)
	if no := p.ints("no_rope_layers"); len(no) > 0 {
		turned := make([]bool, len(no))
		for i, n := range no {
			turned[i] = n != 0
		}
		p.bools("attention.rope_pattern", turned)
	}
}

func groveParams(p *params) {
	p.usual()
	p.moe()
	p.u32("expert_chunk_feed_forward_length", p.IntOr(128, "head_dim"))
	p.u32("experts_per_group", 2)
	p.f32("expert_group_scale", 0.05)
}

// hunyuanParams stretches the rotary base by alpha, the NTK-aware way, instead of the angles.
func hunyuanParams(p *params) {
	if p.IntOr(0, "num_experts") <= 1 {
		delete(p.values, "num_experts")
	}
	p.usual()
	p.stretched(50)
}

func (p *params) stretched(alpha float64) {
	r := p.rope()
	if r.Str("rope_type") == "dynamic" {
		dim := float64(p.headDim())
		p.f32("rope.freq_base", r.FloatOr(10000, "rope_theta")*math.Pow(r.FloatOr(alpha, "alpha"), dim/(dim-2)))
		p.noScaling()
		p.f32("rope.scaling.factor", 1)
		p.u32("rope.scaling.original_context_length", hunyuanContext)
		p.u32("context_length", hunyuanContext)
	}
	p.keep(r)
}

// hunyuanContext is the context that the stretched base is made for.
const hunyuanContext = 256 << 10

func hunyuanVLParams(p *params) {
	if s, ok := p.values["rope_scaling"].(map[string]any); ok && s["type"] == "xdrope" {
		delete(p.values, "rope_scaling")
		p.usual()
		r := &Config{path: p.path, values: s}
		p.f32("rope.scaling.alpha", r.Float("alpha"))
		p.noScaling()
		p.f32("rope.scaling.factor", r.FloatOr(1, "factor"))
		p.u32("rope.scaling.original_context_length", p.Int("max_position_embeddings"))
		p.rotarySections(r.ints("xdrope_section")...)
		p.keep(r)
		return
	}
	hunyuanParams(p)
}

// hunyuanMoeParams takes the first of lists that have a number for each layer.
func hunyuanMoeParams(p *params) {
	for _, key := range []string{"moe_intermediate_size", "moe_topk", "num_shared_expert"} {
		if list := p.ints(key); len(list) > 0 {
			for _, n := range list {
				if n != list[0] {
					p.fail("%s differs between layers, which is not known", key)
				}
			}
			p.values[key] = float64(list[0])
		}
	}
	p.usual()
	p.moe()
	p.u32("expert_shared_feed_forward_length", p.Int("intermediate_size"))
	p.u32("expert_shared_count", p.Int("num_shared_expert"))
	p.stretched(1000)
}

func lladaParams(p *params) {
	p.setDefault("max_sequence_length", 4096)
	p.setDefault("hidden_size", float64(p.IntOr(4096, "d_model")))
	p.setDefault("intermediate_size", float64(p.IntOr(12288, "mlp_hidden_size")))
	p.usual()
	p.u32("vocab_size", p.rows)
	p.u32("rope.dimension_count", p.headDim())
	p.bool("attention.causal", false)
	p.md.Set("diffusion.shift_logits", gguf.Bool(false))
}

func lladaMoeParams(p *params) {
	p.usual()
	p.optional("expert_feed_forward_length", "expert_intermediate_size")
	p.bool("attention.causal", false)
	p.md.Set("diffusion.shift_logits", gguf.Bool(false))
}

func mapleParams(p *params) {
	p.usual()
	p.moe()
	p.rotated(1)
	p.u32("vocab_size", p.rows)
	p.sliding()
	p.clamp("swiglu_clamp_exp", 7)
}

// clamp writes one bound of activations for every layer.
func (p *params) clamp(key string, bound float32) {
	out := make([]float32, p.blocks())
	for i := range out {
		out[i] = bound
	}
	p.set(key, gguf.Float32s(out))
}

// clamps writes the bounds of a list with an entry a layer; null is none.
func (p *params) clamps(key, from string) {
	list, ok := p.values[from].([]any)
	if !ok {
		return
	}
	out := make([]float32, p.blocks())
	for i := range out[:min(len(out), len(list))] {
		x, _ := list[i].(float64)
		out[i] = float32(x)
	}
	p.set(key, gguf.Float32s(out))
}

func mellumParams(p *params) {
	p.usual()
	p.moe()
	if p.Bool(true, "use_sliding_window") {
		p.sliding()
	}
}

// mimo2Params has fewer key heads in layers without a window.
func mimo2Params(p *params) {
	p.setDefault("rms_norm_eps", p.FloatOr(1e-5, "layernorm_epsilon"))
	p.usual()
	p.moe()
	window := p.ints("hybrid_layer_pattern")
	kinds := make([]bool, len(window))
	for i, n := range window {
		kinds[i] = n == 1
	}
	p.numbers("attention.head_count_kv", everyLayer(kinds, p.Int("swa_num_key_value_heads"), p.Int("num_key_value_heads")))
	p.u32("attention.sliding_window", p.Int("sliding_window"))
	p.bools("attention.sliding_window_pattern", kinds)
	p.u32("attention.value_length", p.Int("v_head_dim"))
	p.rotated(1)
	p.optionalFloat("attention.value_scale", "attention_value_scale")
}

func minimax01Params(p *params) {
	p.usual()
	p.f32("residual_scale", p.Float("layernorm_full_attention_alpha"))
	for _, key := range []string{"layernorm_linear_attention_alpha", "layernorm_mlp_alpha"} {
		if p.Float(key) != p.Float("layernorm_full_attention_alpha") {
			p.fail("%s differs from layernorm_full_attention_alpha, which is not known", key)
		}
	}
	p.u32("rope.dimension_count", p.Int("rotary_dim"))
}

func minimaxM2Params(p *params) {
	p.usual()
	p.u32("expert_feed_forward_length", p.Int("intermediate_size"))
	p.u32("rope.dimension_count", p.Int("rotary_dim"))
}

func smallThinkerParams(p *params) {
	p.setDefault("intermediate_size", p.FloatOr(0, "moe_ffn_hidden_size"))
	p.usual()
	p.u32("expert_count", p.Int("moe_num_primary_experts"))
	p.u32("expert_used_count", p.Int("moe_num_active_primary_experts"))
	p.u32("expert_feed_forward_length", p.Int("moe_ffn_hidden_size"))
	kind := "sigmoid"
	if p.Bool(false, "moe_primary_router_apply_softmax") {
		kind = "softmax"
	}
	p.u32("expert_gating_func", gatings[kind])
	for _, n := range p.ints("sliding_window_layout") {
		if n != 0 {
			p.u32("attention.sliding_window", p.Int("sliding_window_size"))
			break
		}
	}
}

func grokParams(p *params) {
	p.usual()
	p.f32("attn_logit_softcapping", p.FloatOr(30, "attn_logit_softcapping"))
	p.f32("router_logit_softcapping", p.FloatOr(30, "router_logit_softcapping"))
	p.optionalFloat("final_logit_softcapping", "final_logit_softcapping")
	p.optional("expert_feed_forward_length", "moe_intermediate_size")
	p.optional("attention.temperature_length", "attn_temperature_len")
	p.f32("attention.output_scale", p.FloatOr(1/math.Sqrt(math.Max(1, float64(p.headDim()))), "attn_output_multiplier"))
	p.f32("embedding_scale", p.Float("embedding_multiplier_scale"))
	p.f32("logit_scale", p.Float("output_multiplier_scale"))
}

func kimiLinearParams(p *params) {
	p.values["num_key_value_heads"] = 1.0
	delete(p.values, "head_dim")
	p.usual()
	p.moe()
	p.u32("vocab_size", p.rows)
	p.latent()
	linear := p.in("linear_attn_config")
	kinds := make([]bool, p.blocks())
	for i := range kinds {
		kinds[i] = kimiFull(p.Config, i)
	}
	p.numbers("attention.head_count_kv", everyLayer(kinds, 1, 0))
	p.u32("ssm.conv_kernel", linear.Int("short_conv_kernel_size"))
	p.u32("kda.head_dim", linear.Int("head_dim"))
	p.keep(linear)
}

func sparkParams(p *params) {
	p.usual()
	p.u32("vocab_size", p.rows)
	p.sliding()
	p.rotated(1)
	p.rotatedSliding()
}

// rotatedSliding writes how many values of a head are rotated in layers with a window.
func (p *params) rotatedSliding() {
	if m, ok := p.in("rope_parameters").values["sliding_attention"].(map[string]any); ok {
		s := &Config{path: p.path, values: m}
		p.u32("rope.dimension_count_swa", int(s.FloatOr(1, "partial_rotary_factor")*float64(p.headDim())))
		p.keep(s)
	}
}
