package hf

import "math"

// negExp is what state-space models make of A_log: the continuous-time A is negative (Gu & Dao, Mamba).
func negExp(x float32) float32 { return -float32(math.Exp(float64(x))) }

// linearAttention are the gated delta rule's (Qwen3-Next), beside its projections. Norms hold w of 1 + w.
var linearAttention = rules(decoderRules, qkNorms, draft, map[string]rule{
	"model.norm":                       {to: "output_norm", add: 1},
	layer + "input_layernorm":          {to: "blk.{}.attn_norm", add: 1},
	layer + "post_attention_layernorm": {to: "blk.{}.post_attention_norm", add: 1},
	layer + "self_attn.q_norm":         {to: "blk.{}.attn_q_norm", add: 1},
	layer + "self_attn.k_norm":         {to: "blk.{}.attn_k_norm", add: 1},
	layer + "linear_attn.norm":         {to: "blk.{}.ssm_norm"},
	layer + "enorm":                    {to: "blk.{}.nextn.enorm", add: 1},
	layer + "hnorm":                    {to: "blk.{}.nextn.hnorm", add: 1},
	layer + "shared_head.norm":         {to: "blk.{}.nextn.shared_head_norm", add: 1},
})

// delta are the projections of Qwen3-Next: queries, keys, values and gates stand together for each key head.
var delta = map[string]rule{
	layer + "linear_attn.in_proj_qkvz": {to: "blk.{}.attn_qkv", rows: concat(qkvz(0), qkvz(1), qkvz(2)), also: []rule{{to: "blk.{}.attn_gate", rows: qkvz(3)}}},
	layer + "linear_attn.in_proj_ba":   {to: "blk.{}.ssm_ba"},
	layer + "linear_attn.conv1d":       {to: "blk.{}.ssm_conv1d"},
	layer + "linear_attn.A_log":        {to: "blk.{}.ssm_a", each: negExp},
	layer + "linear_attn.dt_bias":      {to: "blk.{}.ssm_dt", suffix: ".bias"},
	layer + "linear_attn.out_proj":     {to: "blk.{}.ssm_out"},
}

// tiled are the projections of Qwen3.5. Its value heads stand in groups by key head; GGUF has the first of each group, then the
// second, so that key heads repeat as a whole.
var tiled = map[string]rule{
	layer + "linear_attn.in_proj_qkv": {to: "blk.{}.attn_qkv", rows: valueRows},
	layer + "linear_attn.in_proj_z":   {to: "blk.{}.attn_gate", rows: valueHeads},
	layer + "linear_attn.in_proj_a":   {to: "blk.{}.ssm_alpha", rows: valueHeads},
	layer + "linear_attn.in_proj_b":   {to: "blk.{}.ssm_beta", rows: valueHeads},
	layer + "linear_attn.conv1d":      {to: "blk.{}.ssm_conv1d", rows: valueRows},
	layer + "linear_attn.A_log":       {to: "blk.{}.ssm_a", each: negExp, rows: valueHeads},
	layer + "linear_attn.dt_bias":     {to: "blk.{}.ssm_dt", suffix: ".bias", rows: valueHeads},
	layer + "linear_attn.out_proj":    {to: "blk.{}.ssm_out", columns: valueHeads},
}

func keyHeads(c *Config) int     { return c.Int("linear_num_key_heads") }
func valuesPerKey(c *Config) int { return c.Int("linear_num_value_heads") / max(1, keyHeads(c)) }
func keyChannels(c *Config) int  { return keyHeads(c) * c.Int("linear_key_head_dim") }

func qkvz(i int) pick {
	return grouped(i, keyHeads, func(c *Config) []int {
		k, v := c.Int("linear_key_head_dim"), valuesPerKey(c)*c.Int("linear_value_head_dim")
		return []int{k, k, v, v}
	})
}

// qkv are the channels of queries, keys and values.
func qkv(c *Config) []int {
	k := keyChannels(c)
	return []int{k, k, c.Int("linear_num_value_heads") * c.Int("linear_value_head_dim")}
}

var (
	valueHeads = swapped(keyHeads, valuesPerKey)
	valueRows  = concat(parts(0, qkv), parts(1, qkv), then(parts(2, qkv), valueHeads))
)

func init() {
	register(&Family{Arch: "qwen3next", Classes: []string{"Qwen3NextForCausalLM"}, Mixed: true, Join: qwenDrafts, Params: qwen3nextParams,
		Rules: rules(linearAttention, delta, experts, sharedExpert)})
	register(&Family{Arch: "qwen35", Classes: []string{"Qwen3_5ForCausalLM", "Qwen3_5ForConditionalGeneration"}, Mixed: true, Skip: seeing, Join: qwenDrafts,
		Params: qwen35Params, Rules: rules(linearAttention, tiled)})
	register(&Family{Arch: "qwen35moe", Classes: []string{"Qwen3_5MoeForCausalLM", "Qwen3_5MoeForConditionalGeneration"}, Mixed: true, Skip: seeing, Join: qwenDrafts,
		Params: qwen35Params, Rules: rules(linearAttention, tiled, experts, sharedExpert)})
}

func qwen3nextParams(p *params) {
	if !p.Has("intermediate_size") { // of models whose layers all have experts
		p.setDefault("intermediate_size", float64(p.IntOr(0, "shared_expert_intermediate_size")))
	}
	p.usual()
	p.moe()
	p.u32("ssm.conv_kernel", p.Int("linear_conv_kernel_dim"))
	p.u32("ssm.state_size", p.Int("linear_key_head_dim"))
	p.u32("ssm.group_count", keyHeads(p.Config))
	p.u32("ssm.time_step_rank", p.Int("linear_num_value_heads"))
	p.u32("ssm.inner_size", p.Int("linear_value_head_dim")*p.Int("linear_num_value_heads"))
	if p.Has("layer_types") {
		p.bools("attention.recurrent_layers", p.layerKinds("linear_attention"))
	}
	p.u32("full_attention_interval", p.IntOr(4, "full_attention_interval"))
	p.rotated(0.25)
}

func qwen35Params(p *params) {
	qwen3nextParams(p)
	if _, ok := p.md.Get(p.arch + ".rope.dimension_sections"); !ok {
		p.rotarySections(11, 11, 10, 0)
	}
}
