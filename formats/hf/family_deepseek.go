package hf

// sharedExperts are those that every token goes to, one matrix for all, and the correction of the router's scores
// (DeepSeek-V3).
var sharedExperts = rules(names(layer, "mlp.shared_experts.gate_proj", "ffn_gate_shexp", "mlp.shared_experts.up_proj", "ffn_up_shexp",
	"mlp.shared_experts.down_proj", "ffn_down_shexp"), correction("mlp.gate.e_score_correction_bias"))

// correction is the vector that is added to the router's scores before the choice of experts.
func correction(key string) map[string]rule {
	return map[string]rule{layer + key: {to: "blk.{}.exp_probs_b", suffix: ".bias"}}
}

// latent are the projections of attention through a latent vector (DeepSeek-V2). Those from it to keys and values are one
// matrix a head in the checkpoint; GGUF has keys turned, to be multiplied with queries.
var latent = rules(names(layer, "self_attn.q_a_proj", "attn_q_a", "self_attn.q_a_layernorm", "attn_q_a_norm", "self_attn.q_b_proj", "attn_q_b",
	"self_attn.kv_a_proj_with_mqa", "attn_kv_a_mqa", "self_attn.kv_a_layernorm", "attn_kv_a_norm"), map[string]rule{
	layer + "self_attn.kv_b_proj": {to: "blk.{}.attn_k_b", cut: headsQ, rows: parts(0, keysAndValues), flip: true,
		also: []rule{{to: "blk.{}.attn_v_b", cut: headsQ, rows: parts(1, keysAndValues)}}},
})

func keysAndValues(c *Config) []int { return []int{c.Int("qk_nope_head_dim"), c.Int("v_head_dim")} }

// indexer chooses the tokens that are attended to (DeepSeek-V3.2).
var indexer = names(layer, "self_attn.indexer.k_norm", "indexer.k_norm", "self_attn.indexer.weights_proj", "indexer.proj",
	"self_attn.indexer.wk", "indexer.attn_k", "self_attn.indexer.wq_b", "indexer.attn_q_b")

var deepseek2Rules = rules(decoderRules, experts, sharedExperts, latent)

func init() {
	register(&Family{Arch: "deepseek", Classes: []string{"DeepseekForCausalLM"}, Mixed: true, Params: deepseekParams,
		Rules: rules(llamaRules, experts, sharedExperts)})
	register(&Family{Arch: "deepseek2", Classes: []string{"DeepseekV2ForCausalLM", "DeepseekV3ForCausalLM", "KimiVLForConditionalGeneration",
		"KimiK25ForConditionalGeneration", "YoutuForCausalLM"}, Mixed: true, Skip: seeing, Params: deepseek2Params, Rules: deepseek2Rules})
	register(&Family{Arch: "deepseek2", Classes: []string{"Glm4MoeLiteForCausalLM"}, Mixed: true, Params: deepseek2Params, Rules: rules(deepseek2Rules, draft)})
	register(&Family{Arch: "deepseek32", Classes: []string{"DeepseekV32ForCausalLM"}, Mixed: true, Params: indexed(deepseek2Params),
		Rules: rules(deepseek2Rules, indexer, draft)})
	register(&Family{Arch: "glm-dsa", Classes: []string{"GlmMoeDsaForCausalLM"}, Mixed: true, Params: indexed(deepseek2Params),
		Rules: rules(deepseek2Rules, indexer, draft)})
	register(&Family{Arch: "mistral4", Classes: []string{"Mistral3ForConditionalGeneration"}, Marker: "model_type=mistral4", Skip: seeing, Mixed: true, Params: deepseek2Params, Rules: deepseek2Rules})
}

func deepseekParams(p *params) {
	p.usual()
	p.moe()
	p.u32("rope.dimension_count", p.headDim())
	p.noScaling()
	p.u32("vocab_size", p.rows)
	p.f32("expert_weights_scale", 1)
}

// deepseek2Params describes attention as that of one head of keys and values, the latent vector and the rotated part.
func deepseek2Params(p *params) {
	p.setDefault("rms_norm_eps", 1e-6)
	delete(p.values, "head_dim")
	p.usual()
	p.u32("attention.head_count_kv", 1)
	p.u32("vocab_size", p.rows)
	p.moe()
	p.latent()
	dense := 0
	if !p.Has("n_routed_experts") {
		dense = p.Int(layerKeys...)
	}
	p.u32("leading_dense_block_count", p.IntOr(dense, "first_k_dense_replace"))
	p.u32("expert_feed_forward_length", p.Int("moe_intermediate_size", "intermediate_size"))
	if r := p.rope(); r.Has("mscale_all_dim") {
		p.f32("rope.scaling.yarn_log_multiplier", 0.1*r.Float("mscale_all_dim"))
		p.keep(r)
	}
}

// latent writes the widths of attention through a latent vector.
func (p *params) latent() {
	rank, turned := p.IntOr(512, "kv_lora_rank"), p.Int("qk_rope_head_dim")
	p.optional("attention.q_lora_rank", "q_lora_rank")
	p.u32("attention.kv_lora_rank", rank)
	p.u32("attention.key_length", rank+turned)
	p.u32("attention.value_length", rank)
	p.u32("attention.key_length_mla", p.Int("qk_nope_head_dim")+turned)
	p.u32("attention.value_length_mla", p.Int("v_head_dim"))
	p.u32("rope.dimension_count", turned)
}

// indexed adds the sizes of the indexer.
func indexed(f func(*params)) func(*params) {
	return func(p *params) {
		f(p)
		p.indexer()
		p.indexerTypes()
	}
}

// indexer writes the sizes of what chooses tokens.
func (p *params) indexer() {
	p.u32("attention.indexer.head_count", p.Int("index_n_heads"))
	p.u32("attention.indexer.key_length", p.Int("index_head_dim"))
	p.u32("attention.indexer.top_k", p.Int("index_topk"))
}

// indexerTypes writes which layers have one, where config.json tells.
func (p *params) indexerTypes() {
	if !p.Has("indexer_types") {
		return
	}
	types := p.strs("indexer_types")
	full := make([]bool, len(types))
	for i, t := range types {
		full[i] = t == "full"
	}
	p.bools("attention.indexer.types", full)
}
