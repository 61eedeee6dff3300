package hf

import "math"

// The names of GPT-2 and its kin.
const block = "transformer.h.{}."

var (
	gpt2Ends = outer("transformer.wte", "transformer.ln_f", "lm_head")
	// gpt2Names are those of all that grew out of GPT-2's code.
	gpt2Names = names(block, "ln_1", "attn_norm", "attn.c_attn", "attn_qkv", "attn.c_proj", "attn_output", "ln_2", "ffn_norm",
		"mlp.c_fc", "ffn_up", "mlp.c_proj", "ffn_down")
	positions = map[string]rule{"transformer.wpe": {to: "position_embd"}, block + "attn.bias": {}, block + "attn.masked_bias": {}, block + "attn": {}}
)

// conv1D are layers whose weights have inputs as rows.
func conv1D(table map[string]rule, keys ...string) map[string]rule {
	out := rules(table)
	for _, k := range keys {
		r := out[block+k]
		r.turned = true
		out[block+k] = r
	}
	return out
}

// headByHead are queries, keys and values of one head after those of another (BLOOM, GPT-NeoX); GGUF has all queries first.
func headByHead(c *Config, n int) ([]int, error) {
	return concat(grouped(0, headsQ, equal(3)), grouped(1, headsQ, equal(3)), grouped(2, headsQ, equal(3)))(c, n)
}

// groupByGroup has the queries of a key head, then its key and its value (Falcon, InternLM2).
func groupByGroup(i int) pick { return grouped(i, headsK, queriesKeyValue) }

func queriesKeyValue(c *Config) []int { return []int{headsQ(c) / max(1, headsK(c)), 1, 1} }

func init() {
	register(&Family{Arch: "gpt2", Classes: []string{"GPT2LMHeadModel"}, Params: gpt2Params,
		Rules: rules(gpt2Ends, positions, conv1D(gpt2Names, "attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj"))})
	register(&Family{Arch: "starcoder", Classes: []string{"GPTBigCodeForCausalLM"}, Params: gpt2Params, Rules: rules(gpt2Ends, positions, gpt2Names)})
	register(&Family{Arch: "starcoder2", Classes: []string{"Starcoder2ForCausalLM"}, Params: (*params).usual,
		Rules: rules(decoderRules, names(layer, "mlp.c_fc", "ffn_up", "mlp.c_proj", "ffn_down"))})
	register(&Family{Arch: "codeshell", Classes: []string{"CodeShellForCausalLM"}, Params: codeshellParams,
		Rules: rules(gpt2Ends, gpt2Names, map[string]rule{block + "attn.rotary_emb.inv_freq": {}})})
	register(&Family{Arch: "jais", Classes: []string{"JAISLMHeadModel"}, Params: jaisParams, Rules: rules(gpt2Ends, positions,
		conv1D(rules(gpt2Names, names(block, "mlp.c_fc2", "ffn_gate")), "attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_fc2", "mlp.c_proj"),
		map[string]rule{
			"transformer.wte":                {to: "token_embd", embed: true, scale: times("mup_embeddings_scale", "embeddings_scale")},
			"lm_head":                        {to: "output", head: true, scale: jaisWidth},
			"transformer.relative_pe.slopes": {},
		})})
	register(&Family{Arch: "jais2", Classes: []string{"Jais2ForCausalLM"}, Params: jais2Params, Rules: decoderRules})
	register(&Family{Arch: "bloom", Classes: []string{"BloomForCausalLM", "BloomModel"}, Params: bloomParams, Rules: rules(
		outer("transformer.word_embeddings", "transformer.ln_f", "lm_head"), map[string]rule{
			"transformer.word_embeddings_layernorm":  {to: "token_embd_norm"},
			block + "self_attention.query_key_value": {to: "blk.{}.attn_qkv", rows: headByHead},
		}, names(block, "input_layernorm", "attn_norm", "self_attention.dense", "attn_output", "post_attention_layernorm", "ffn_norm",
			"mlp.dense_h_to_4h", "ffn_up", "mlp.dense_4h_to_h", "ffn_down"))})
	register(&Family{Arch: "falcon", Classes: []string{"FalconForCausalLM", "RWForCausalLM"}, Params: falconParams, Rules: rules(
		outer("transformer.word_embeddings", "transformer.ln_f", "lm_head"), map[string]rule{
			block + "self_attention.query_key_value": {to: "blk.{}.attn_qkv", rows: concat(groupByGroup(0), groupByGroup(1), groupByGroup(2))},
		}, names(block, "input_layernorm", "attn_norm", "ln_mlp", "attn_norm", "ln_attn", "attn_norm_2", "self_attention.dense", "attn_output",
			"mlp.dense_h_to_4h", "ffn_up", "mlp.dense_4h_to_h", "ffn_down"))})
	const neox = "gpt_neox.layers.{}."
	register(&Family{Arch: "gptneox", Classes: []string{"GPTNeoXForCausalLM"}, Params: neoxParams, Rules: rules(
		outer("gpt_neox.embed_in", "gpt_neox.final_layer_norm", "embed_out"), map[string]rule{
			neox + "attention.query_key_value": {to: "blk.{}.attn_qkv", rows: headByHead}, neox + "attention.bias": {}, neox + "attention": {},
			neox + "attention.masked_bias": {}, neox + "attention.rotary_emb.inv_freq": {},
		}, names(neox, "input_layernorm", "attn_norm", "attention.dense", "attn_output", "post_attention_layernorm", "ffn_norm",
			"mlp.dense_h_to_4h", "ffn_up", "mlp.dense_4h_to_h", "ffn_down"))})
	register(&Family{Arch: "refact", Classes: []string{"GPTRefactForCausalLM"}, Params: refactParams, Rules: rules(gpt2Ends, map[string]rule{
		block + "attn.kv":          halves("blk.{}.attn_k", "blk.{}.attn_v", ""),
		block + "mlp.gate_up_proj": halves("blk.{}.ffn_gate", "blk.{}.ffn_up", ""),
	}, names(block, "ln_1", "attn_norm", "attn.q", "attn_q", "attn.c_proj", "attn_output", "ln_2", "ffn_norm", "mlp.c_proj", "ffn_down"))})
	const mpt = "transformer.blocks.{}."
	register(&Family{Arch: "mpt", Classes: []string{"MPTForCausalLM"}, Params: mptParams, Rules: rules(
		outer("transformer.wte", "transformer.norm_f", "lm_head"), map[string]rule{"transformer.wpe": {to: "position_embd"},
			mpt + "ffn.act.scales": {to: "blk.{}.ffn.act.scales"}},
		names(mpt, "norm_1", "attn_norm", "attn.Wqkv", "attn_qkv", "attn.q_ln", "attn_q_norm", "attn.k_ln", "attn_k_norm", "attn.out_proj", "attn_output",
			"norm_2", "ffn_norm", "ffn.up_proj", "ffn_up", "ffn.down_proj", "ffn_down"))})
	register(&Family{Arch: "dbrx", Classes: []string{"DbrxForCausalLM"}, Params: dbrxParams, Rules: rules(
		outer("transformer.wte", "transformer.norm_f", "lm_head"), names(mpt, "norm_attn_norm.norm_1", "attn_norm", "norm_attn_norm.norm_2", "attn_output_norm",
			"norm_attn_norm.attn.Wqkv", "attn_qkv", "norm_attn_norm.attn.out_proj", "attn_output", "ffn.router.layer", "ffn_gate_inp"), map[string]rule{
			mpt + "ffn.experts.mlp.w1": {to: "blk.{}.ffn_gate_exps", suffix: ".weight", cut: dbrxExperts},
			mpt + "ffn.experts.mlp.v1": {to: "blk.{}.ffn_up_exps", suffix: ".weight", cut: dbrxExperts},
			mpt + "ffn.experts.mlp.w2": {to: "blk.{}.ffn_down_exps", suffix: ".weight", cut: dbrxExperts, flip: true},
		})})
}

// times multiplies by a number of config.json.
func times(keys ...string) func(*Config, int, int) float32 {
	return func(c *Config, _, _ int) float32 { return float32(c.Float(keys...)) }
}

func jaisWidth(c *Config, _, _ int) float32 {
	if c.Has("mup_output_alpha") {
		return float32(c.Float("mup_output_alpha") * c.Float("mup_width_scale"))
	}
	return float32(c.Float("width_scale"))
}

// four times the width of the model is that of the feed-forward network where config.json tells none.
func (p *params) fourfold() {
	if !p.Has("intermediate_size", "n_inner", "hidden_dim") {
		p.setDefault("intermediate_size", 4*float64(p.Int(widthKeys...)))
	}
}

// gpt2Params shares one key head among all queries where multi_query says so (StarCoder).
func gpt2Params(p *params) {
	p.fourfold()
	if p.Bool(false, "multi_query") {
		p.setDefault("num_key_value_heads", 1)
	}
	p.usual()
}

func codeshellParams(p *params) {
	p.fourfold()
	p.usual()
	p.f32("rope.freq_base", 10000)
}

func jaisParams(p *params) {
	p.usual()
	p.f32("attention.max_alibi_bias", 8)
}

func jais2Params(p *params) {
	p.usual()
	p.u32("rope.dimension_count", p.headDim())
}

func bloomParams(p *params) {
	p.fourfold()
	p.setDefault("max_position_embeddings", float64(p.IntOr(p.Int(widthKeys...), "seq_length")))
	p.usual()
	p.f32("attention.max_alibi_bias", 8)
}

func falconParams(p *params) {
	p.fourfold()
	p.setDefault("max_position_embeddings", 2048)
	if !p.Bool(false, "new_decoder_architecture") && p.Bool(true, "multi_query") {
		p.values["num_kv_heads"] = 1.0
		p.setDefault("n_head_kv", 1)
	}
	p.usual()
}

func neoxParams(p *params) {
	p.usual()
	r := p.FloatOr(1, "rotary_pct")
	p.u32("rope.dimension_count", int(r*float64(p.headDim())))
	p.bool("use_parallel_residual", p.Bool(true, "use_parallel_residual"))
}

// refactParams has a feed-forward network of two thirds of four times the width, in multiples of 256.
func refactParams(p *params) {
	ff := p.Int("n_embd") * 8 / 3
	p.values["intermediate_size"] = float64((ff + 255) / 256 * 256)
	p.setDefault("num_key_value_heads", 1)
	p.usual()
	p.f32("attention.layer_norm_rms_epsilon", p.Float("layer_norm_epsilon"))
}

func mptParams(p *params) {
	p.setDefault("intermediate_size", 4*float64(p.Int("d_model")))
	p.usual()
	p.f32("attention.layer_norm_epsilon", 1e-5)
	a := p.in("attn_config")
	p.u32("attention.head_count_kv", a.IntOr(headsQ(p.Config), "kv_n_heads"))
	if a.Has("clip_qkv") {
		p.f32("attention.clamp_kqv", a.Float("clip_qkv"))
	}
	bias := 0.0
	if a.Bool(false, "alibi") {
		bias = a.FloatOr(8, "alibi_bias_max")
	}
	p.f32("attention.max_alibi_bias", bias)
	p.keep(a)
}

func dbrxExperts(c *Config) int { return c.in("ffn_config").IntOr(0, "moe_num_experts") }

func dbrxParams(p *params) {
	a, f := p.in("attn_config"), p.in("ffn_config")
	p.setDefault("intermediate_size", float64(f.Int("ffn_hidden_size")))
	p.setDefault("num_key_value_heads", float64(a.Int("kv_n_heads")))
	p.usual()
	p.f32("rope.freq_base", a.FloatOr(10000, "rope_theta"))
	p.f32("attention.clamp_kqv", a.FloatOr(math.MaxFloat32, "clip_qkv"))
	p.u32("expert_count", f.Int("moe_num_experts"))
	p.u32("expert_used_count", f.Int("moe_top_k"))
	p.f32("attention.layer_norm_epsilon", 1e-5)
	p.keep(a)
	p.keep(f)
}
