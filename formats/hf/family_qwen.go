package hf

// qkNorms are the norms on the heads of queries and keys.
var qkNorms = map[string]rule{
	layer + "self_attn.q_norm": {to: "blk.{}.attn_q_norm"},
	layer + "self_attn.k_norm": {to: "blk.{}.attn_k_norm"},
}

// qwenExperts are the mixture of experts: one matrix a file entry, or all of a layer in one, as newer folders have them.
var qwenExperts = map[string]rule{
	layer + "mlp.gate":                 {to: "blk.{}.ffn_gate_inp"},
	layer + "mlp.experts.{}.gate_proj": {to: "blk.{}.ffn_gate_exps"},
	layer + "mlp.experts.{}.up_proj":   {to: "blk.{}.ffn_up_exps"},
	layer + "mlp.experts.{}.down_proj": {to: "blk.{}.ffn_down_exps"},
	layer + "mlp.experts.down_proj":    {to: "blk.{}.ffn_down_exps", suffix: ".weight", spare: true},
	layer + "mlp.experts.gate_up_proj": spare(halves("blk.{}.ffn_gate_exps", "blk.{}.ffn_up_exps", ".weight")),
}

func init() {
	register(&Family{Arch: "qwen2", Classes: []string{"Qwen2ForCausalLM"}, Rules: decoderRules, Params: (*params).usual})
	register(&Family{Arch: "qwen3", Classes: []string{"Qwen3ForCausalLM"}, Rules: with(decoderRules, qkNorms), Params: qwen3Params})
	register(&Family{Arch: "qwen3moe", Classes: []string{"Qwen3MoeForCausalLM"},
		Rules: with(with(decoderRules, qkNorms), qwenExperts), Params: qwen3moeParams})
}

// qwen3Params sets the width of a head where config.json has none: 128, whatever the width of the model.
func qwen3Params(p *params) {
	p.setDefault("head_dim", 128)
	p.usual()
}

func qwen3moeParams(p *params) {
	qwen3Params(p)
	p.u32("expert_feed_forward_length", p.Int("moe_intermediate_size"))
}
