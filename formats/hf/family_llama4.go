package hf

// llama4Rules are those of layers with and without experts.
var llama4Rules = rules(decoderRules, turnedExperts(layer+"feed_forward.experts."), names(layer, "feed_forward.gate_proj", "ffn_gate",
	"feed_forward.up_proj", "ffn_up", "feed_forward.down_proj", "ffn_down", "feed_forward.router", "ffn_gate_inp",
	"feed_forward.shared_expert.gate_proj", "ffn_gate_shexp", "feed_forward.shared_expert.up_proj", "ffn_up_shexp",
	"feed_forward.shared_expert.down_proj", "ffn_down_shexp"))

func init() {
	register(&Family{Arch: "llama4", Classes: []string{"Llama4ForConditionalGeneration", "Llama4ForCausalLM"}, Mixed: true, Skip: seeing,
		Rules: llama4Rules, Params: llama4Params, Extra: (*params).llama3Factors})
	register(&Family{Arch: "arcee", Classes: []string{"ArceeForCausalLM"}, Rules: llamaRules, Params: llamaParams, Extra: (*params).llama3Factors})
	register(&Family{Arch: "afmoe", Classes: []string{"AfmoeForCausalLM"}, Mixed: true, Params: afmoeParams,
		Rules: rules(decoderRules, qkNorms, experts, sharedExperts, correction("mlp.expert_bias"), names(layer, "mlp.router.gate", "ffn_gate_inp",
			"self_attn.gate_proj", "attn_gate", "post_attention_layernorm", "post_attention_norm", "pre_mlp_layernorm", "ffn_norm", "post_mlp_layernorm", "post_ffw_norm"))})
	register(&Family{Arch: "maincoder", Classes: []string{"MaincoderForCausalLM"}, Rules: rules(decoderRules, qkNorms), Params: maincoderParams})
	register(&Family{Arch: "seed_oss", Classes: []string{"SeedOssForCausalLM"}, Params: (*params).usual,
		Rules: rules(decoderRules, names(layer, "post_attention_layernorm", "post_attention_norm"))})
}

// llama4Params has two widths of the feed-forward network: of layers without experts, and of experts.
func llama4Params(p *params) {
	expert := p.Int("intermediate_size")
	p.values["intermediate_size"] = float64(p.Int("intermediate_size_mlp"))
	llamaParams(p)
	p.u32("interleave_moe_layer_step", p.Int("interleave_moe_layer_step"))
	p.u32("expert_feed_forward_length", expert)
}

func afmoeParams(p *params) {
	llamaParams(p)
	p.moe()
	p.optional("attention.sliding_window", "sliding_window")
}

func maincoderParams(p *params) {
	p.usual()
	p.optional("rope.dimension_count", "head_dim")
}
