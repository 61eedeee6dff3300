package hf

import "math"

const plamoLayer = "model.layers.layers.{}."

// plamoNorms, those after mixers without suffix in GGUF, multiply by an offset plus w: 1 before the mixers, 1/5 and 5^-1.5 after them (PLaMo 2).
var plamoNorms = map[string]rule{
	"model.norm":                   {to: "output_norm", add: 1},
	plamoLayer + "pre_mixer_norm":  {to: "blk.{}.attn_norm", add: 1},
	plamoLayer + "post_mixer_norm": {to: "blk.{}.post_attention_norm", add: 1.0 / 5, bare: true},
	plamoLayer + "pre_mlp_norm":    {to: "blk.{}.ffn_norm", add: 1},
	plamoLayer + "post_mlp_norm":   {to: "blk.{}.post_ffw_norm", add: float32(1 / (5 * math.Sqrt(5))), bare: true},
}

var plamoMixer = rules(outer("model.embed_tokens", "model.norm", "lm_head"), plamoNorms, names(plamoLayer, "mixer.qkv_proj", "attn_qkv", "mixer.o_proj", "attn_output",
	"mlp.gate_up_proj", "ffn_up", "mlp.down_proj", "ffn_down"))

func weight(to string) rule { return rule{to: "blk.{}." + to, suffix: ".weight"} }
func bare(to string) rule   { return rule{to: "blk.{}." + to, bare: true} }

func init() {
	register(&Family{Arch: "plamo2", Classes: []string{"Plamo2ForCausalLM", "PLaMo2ForCausalLM"}, Mixed: true, Params: plamo2Params, Rules: rules(plamoMixer,
		names(plamoLayer+"mixer.", "in_proj", "ssm_in", "conv1d", "ssm_conv1d", "bcdt_proj", "ssm_x", "dt_proj", "ssm_dt", "out_proj", "ssm_out", "D", "ssm_d"), map[string]rule{
			plamoLayer + "mixer.A_log": {to: "blk.{}.ssm_a", each: negExp}, plamoLayer + "mixer.dt_bias": {to: "blk.{}.ssm_dt", suffix: ".bias"},
			plamoLayer + "mixer.dt_norm_weight": bare("ssm_dt_norm"), plamoLayer + "mixer.B_norm_weight": bare("ssm_b_norm"),
			plamoLayer + "mixer.C_norm_weight": bare("ssm_c_norm"), plamoLayer + "mixer.q_weight": weight("attn_q_norm"), plamoLayer + "mixer.k_weight": weight("attn_k_norm"),
		})})
	register(&Family{Arch: "plamo3", Classes: []string{"Plamo3ForCausalLM", "PLaMo3ForCausalLM"}, Params: plamo3Params, Rules: rules(plamoMixer, map[string]rule{
		plamoLayer + "mixer.q_norm": {to: "blk.{}.attn_q_norm", add: 1}, plamoLayer + "mixer.k_norm": {to: "blk.{}.attn_k_norm", add: 1}})})
	const elm = "transformer.layers.{}."
	register(&Family{Arch: "openelm", Classes: []string{"OpenELMForCausalLM"}, Params: openelmParams, Rules: rules(
		outer("transformer.token_embeddings", "transformer.norm", "lm_head"), map[string]rule{elm + "ffn.proj_1": halves("blk.{}.ffn_gate", "blk.{}.ffn_up", "")},
		names(elm, "attn_norm", "attn_norm", "attn.qkv_proj", "attn_qkv", "attn.q_norm", "attn_q_norm", "attn.k_norm", "attn_k_norm", "attn.out_proj", "attn_output",
			"ffn_norm", "ffn_norm", "ffn.proj_2", "ffn_down"))})
	register(&Family{Arch: "hrm_text", Classes: []string{"HrmTextForCausalLM"}, Params: hrmParams, Rules: rules(
		map[string]rule{"model.embed_tokens": {to: "token_embd", embed: true}, "lm_head": {to: "output", head: true}, "model.z_L_init": {to: "hrm.z_l_init"}}, hrmStack("model.L_module.layers.{}.", nil), hrmStack("model.H_module.layers.{}.", afterLow))})
}

// hrmStack are the layers of one of the two modules of a hierarchical reasoning model.
func hrmStack(prefix string, at func(*Config, int) int) map[string]rule {
	out := rules(names(prefix, "attn.o_proj", "attn_output", "mlp.down_proj", "ffn_down"), map[string]rule{
		prefix + "attn.gqkv_proj": {to: "blk.{}.attn_gate", rows: share(0, 4), also: []rule{{to: "blk.{}.attn_q", rows: share(1, 4), layer: at},
			{to: "blk.{}.attn_k", rows: share(2, 4), layer: at}, {to: "blk.{}.attn_v", rows: share(3, 4), layer: at}}},
		prefix + "mlp.gate_up_proj": {to: "blk.{}.ffn_gate", rows: share(0, 2), also: []rule{{to: "blk.{}.ffn_up", rows: share(1, 2), layer: at}}},
	})
	for k, r := range out {
		r.layer = at
		out[k] = r
	}
	return out
}

// lowLayers is the number of layers of the low module, and of the high one.
func lowLayers(c *Config) int {
	return c.IntOr(c.IntOr(0, layerKeys...), "num_layers_per_stack")
}

func afterLow(c *Config, layer int) int { return layer + lowLayers(c) }

// hrmParams counts a layer for each time that it is computed; files have each once.
func hrmParams(p *params) {
	low, high := p.Int("L_cycles", "l_cycles"), p.Int("H_cycles", "h_cycles")
	p.stored = 2 * lowLayers(p.Config)
	p.setDefault("num_hidden_layers", 0)
	p.usual()
	p.u32("block_count", lowLayers(p.Config)*high*(low+1))
	p.u32("rope.dimension_count", p.headDim())
	p.f32("embedding_scale", p.Float("embedding_scale"))
	p.u32("hrm.layers_per_stack", lowLayers(p.Config))
	p.u32("hrm.h_cycles", high)
	p.u32("hrm.l_cycles", low)
	p.bool("hrm.prefix_lm", p.Bool(false, "prefix_lm"))
}

// plamo2Params has Mamba and attention by turns.
func plamo2Params(p *params) {
	for key, x := range map[string]float64{"hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 4, "intermediate_size": 13312,
		"max_position_embeddings": 2048, "rms_norm_eps": 1e-6, "hidden_size_per_head": 128, "mamba_num_heads": 64} {
		p.setDefault(key, x)
	}
	p.usual()
	layers, step := p.layers(), max(1, p.IntOr(2, "mamba_step"))
	kinds := make([]bool, layers)
	for i := range kinds {
		kinds[i] = i%step == step/2
		if layers <= step/2 {
			kinds[i] = i == layers-1
		}
	}
	if p.Bool(true, "mamba_enabled") {
		p.numbers("attention.head_count", everyLayer(kinds, headsQ(p.Config), 0))
		p.numbers("attention.head_count_kv", everyLayer(kinds, headsK(p.Config), 0))
	}
	p.u32("vocab_size", p.rows)
	dim, heads := p.Int("hidden_size_per_head"), p.Int("mamba_num_heads")
	p.u32("attention.key_length", dim)
	p.u32("attention.value_length", dim)
	p.f32("rope.freq_base", p.FloatOr(10000, "rope_theta"))
	p.u32("ssm.state_size", p.IntOr(64, "mamba_d_state"))
	p.u32("ssm.conv_kernel", p.IntOr(4, "mamba_d_conv"))
	p.u32("ssm.time_step_rank", heads)
	p.u32("ssm.inner_size", heads*dim)
	p.u32("ssm.group_count", 0)
}

func plamo3Params(p *params) {
	p.usual()
	p.u32("vocab_size", p.rows)
	p.optional("attention.sliding_window", "window_size", "sliding_window")
	if p.Has("sliding_window_pattern") {
		p.u32("attention.sliding_window_pattern", p.Int("sliding_window_pattern"))
	}
}

// openelmParams has numbers of heads and widths that grow with the layers.
func openelmParams(p *params) {
	width, divisor := p.Int("model_dim"), p.Int("ffn_dim_divisor")
	var ff []int
	for _, m := range p.floats("ffn_multipliers") {
		ff = append(ff, divisible(float64(m)*float64(width), max(1, divisor)))
	}
	p.u32("block_count", p.Int("num_transformer_layers"))
	p.u32("context_length", p.Int("max_context_length"))
	p.u32("embedding_length", width)
	p.numbers("feed_forward_length", ff)
	p.numbers("attention.head_count", p.ints("num_query_heads"))
	p.numbers("attention.head_count_kv", p.ints("num_kv_heads"))
	p.f32("rope.freq_base", p.Float("rope_freq_constant"))
	p.f32("attention.layer_norm_rms_epsilon", 1e-6)
	p.u32("rope.dimension_count", p.Int("head_dim"))
	p.u32("attention.key_length", p.Int("head_dim"))
	p.u32("attention.value_length", p.Int("head_dim"))
}

// divisible rounds to a multiple of divisor that is not more than a tenth below v.
func divisible(v float64, divisor int) int {
	n := max(divisor, int(v+float64(divisor)/2)/divisor*divisor)
	if float64(n) < 0.9*v {
		n += divisor
	}
	return n
}
