package hf

// gptOssRules have the rows of gate and up by turns; in four bits they stand as they are, else with inputs as rows.
var gptOssRules = rules(decoderRules, names(layer, "mlp.router", "ffn_gate_inp", "post_attention_layernorm", "post_attention_norm"), map[string]rule{
	layer + "self_attn.sinks":                 {to: "blk.{}.attn_sinks", suffix: ".weight"},
	layer + "mlp.experts.down_proj":           {to: "blk.{}.ffn_down_exps", suffix: ".weight", turned: true},
	layer + "mlp.experts.gate_up_proj":        byTurns(".weight", true),
	layer + "mlp.experts.down_proj_bias":      {to: "blk.{}.ffn_down_exps", suffix: ".bias"},
	layer + "mlp.experts.gate_up_proj_bias":   byTurns(".bias", false),
	layer + "mlp.experts.down_proj_blocks":    {to: "blk.{}.ffn_down_exps", suffix: ".weight", spare: true},
	layer + "mlp.experts.gate_up_proj_blocks": spare(byTurns(".weight", false)),
})

func byTurns(suffix string, turned bool) rule {
	return rule{to: "blk.{}.ffn_gate_exps", suffix: suffix, turned: turned, rows: strided(0, 2),
		also: []rule{{to: "blk.{}.ffn_up_exps", suffix: suffix, turned: turned, rows: strided(1, 2)}}}
}

func init() {
	register(&Family{Arch: "gpt-oss", Classes: []string{"GptOssForCausalLM"}, Rules: gptOssRules, Params: gptOssParams})
}

func gptOssParams(p *params) {
	p.usual()
	p.u32("attention.sliding_window", p.Int("sliding_window"))
	p.u32("expert_feed_forward_length", p.Int("intermediate_size"))
}
