package hf

// mambaNames are those of a state-space mixer, which stand under prefix. The layer's own norm is not among them.
func mambaNames(prefix string) map[string]rule {
	return rules(names(prefix, "in_proj", "ssm_in", "conv1d", "ssm_conv1d", "x_proj", "ssm_x", "dt_proj", "ssm_dt", "out_proj", "ssm_out", "D", "ssm_d"),
		map[string]rule{prefix + "A_log": {to: "blk.{}.ssm_a", each: negExp}})
}

// mamba2Names have one A and one D a head, and a norm in groups (Dao & Gu, Mamba-2).
func mamba2Names(prefix string) map[string]rule {
	return rules(names(prefix, "in_proj", "ssm_in", "conv1d", "ssm_conv1d", "out_proj", "ssm_out"), map[string]rule{
		prefix + "A_log":   {to: "blk.{}.ssm_a", each: negExp, shape: column},
		prefix + "D":       {to: "blk.{}.ssm_d", shape: column},
		prefix + "dt_bias": {to: "blk.{}.ssm_dt", suffix: ".bias"},
		prefix + "norm":    {to: "blk.{}.ssm_norm", shape: inGroups},
	})
}

// column makes a matrix of one column of a vector.
func column(_ *Config, shape []int) []int { return append([]int{1}, shape...) }

var groupKeys = []string{"mamba_n_groups", "n_groups", "num_groups"}

func inGroups(c *Config, shape []int) []int {
	groups := c.IntOr(1, groupKeys...)
	if groups < 1 || shape[0]%groups != 0 {
		c.fail("%d values cannot be cut into %d groups", shape[0], groups)
		return shape
	}
	return []int{shape[0] / groups, groups}
}

const backbone = "backbone.layers.{}."

var backboneEnds = outer("backbone.embeddings", "backbone.norm_f", "lm_head")

func init() {
	register(&Family{Arch: "mamba", Classes: []string{"MambaForCausalLM", "MambaLMHeadModel", "FalconMambaForCausalLM"}, Params: mambaParams,
		Rules: rules(backboneEnds, map[string]rule{"backbone.embedding": {to: "token_embd", embed: true, spare: true}}, names(backbone, "norm", "attn_norm"), mambaNames(backbone+"mixer."))})
	register(&Family{Arch: "mamba2", Classes: []string{"Mamba2ForCausalLM"}, Params: mamba2Params,
		Rules: rules(backboneEnds, names(backbone, "norm", "attn_norm"), mamba2Names(backbone+"mixer."))})
	register(&Family{Arch: "jamba", Classes: []string{"JambaForCausalLM"}, Mixed: true, Params: jambaParams, Rules: rules(decoderRules,
		outer("model.embed_tokens", "model.final_layernorm", "lm_head"), mambaNames(layer+"mamba."), names(layer, "mamba.dt_layernorm", "ssm_dt_norm",
			"mamba.b_layernorm", "ssm_b_norm", "mamba.c_layernorm", "ssm_c_norm", "pre_ff_layernorm", "ffn_norm", "feed_forward.router", "ffn_gate_inp",
			"feed_forward.gate_proj", "ffn_gate", "feed_forward.up_proj", "ffn_up", "feed_forward.down_proj", "ffn_down", "feed_forward.experts.{}.gate_proj", "ffn_gate_exps",
			"feed_forward.experts.{}.up_proj", "ffn_up_exps", "feed_forward.experts.{}.down_proj", "ffn_down_exps"))})
	register(&Family{Arch: "falcon-h1", Classes: []string{"FalconH1ForCausalLM"}, Params: falconH1Params, Rules: falconH1Rules})
	register(&Family{Arch: "granite", Classes: []string{"GraniteForCausalLM"}, Params: graniteParams, Rules: rules(llamaRules, graniteExperts), Extra: (*params).llama3Factors})
	register(&Family{Arch: "granitemoe", Classes: []string{"GraniteMoeForCausalLM", "GraniteMoeSharedForCausalLM"}, Params: graniteParams,
		Rules: rules(llamaRules, graniteExperts)})
	register(&Family{Arch: "granitehybrid", Classes: []string{"GraniteMoeHybridForCausalLM", "BambaForCausalLM"}, Mixed: true, Params: graniteHybridParams,
		Rules: rules(llamaRules, graniteExperts, mamba2Names(layer+"mamba."), names(layer, "pre_ff_layernorm", "ffn_norm", "feed_forward.gate_proj", "ffn_gate",
			"feed_forward.up_proj", "ffn_up", "feed_forward.down_proj", "ffn_down"))})
	register(&Family{Arch: "nemotron_h", Classes: []string{"NemotronHForCausalLM"}, Mixed: true, Params: nemotronHParams, Rules: nemotronHRules})
	register(&Family{Arch: "nemotron_h_moe", Classes: []string{"NemotronHForCausalLM"}, Marker: "n_routed_experts", Mixed: true, Params: nemotronHParams,
		Rules: nemotronHRules})
	register(&Family{Arch: "lfm2", Classes: []string{"Lfm2ForCausalLM", "LFM2ForCausalLM"}, Mixed: true, Params: lfm2Params, Rules: lfm2Rules})
	register(&Family{Arch: "lfm2moe", Classes: []string{"Lfm2MoeForCausalLM"}, Mixed: true, Params: lfm2Params, Rules: rules(lfm2Rules, correction("feed_forward.expert_bias"),
		names(layer, "feed_forward.gate", "ffn_gate_inp", "feed_forward.experts.{}.w1", "ffn_gate_exps", "feed_forward.experts.{}.w2", "ffn_down_exps",
			"feed_forward.experts.{}.w3", "ffn_up_exps"))})
}

// graniteExperts have gate and up in one matrix; without experts the shared network is the only one.
var graniteExperts = rules(names(layer, "block_sparse_moe.router.layer", "ffn_gate_inp", "block_sparse_moe.output_linear", "ffn_down_exps",
	"shared_mlp.output_linear", "ffn_down_shexp"), map[string]rule{
	layer + "block_sparse_moe.input_linear": halves("blk.{}.ffn_gate_exps", "blk.{}.ffn_up_exps", ""),
	layer + "shared_mlp.input_linear":       halves("blk.{}.ffn_gate_shexp", "blk.{}.ffn_up_shexp", ""),
})

// lfm2Rules have short convolutions in most layers, and a norm behind the last that is named after the embedding.
var lfm2Rules = rules(without(decoderRules, "model.norm"), map[string]rule{"model.embedding_norm": {to: "token_embd_norm"}},
	names(layer, "operator_norm", "attn_norm", "ffn_norm", "ffn_norm", "self_attn.out_proj", "attn_output", "self_attn.q_layernorm", "attn_q_norm",
		"self_attn.k_layernorm", "attn_k_norm", "conv.conv", "shortconv.conv", "conv.in_proj", "shortconv.in_proj", "conv.out_proj", "shortconv.out_proj",
		"feed_forward.w1", "ffn_gate", "feed_forward.w2", "ffn_down", "feed_forward.w3", "ffn_up"))

var nemotronHRules = rules(backboneEnds, names(backbone, "norm", "attn_norm"), mamba2Names(backbone+"mixer."), names(backbone+"mixer.", "q_proj", "attn_q",
	"k_proj", "attn_k", "v_proj", "attn_v", "o_proj", "attn_output", "up_proj", "ffn_up", "down_proj", "ffn_down", "gate", "ffn_gate_inp",
	"experts.{}.up_proj", "ffn_up_exps", "experts.{}.down_proj", "ffn_down_exps", "shared_experts.up_proj", "ffn_up_shexp", "shared_experts.down_proj", "ffn_down_shexp",
	"fc1_latent_proj", "ffn_latent_down", "fc2_latent_proj", "ffn_latent_up"), map[string]rule{
	backbone + "mixer.gate.e_score_correction_bias": {to: "blk.{}.exp_probs_b", suffix: ".bias"},
})

// falconH1Rules multiply by the constants of the model's parametrisation (Falcon-H1), so that the graph need not.
var falconH1Rules = rules(llamaRulesPlain, outer("model.embed_tokens", "model.final_layernorm", "lm_head"), mamba2Names(layer+"mamba."), map[string]rule{
	"model.embed_tokens":             {to: "token_embd", embed: true, scale: times("embedding_multiplier")},
	"lm_head":                        {to: "output", head: true, scale: times("lm_head_multiplier")},
	layer + "pre_ff_layernorm":       {to: "blk.{}.ffn_norm", bare: true}, // as llama.cpp's files have it
	layer + "feed_forward.gate_proj": {to: "blk.{}.ffn_gate", scale: mlpTimes(0)},
	layer + "feed_forward.up_proj":   {to: "blk.{}.ffn_up"},
	layer + "feed_forward.down_proj": {to: "blk.{}.ffn_down", scale: mlpTimes(1)},
	layer + "self_attn.q_proj":       {to: "blk.{}.attn_q", scale: times("attention_in_multiplier")},
	layer + "self_attn.k_proj":       {to: "blk.{}.attn_k", scale: keyTimes},
	layer + "self_attn.v_proj":       {to: "blk.{}.attn_v", scale: times("attention_in_multiplier")},
	layer + "self_attn.o_proj":       {to: "blk.{}.attn_output", scale: times("attention_out_multiplier")},
	layer + "mamba.in_proj":          {to: "blk.{}.ssm_in", scale: ssmTimes},
	layer + "mamba.out_proj":         {to: "blk.{}.ssm_out", scale: times("ssm_out_multiplier")},
})

var llamaRulesPlain = without(decoderRules, layer+"mlp.gate_proj", layer+"mlp.up_proj", layer+"mlp.down_proj", layer+"post_attention_layernorm")

func mlpTimes(i int) func(*Config, int, int) float32 {
	return func(c *Config, _, _ int) float32 {
		if m := c.floats("mlp_multipliers"); len(m) == 2 {
			return m[i]
		}
		return 1
	}
}

func keyTimes(c *Config, _, _ int) float32 {
	return float32(c.FloatOr(1, "key_multiplier") * c.FloatOr(1, "attention_in_multiplier"))
}

// ssmTimes are the factors of the gate, of x, of B, of C and of dt, in this order of rows.
func ssmTimes(c *Config, row, _ int) float32 {
	m := c.floats("ssm_multipliers")
	scale := float32(c.FloatOr(1, "ssm_in_multiplier"))
	if len(m) != 5 {
		return scale
	}
	inner, state := c.Int("mamba_d_ssm"), c.IntOr(1, groupKeys...)*c.Int("mamba_d_state")
	for i, size := range []int{inner, inner, state, state} {
		if row < size {
			return scale * m[i]
		}
		row -= size
	}
	return scale * m[4]
}
