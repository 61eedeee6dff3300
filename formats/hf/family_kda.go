package hf

import "math"

// kda are the names of Kimi delta attention under a prefix: its decay, its convolutions and its norm. a is what becomes of A_log.
func kda(prefix string, a rule) map[string]rule {
	return rules(names(prefix, "f_a_proj", "ssm_f_a", "f_b_proj", "ssm_f_b", "g_a_proj", "ssm_g_a", "g_b_proj", "ssm_g_b", "b_proj", "ssm_beta", "o_norm", "ssm_norm"), map[string]rule{
		prefix + "A_log":    a,
		prefix + "dt_bias":  {to: "blk.{}.ssm_dt", suffix: ".bias"},
		prefix + "q_conv1d": {to: "blk.{}.ssm_conv1d_q", shape: oneChannel},
		prefix + "k_conv1d": {to: "blk.{}.ssm_conv1d_k", shape: oneChannel},
		prefix + "v_conv1d": {to: "blk.{}.ssm_conv1d_v", shape: oneChannel},
	})
}

// firstHeads leaves out what checkpoints have beyond the number of heads, to fill up a row.
func firstHeads(c *Config, n int) ([]int, error) { return span(0, min(n, headsQ(c))), nil }

// negDecay is minus the exponential of each head's A_log.
var negDecay = rule{to: "blk.{}.ssm_a", each: negExp, rows: firstHeads}

// either is one of two names, by a property of the layer.
func either(is func(*Config, int) bool, yes, no string) rule {
	return rule{at: func(c *Config, layer int) rule {
		if is(c, layer) {
			return rule{to: yes}
		}
		return rule{to: no}
	}}
}

// bailing3Latent are the names of latent attention in Ling 3.
var bailing3Latent = names(layer, "attention.q_a_proj", "attn_q_a", "attention.q_a_layernorm", "attn_q_a_norm", "attention.q_b_proj", "attn_q_b",
	"attention.kv_a_proj_with_mqa", "attn_kv_a_mqa", "attention.kv_a_layernorm", "attn_kv_a_norm", "attention.q_proj", "attn_q", "attention.k_proj", "attn_k",
	"attention.v_proj", "attn_v", "attention.o_proj", "attn_output", "attention.f_proj", "ssm_f_a")

func init() {
	register(&Family{Arch: "kimi-k3", Classes: []string{"KimiK3ForConditionalGeneration"}, Mixed: true, Skip: append([]string{"mm_projector."}, seeing...), Join: residualScores, Params: kimiK3Params,
		Rules: rules(without(kimiLinearRules, layer+"self_attn.g_a_proj", layer+"self_attn.g_b_proj"), names(layer, "block_sparse_moe.routed_expert_down_proj", "ffn_routed_down",
			"block_sparse_moe.routed_expert_up_proj", "ffn_routed_up", "block_sparse_moe.routed_expert_norm", "ffn_routed_norm", "self_attention_res", "attn_res_score",
			"mlp_res", "ffn_res_score"), map[string]rule{layer + "self_attn.A_log": negDecay, "model.output_attn_res": {to: "output_res_score"},
			layer + "self_attn.g_proj": either(kimiFull, "blk.{}.attn_gate", "blk.{}.ssm_g")})})
	register(&Family{Arch: "bailingmoe3", Classes: []string{"BailingMoeV3ForCausalLM", "BailingMoeV3VLForConditionalGeneration"}, Mixed: true, Skip: append([]string{"linear_proj."}, seeing...),
		Params: bailing3Params, Rules: rules(bailing, draft, bailing3Latent, kda(layer+"attention.", rule{to: "blk.{}.ssm_a", each: exp, shape: column}), map[string]rule{
			layer + "attention.kv_b_proj": latent[layer+"self_attn.kv_b_proj"], layer + "attention.g_proj": either(bailing3Full, "blk.{}.attn_gate", "blk.{}.ssm_g_a"),
			layer + "final_layernorm": {to: "blk.{}.layer_output_norm"}})})
	register(&Family{Arch: "glm5-next", Classes: []string{"Glm5NextForConditionalGeneration"}, Mixed: true, Skip: seeing, Exact: []string{".hc_", "indexer_compressor_"}, Params: glm5Params,
		Rules: rules(deepseek2Rules, indexer, draft, kda(layer+"self_attn.", negDecay), hyperConnections("hc_attn_", "hc_ffn_"), map[string]rule{
			layer + "self_attn.indexer.index_kpool_compress_gate": {to: "blk.{}.indexer_compressor_gate", suffix: ".weight"},
			layer + "self_attn.indexer.index_kpool_compress_ape":  {to: "blk.{}.indexer_compressor_ape", suffix: ".weight"}})})
}

func exp(x float32) float32 { return float32(math.Exp(float64(x))) }

// kimiFull says of a layer that its attention is not linear; config.json counts from one.
func kimiFull(c *Config, layer int) bool {
	for _, n := range c.in("linear_attn_config").ints("full_attn_layers") {
		if n == layer+1 {
			return true
		}
	}
	return false
}

// residualScores are the products of the norms and projections by which layers attend to the results of earlier ones.
func residualScores(p *packs) ([]*tensor, error) {
	return p.pairs("_res_norm.weight", "_res_proj.weight", "_res.weight", product)
}

func kimiK3Params(p *params) {
	for key, want := range map[string]string{"moe_router_activation_func": "sigmoid", "hidden_act": "situ"} {
		if got := p.Str(key); got != want {
			p.fail("%s %q is not known in this model, only %q", key, got, want)
		}
	}
	if !p.Bool(false, "mla_use_nope") {
		p.fail("mla_use_nope is not set: latent attention with rotary positions is not known in this model")
	}
	kimiLinearParams(p)
	linear := p.in("linear_attn_config")
	if linear.Has("gate_lower_bound") {
		p.f32("kda.gate_lower_bound", linear.Float("gate_lower_bound"))
	}
	p.keep(linear)
	p.bool("expert_weights_norm", p.Bool(false, "moe_renormalize"))
	p.optional("expert_latent_length", "routed_expert_hidden_size")
	p.f32("activation.situ_beta", p.Float("activation_situ_beta"))
	p.f32("activation.situ_linear_beta", p.Float("activation_situ_linear_beta"))
	p.u32("attn_res.block_size", p.Int("attn_res_block_size"))
}

// bailing3Full has latent attention in the last layer of each group, and in the rest that makes no group.
func bailing3Full(c *Config, layer int) bool {
	n, group := c.Int(layerKeys...), max(1, c.Int("layer_group_size"))
	return layer >= n/group*group || (layer+1)%group == 0
}

func bailing3Params(p *params) {
	if !p.Bool(false, "no_kda_lora") || !p.Bool(false, "kda_safe_gate") || p.Str("gated_attention_proj_granularity_type") != "head_wise" {
		p.fail("want no_kda_lora, kda_safe_gate and head-wise attention gates; other forms are not known")
	}
	dim := p.Int("head_dim")
	delete(p.values, "head_dim")
	p.values["num_key_value_heads"] = 1.0
	p.usual()
	p.moe()
	p.latent()
	kinds := make([]bool, p.blocks())
	for i := range kinds {
		kinds[i] = bailing3Full(p.Config, i)
	}
	p.numbers("attention.head_count_kv", everyLayer(kinds, 1, 0))
	p.u32("vocab_size", p.rows)
	p.u32("ssm.conv_kernel", p.Int("short_conv_kernel_size"))
	p.u32("kda.head_dim", dim)
	p.bool("kda.safe_gate", true)
	p.f32("kda.gate_lower_bound", p.Float("kda_lower_bound"))
	p.u32("expert_shared_count", p.IntOr(1, "num_shared_experts"))
	p.clamps("swiglu_clamp_exp", "expert_swiglu_limit_list")
	p.clamps("swiglu_clamp_shexp", "share_expert_swiglu_limit_list")
	if s := p.ints("mrope_section"); len(s) > 0 {
		p.rotarySections(s[:min(3, len(s))]...)
	}
}

func glm5Params(p *params) {
	if !p.Bool(false, "mla_use_nope") || p.Int("qk_rope_head_dim") != 0 || !p.Bool(true, "mhc") {
		p.fail("want mla_use_nope, no rotary part and hyper-connections; other forms are not known")
	}
	delete(p.values, "head_dim")
	p.values["num_key_value_heads"] = 1.0
	p.usual()
	p.moe()
	p.latent()
	kinds := p.layerKinds("linear_attention")
	p.numbers("attention.head_count_kv", everyLayer(kinds, 0, 1))
	p.u32("vocab_size", p.rows)
	p.f32("attention.layer_norm_epsilon", 1e-6)
	linear := p.in("linear_attn_config")
	p.u32("ssm.conv_kernel", linear.Int("short_conv_kernel_size"))
	p.u32("kda.head_dim", linear.Int("head_dim"))
	if linear.Has("gate_lower_bound") {
		p.f32("kda.gate_lower_bound", linear.Float("gate_lower_bound"))
	}
	p.keep(linear)
	p.indexer()
	p.u32("attention.indexer.kpool", p.Int("index_kpool"))
	p.bool("attention.indexer.kpool_select_tail", p.Bool(true, "index_kpool_always_select_tail"))
	p.indexerTypes()
	p.u32("hyper_connection.count", p.Int("hc_mult"))
	p.u32("hyper_connection.sinkhorn_iterations", p.Int("hc_sinkhorn_iters"))
	p.f32("hyper_connection.epsilon", p.Float("hc_eps"))
	if p.Has("swiglu_limit") {
		p.clamp("swiglu_clamp_exp", float32(p.Float("swiglu_limit")))
		p.clamp("swiglu_clamp_shexp", float32(p.Float("swiglu_limit")))
	}
}
