package hf

import "math"

// dsaLayer begins names of DeepSeek-V4, whose own files do not follow the transformers library.
const dsaLayer = "layers.{}."

// deepseek4Rules have the first matrix of the output cut into one for each group of heads.
var deepseek4Rules = rules(outer("embed", "norm", "head"), hyperHead("hc_head_"), names(dsaLayer, "attn.wq_a", "attn_q_a", "attn.wq_b", "attn_q_b", "attn.q_norm", "attn_q_a_norm",
	"attn.wkv", "attn_kv", "attn.kv_norm", "attn_kv_a_norm", "attn.wo_b", "attn_output_b", "attn.compressor.wkv", "attn_compressor_kv", "attn.compressor.wgate", "attn_compressor_gate",
	"attn.compressor.norm", "attn_compressor_norm", "attn.indexer.wq_b", "indexer.attn_q_b", "attn.indexer.weights_proj", "indexer.proj", "attn.indexer.compressor.wkv", "indexer_compressor_kv",
	"attn.indexer.compressor.wgate", "indexer_compressor_gate", "attn.indexer.compressor.norm", "indexer_compressor_norm", "attn_norm", "attn_norm", "ffn_norm", "ffn_norm",
	"ffn.gate", "ffn_gate_inp", "ffn.shared_experts.w1", "ffn_gate_shexp", "ffn.shared_experts.w2", "ffn_down_shexp", "ffn.shared_experts.w3", "ffn_up_shexp",
	"ffn.experts.{}.w1", "ffn_gate_exps", "ffn.experts.{}.w2", "ffn_down_exps", "ffn.experts.{}.w3", "ffn_up_exps"), map[string]rule{
	dsaLayer + "attn.wo_a":                        {to: "blk.{}.attn_output_a", cut: outputGroups},
	dsaLayer + "attn.attn_sink":                   {to: "blk.{}.attn_sinks", suffix: ".weight"},
	dsaLayer + "attn.compressor.ape":              {to: "blk.{}.attn_compressor_ape", suffix: ".weight"},
	dsaLayer + "attn.indexer.compressor.ape":      {to: "blk.{}.indexer_compressor_ape", suffix: ".weight"},
	dsaLayer + "ffn.gate.bias_vl":                 {to: "blk.{}.exp_probs_b_vl", suffix: ".bias"},
	dsaLayer + "ffn.gate.tid2eid":                 {to: "blk.{}.ffn_gate_tid2eid", suffix: ".weight", whole: true},
	dsaLayer + "ffn.gate.e_score_correction_bias": {at: chosenByScore},
	dsaLayer + "hc_attn_fn":                       {to: "blk.{}.hc_attn_fn", suffix: ".weight"},
	dsaLayer + "hc_attn_base":                     {to: "blk.{}.hc_attn_base", suffix: ".weight"},
	dsaLayer + "hc_attn_scale":                    {to: "blk.{}.hc_attn_scale", suffix: ".weight"},
	dsaLayer + "hc_ffn_fn":                        {to: "blk.{}.hc_ffn_fn", suffix: ".weight"},
	dsaLayer + "hc_ffn_base":                      {to: "blk.{}.hc_ffn_base", suffix: ".weight"},
	dsaLayer + "hc_ffn_scale":                     {to: "blk.{}.hc_ffn_scale", suffix: ".weight"},
})

func outputGroups(c *Config) int { return c.Int("o_groups") }

// chosenByScore leaves out the correction of layers that choose experts by the token's number.
func chosenByScore(c *Config, layer int) rule {
	if layer < c.IntOr(0, "num_hash_layers") {
		return rule{}
	}
	return rule{to: "blk.{}.exp_probs_b", suffix: ".bias"}
}

// minimaxM3Norms are those that hold w of 1 + w.
var minimaxM3Norms = []string{"model.norm", layer + "input_layernorm", layer + "post_attention_layernorm", layer + "self_attn.q_norm", layer + "self_attn.k_norm",
	layer + "self_attn.index_q_norm", layer + "self_attn.index_k_norm"}

func init() {
	register(&Family{Arch: "minimax-m3", Classes: []string{"MiniMaxM3SparseForCausalLM", "MiniMaxM3SparseForConditionalGeneration"}, Mixed: true, Exact: []string{".indexer."},
		Skip: append([]string{"patch_merge_mlp."}, seeing...), Params: minimaxM3Params, Rules: plusOne(rules(decoderRules, qkNorms, mixtral,
			correction("block_sparse_moe.e_score_correction_bias"), names(layer, "block_sparse_moe.shared_experts.gate_proj", "ffn_gate_shexp",
				"block_sparse_moe.shared_experts.up_proj", "ffn_up_shexp", "block_sparse_moe.shared_experts.down_proj", "ffn_down_shexp",
				"self_attn.index_q_proj", "indexer.q_proj", "self_attn.index_k_proj", "indexer.k_proj", "self_attn.index_q_norm", "indexer.q_norm",
				"self_attn.index_k_norm", "indexer.k_norm")), minimaxM3Norms...)})
	register(&Family{Arch: "dots3note", Classes: []string{"Dots3NoteForCausalLM", "Dots3NoteForConditionalGeneration", "Dots3NoteTextForCausalLM"}, Mixed: true,
		Skip: append([]string{"audio_encoder."}, seeing...), Join: dots3Drafts, Params: dots3Params, Rules: rules(deepseek2Rules, indexer, draft,
			names(layer, "self_attn.k_rope_only_layernorm", "attn_k_norm", "self_attn.g_proj", "attn_gate"), map[string]rule{
				layer + "self_attn.kv_b_proj":      {at: dots3Values},
				layer + "self_attn.q_a_layernorm":  {to: "blk.{}.attn_q_a_norm", scale: dots3Rescale(dots3QueryRank)},
				layer + "self_attn.kv_a_layernorm": {at: dots3KeyNorm},
				layer + "self_attn.gate_proj":      {to: "blk.{}.attn_gate", spare: true},
				layer + "self_attn.attn_gate_proj": {to: "blk.{}.attn_gate", spare: true},
			})})
	register(&Family{Arch: "deepseek4", Classes: []string{"DeepseekV4ForCausalLM"}, Mixed: true, Skip: []string{"aligner.", "image_", "mtp.", "vision."}, Join: biasAsCorrection,
		Exact: []string{".hc_", "output_hc_", "_compressor_ape"}, Params: deepseek4Params, Rules: deepseek4Rules})
}

func minimaxM3Params(p *params) {
	minimaxM2Params(p)
	p.u32("expert_shared_count", p.Int("n_shared_experts"))
	p.f32("expert_weights_scale", p.Float("routed_scaling_factor"))
	p.bool("expert_weights_norm", true)
	sparse := p.in("sparse_attention_config")
	for key, from := range map[string]string{"head_count": "sparse_num_index_heads", "key_length": "sparse_index_dim", "top_k": "sparse_topk_blocks",
		"block_size": "sparse_block_size", "local_blocks": "sparse_local_block"} {
		p.u32("attention.indexer."+key, sparse.Int(from))
	}
	p.keep(sparse)
	dense := 0
	for _, n := range p.ints("moe_layer_freq") {
		if n != 0 {
			break
		}
		dense++
	}
	p.u32("leading_dense_block_count", dense)
}

// dots3Sliding says of a layer that its attention has a window, and so sizes of its own; those that predict further tokens do.
func dots3Sliding(c *Config, layer int) bool {
	types := c.strs("layer_types")
	return layer >= len(types) || layer >= c.Int(layerKeys...) || types[layer] == "sliding_attention"
}

// dots3Int is a size of a layer, which has another name where attention has a window.
func dots3Int(c *Config, layer int, key string) int {
	if dots3Sliding(c, layer) {
		return c.Int("swa_" + key)
	}
	return c.Int(key)
}

func dots3QueryRank(c *Config) int { return c.Int("q_lora_rank") }

// dots3Values cuts keys and values by the sizes of the layer.
func dots3Values(c *Config, layer int) rule {
	heads := func(c *Config) int { return dots3Int(c, layer, "num_attention_heads") }
	sizes := func(c *Config) []int {
		return []int{dots3Int(c, layer, "qk_nope_head_dim"), dots3Int(c, layer, "v_head_dim")}
	}
	return rule{to: "blk.{}.attn_k_b", cut: heads, rows: parts(0, sizes), flip: true, also: []rule{{to: "blk.{}.attn_v_b", cut: heads, rows: parts(1, sizes)}}}
}

func dots3KeyNorm(c *Config, layer int) rule {
	return rule{to: "blk.{}.attn_kv_a_norm", scale: dots3Rescale(func(c *Config) int { return dots3Int(c, layer, "kv_lora_rank") })}
}

// dots3Rescale puts the factor sqrt(width / rank) behind a norm into its weights.
func dots3Rescale(rank func(*Config) int) func(*Config, int, int) float32 {
	return func(c *Config, _, _ int) float32 {
		if !c.Bool(false, "apply_mla_qkv_lora_rescale") {
			return 1
		}
		return float32(math.Sqrt(float64(c.Int(widthKeys...)) / float64(max(1, rank(c)))))
	}
}

// dots3Drafts puts the embedding of the layer that predicts further tokens into that layer.
func dots3Drafts(p *packs) ([]*tensor, error) {
	x := p.take("model.mtp.embed_tokens.weight")
	if x == nil {
		return nil, nil
	}
	return []*tensor{renamed(layerName(layer+"embed_tokens.weight", []int{p.config.Int(layerKeys...)}), x)}, nil
}

func dots3Params(p *params) {
	for key, want := range map[string]string{"scoring_func": "sigmoid", "attention_gate_type": "headwise", "swa_attention_gate_type": "headwise"} {
		if p.Has(key) && p.Str(key) != want {
			p.fail("%s %q is not known in this model, only %q", key, p.Str(key), want)
		}
	}
	if p.Int("swa_qk_rope_head_dim") != p.Int("qk_rope_head_dim") || p.Int("swa_q_lora_rank") != p.Int("q_lora_rank") {
		p.fail("layers with a window have another qk_rope_head_dim or q_lora_rank, which is not known")
	}
	deepseek2Params(p)
	kinds := make([]bool, p.blocks())
	for i := range kinds {
		kinds[i] = dots3Sliding(p.Config, i)
	}
	p.numbers("attention.head_count", everyLayer(kinds, p.Int("swa_num_attention_heads"), p.Int("num_attention_heads")))
	rank, turned := p.Int("swa_kv_lora_rank"), p.Int("swa_qk_rope_head_dim")
	p.u32("attention.sliding_window", p.Int("sliding_window_size"))
	p.bools("attention.sliding_window_pattern", kinds[:len(kinds)-p.drafts])
	p.u32("attention.kv_lora_rank_swa", rank)
	p.u32("attention.key_length_swa", rank+turned)
	p.u32("attention.value_length_swa", rank)
	p.u32("attention.key_length_mla_swa", p.Int("swa_qk_nope_head_dim")+turned)
	p.u32("attention.value_length_mla_swa", p.Int("swa_v_head_dim"))
	p.indexer()
	own := make([]bool, len(kinds)-p.drafts)
	for i := range own {
		own[i] = !kinds[i]
	}
	p.bools("attention.indexer.types", own)
}

func deepseek4Params(p *params) {
	p.usual()
	p.moe()
	p.u32("rope.dimension_count", p.Int("qk_rope_head_dim"))
	p.u32("attention.q_lora_rank", p.Int("q_lora_rank"))
	p.u32("attention.sliding_window", p.Int("sliding_window"))
	p.clamp("swiglu_clamp_exp", float32(p.Float("swiglu_limit")))
	p.clamp("swiglu_clamp_shexp", float32(p.Float("swiglu_limit")))
	p.indexer()
	p.u32("attention.output_group_count", p.Int("o_groups"))
	p.u32("attention.output_lora_rank", p.Int("o_lora_rank"))
	p.numbers("attention.compress_ratios", p.ints("compress_ratios"))
	p.f32("attention.compress_rope_freq_base", p.Float("compress_rope_theta"))
	p.u32("hyper_connection.count", p.Int("hc_mult"))
	p.u32("hyper_connection.sinkhorn_iterations", p.Int("hc_sinkhorn_iters"))
	p.f32("hyper_connection.epsilon", p.Float("hc_eps"))
	p.u32("hash_layer_count", p.Int("num_hash_layers"))
	p.u32("embedding_length_out", p.Int(widthKeys...)*p.Int("hc_mult"))
}
