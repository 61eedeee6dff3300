package hf

import (
	"math"

	"github.com/llamakit/llamakit/formats/gguf"
)

// fusedQKV are queries, keys and values in one matrix, in this order.
func fusedQKV(key string, turn bool) map[string]rule {
	q, k := pick(parts(0, qkvHeads)), pick(parts(1, qkvHeads))
	if turn {
		q, k = then(q, rotary(headsQ)), then(k, rotary(headsK))
	}
	return map[string]rule{key: {to: "blk.{}.attn_q", rows: q, spare: true,
		also: []rule{{to: "blk.{}.attn_k", rows: k}, {to: "blk.{}.attn_v", rows: parts(2, qkvHeads)}}}}
}

func qkvHeads(c *Config) []int { return []int{headsQ(c), headsK(c), headsK(c)} }

// bailing are the names of Ling's attention.
var bailing = rules(decoderRules, ends("model.word_embeddings", "model.norm", "lm_head"), experts, sharedExperts, correction("mlp.gate.expert_bias"),
	names(layer, "attention.dense", "attn_output", "attention.query_layernorm", "attn_q_norm", "attention.key_layernorm", "attn_k_norm"))

// hunyuan has norms on queries and keys under names of its own.
var hunyuan = rules(decoderRules, names(layer, "self_attn.query_layernorm", "attn_q_norm", "self_attn.key_layernorm", "attn_k_norm"))

// ernie may have its matrices fused.
var ernie = rules(decoderRules, fusedQKV(layer+"self_attn.qkv_proj", false), map[string]rule{
	layer + "mlp.up_gate_proj": spare(halves("blk.{}.ffn_gate", "blk.{}.ffn_up", ""))})

func init() {
	register(&Family{Arch: "dots1", Classes: []string{"Dots1ForCausalLM"}, Mixed: true, Params: dots1Params, Rules: rules(decoderRules, qkNorms, experts, sharedExperts)})
	register(&Family{Arch: "bailingmoe", Classes: []string{"BailingMoeForCausalLM"}, Mixed: true, Params: bailingParams,
		Rules: rules(llamaRules, bailing, headRows, spareQKV(fusedQKV(layer+"attention.query_key_value", true)))})
	register(&Family{Arch: "bailingmoe2", Classes: []string{"BailingMoeV2ForCausalLM"}, Mixed: true, Params: bailing2Params,
		Rules: rules(bailing, names(layer, "attention.query_key_value", "attn_qkv"))})
	register(&Family{Arch: "ernie4_5", Classes: []string{"Ernie4_5_ForCausalLM", "Ernie4_5ForCausalLM"}, Params: (*params).usual, Rules: ernie})
	register(&Family{Arch: "ernie4_5-moe", Classes: []string{"Ernie4_5_MoeForCausalLM"}, Mixed: true, Params: ernieMoeParams,
		Rules: rules(ernie, experts, sharedExperts, correction("mlp.moe_statics.e_score_correction_bias"))})
	register(&Family{Arch: "paddleocr", Classes: []string{"PaddleOCRVLForConditionalGeneration"}, Skip: append([]string{"mlp_AR."}, seeing...), Params: (*params).usual, Rules: ernie})
	register(&Family{Arch: "granite_swa", Classes: []string{"GraniteSWAForCausalLM"}, Params: graniteSWAParams, Extra: (*params).llama3Factors,
		Rules: rules(llamaRules, sinks("self_attn.sinks"))})
	register(&Family{Arch: "grovemoe", Classes: []string{"GroveMoeForCausalLM"}, Params: groveParams, Rules: rules(decoderRules, qkNorms, experts, map[string]rule{
		layer + "mlp.expert_bias": {}}, names(layer, "mlp.chunk_experts.{}.gate_proj", "ffn_gate_chexps", "mlp.chunk_experts.{}.up_proj", "ffn_up_chexps",
		"mlp.chunk_experts.{}.down_proj", "ffn_down_chexps"))})
	register(&Family{Arch: "hunyuan-dense", Classes: []string{"HunYuanDenseV1ForCausalLM"}, Params: hunyuanParams, Rules: hunyuan})
	register(&Family{Arch: "hunyuan_vl", Classes: []string{"HunYuanVLForConditionalGeneration"}, Skip: append([]string{"vit."}, seeing...), Params: hunyuanVLParams, Rules: hunyuan})
	register(&Family{Arch: "hunyuan-moe", Classes: []string{"HunYuanMoEV1ForCausalLM"}, Params: hunyuanMoeParams, Rules: rules(hunyuan, experts, names(layer, "mlp.gate.wg", "ffn_gate_inp",
		"mlp.shared_mlp.gate_proj", "ffn_gate_shexp", "mlp.shared_mlp.up_proj", "ffn_up_shexp", "mlp.shared_mlp.down_proj", "ffn_down_shexp"))})
	register(&Family{Arch: "llada", Classes: []string{"LLaDAModelLM"}, Params: lladaParams, Rules: rules(ends("model.transformer.wte", "model.transformer.ln_f", "model.transformer.ff_out"),
		names(lladaBlock, "attn_norm", "attn_norm", "v_proj", "attn_v", "attn_out", "attn_output", "ff_norm", "ffn_norm", "ff_proj", "ffn_gate", "up_proj", "ffn_up", "ff_out", "ffn_down"),
		map[string]rule{lladaBlock + "q_proj": {to: "blk.{}.attn_q", rows: rotary(headsQ)}, lladaBlock + "k_proj": {to: "blk.{}.attn_k", rows: rotary(headsK)}})})
	register(&Family{Arch: "llada-moe", Classes: []string{"LLaDAMoEModel", "LLaDAMoEModelLM"}, Params: lladaMoeParams, Rules: rules(decoderRules, qkNorms, experts)})
	register(&Family{Arch: "maple", Classes: []string{"MapleForCausalLM"}, Params: mapleParams, Rules: rules(decoderRules, qkNorms, experts)})
	register(&Family{Arch: "mellum", Classes: []string{"MellumForCausalLM"}, Params: mellumParams, Rules: rules(decoderRules, qkNorms, experts)})
	register(&Family{Arch: "mimo2", Classes: []string{"MiMoV2FlashForCausalLM", "MiMoV2ForCausalLM"}, Mixed: true, Params: mimo2Params,
		Rules: rules(decoderRules, experts, sharedExperts, sinks("self_attn.attention_sink_bias"))})
	register(&Family{Arch: "minimax-01", Classes: []string{"MiniMaxText01ForCausalLM", "MiniMaxM1ForCausalLM"}, Mixed: true, Params: minimax01Params,
		Rules: rules(decoderRules, mixtral, names(layer, "self_attn.qkv_proj", "attn_qkv", "self_attn.out_proj", "attn_output", "self_attn.output_gate", "attn_gate", "self_attn.norm", "attn_norm_2"))})
	register(&Family{Arch: "minimax-m2", Classes: []string{"MiniMaxM2ForCausalLM"}, Params: minimaxM2Params,
		Rules: rules(decoderRules, qkNorms, mixtral, correction("block_sparse_moe.e_score_correction_bias"))})
	register(&Family{Arch: "smallthinker", Classes: []string{"SmallThinkerForCausalLM"}, Params: smallThinkerParams, Rules: rules(decoderRules, names(layer,
		"block_sparse_moe.primary_router", "ffn_gate_inp", "block_sparse_moe.experts.{}.gate", "ffn_gate_exps", "block_sparse_moe.experts.{}.up", "ffn_up_exps",
		"block_sparse_moe.experts.{}.down", "ffn_down_exps"))})
	register(&Family{Arch: "grok", Classes: []string{"GrokForCausalLM", "Grok1ForCausalLM"}, Params: grokParams, Rules: rules(decoderRules, mixtral, names(layer,
		"pre_attn_norm", "attn_norm", "post_attn_norm", "attn_output_norm", "pre_moe_norm", "ffn_norm", "post_moe_norm", "layer_output_norm"))})
	register(&Family{Arch: "kimi-linear", Classes: []string{"KimiLinearForCausalLM", "KimiLinearModel"}, Mixed: true, Params: kimiLinearParams, Rules: kimiLinearRules})
	register(&Family{Arch: "spark2_5", Classes: []string{"Spark2_5ForCausalLM"}, Params: sparkParams,
		Rules: rules(decoderRules, names(layer, "self_attn.q_k_v_proj", "attn_qkv", "self_attn.g_proj", "attn_gate"))})
	register(&Family{Arch: "cogvlm", Classes: []string{"CogVLMForCausalLM"}, Skip: append([]string{"model.vision."}, seeing...), Params: llamaParams, Rules: rules(decoderRules, names(layer,
		"self_attn.language_expert_query_key_value", "attn_qkv", "self_attn.language_expert_dense", "attn_output", "self_attn.vision_expert_query_key_value", "vis_attn_qkv",
		"self_attn.vision_expert_dense", "vis_attn_output", "mlp.language_mlp.gate_proj", "ffn_gate", "mlp.language_mlp.up_proj", "ffn_up", "mlp.language_mlp.down_proj", "ffn_down",
		"mlp.vision_mlp.gate_proj", "vis_gate", "mlp.vision_mlp.up_proj", "vis_up", "mlp.vision_mlp.down_proj", "vis_down"))})
}

// headRows keeps what Llama's rules turn and Ling has in one matrix.
var headRows = map[string]rule{layer + "self_attn.q_proj": {}, layer + "self_attn.k_proj": {}, layer + "self_attn.v_proj": {}}

// spareQKV makes the fused matrix the spelling that is read backwards.
func spareQKV(table map[string]rule) map[string]rule {
	out := map[string]rule{}
	for k, r := range table {
		r.spare = false
		out[k] = r
	}
	return out
}

const lladaBlock = "model.transformer.blocks.{}."

// sinks are the logits of a head that no token has (gpt-oss).
func sinks(key string) map[string]rule {
	return map[string]rule{layer + key: {to: "blk.{}.attn_sinks", suffix: ".weight"}}
}

// kimiLinearRules have latent attention in some layers and Kimi delta attention in the rest.
var kimiLinearRules = rules(decoderRules, latent, mixtral, sharedExperts, correction("block_sparse_moe.gate.e_score_correction_bias"), names(layer,
	"self_attn.f_a_proj", "ssm_f_a", "self_attn.f_b_proj", "ssm_f_b", "self_attn.g_a_proj", "ssm_g_a", "self_attn.g_b_proj", "ssm_g_b", "self_attn.b_proj", "ssm_beta",
	"self_attn.o_norm", "ssm_norm", "block_sparse_moe.shared_experts.gate_proj", "ffn_gate_shexp", "block_sparse_moe.shared_experts.up_proj", "ffn_up_shexp",
	"block_sparse_moe.shared_experts.down_proj", "ffn_down_shexp"), map[string]rule{
	layer + "self_attn.A_log":    {to: "blk.{}.ssm_a", each: negExp, shape: column},
	layer + "self_attn.dt_bias":  {to: "blk.{}.ssm_dt", suffix: ".bias"},
	layer + "self_attn.q_conv1d": {to: "blk.{}.ssm_conv1d_q", shape: oneChannel},
	layer + "self_attn.k_conv1d": {to: "blk.{}.ssm_conv1d_k", shape: oneChannel},
	layer + "self_attn.v_conv1d": {to: "blk.{}.ssm_conv1d_v", shape: oneChannel},
})

// oneChannel gives convolutions back the dimension of one.
func oneChannel(_ *Config, shape []int) []int { return []int{shape[0], 1, shape[1]} }

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
	kinds := make([]bool, max(0, min(p.Int(layerKeys...), maxLayers)))
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
	out := make([]float32, max(0, min(p.Int(layerKeys...), maxLayers)))
	for i := range out {
		out[i] = bound
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
	kinds := make([]bool, max(0, min(p.Int(layerKeys...), maxLayers)))
	for _, n := range linear.ints("full_attn_layers") { // counted from one
		if n >= 1 && n <= len(kinds) {
			kinds[n-1] = true
		}
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
	if m, ok := p.in("rope_parameters").values["sliding_attention"].(map[string]any); ok {
		s := &Config{path: p.path, values: m}
		p.u32("rope.dimension_count_swa", int(s.FloatOr(1, "partial_rotary_factor")*float64(p.headDim())))
		p.keep(s)
	}
}
