package hf

// longContext is the context of models without positions.
const longContext = 1 << 20

// ssm begins the parameters of a model without attention.
func (p *params) ssm(inner int) {
	width := p.Int(widthKeys...)
	p.u32("block_count", p.Int(layerKeys...))
	p.u32("context_length", longContext)
	p.u32("embedding_length", width)
	p.u32("feed_forward_length", 0)
	p.u32("attention.head_count", 0)
	p.u32("ssm.conv_kernel", p.IntOr(4, "conv_kernel", "d_conv", "mamba_d_conv"))
	p.u32("ssm.inner_size", inner)
	p.f32("attention.layer_norm_rms_epsilon", p.FloatOr(1e-5, "layer_norm_epsilon", "rms_norm_eps"))
}

func mambaParams(p *params) {
	width := p.Int(widthKeys...)
	p.ssm(p.IntOr(2*width, "intermediate_size", "d_inner"))
	p.u32("ssm.state_size", p.IntOr(16, "state_size", "d_state"))
	p.u32("ssm.time_step_rank", p.IntOr(ceil(width, 16), "time_step_rank", "dt_rank"))
	p.bool("ssm.dt_b_c_rms", p.Str("model_type") == "falcon_mamba")
}

func mamba2Params(p *params) {
	width := p.Int(widthKeys...)
	inner := p.IntOr(p.IntOr(2, "mamba_expand", "expand")*width, "mamba_d_ssm", "intermediate_size", "d_inner")
	p.ssm(inner)
	p.u32("ssm.state_size", p.IntOr(128, "state_size", "d_state"))
	p.u32("ssm.time_step_rank", inner/max(1, p.IntOr(64, "mamba_d_head", "head_dim")))
	p.u32("ssm.group_count", p.IntOr(1, groupKeys...))
}

func jambaParams(p *params) {
	width := p.Int("hidden_size", "mamba_d_model")
	p.setDefault("rms_norm_eps", 1e-6)
	p.usual()
	offset, period := p.Int("attn_layer_offset"), max(1, p.Int("attn_layer_period"))
	kinds := make([]bool, p.layers())
	for i := range kinds {
		kinds[i] = i >= offset && (i-offset)%period == 0
	}
	p.numbers("attention.head_count_kv", everyLayer(kinds, headsK(p.Config), 0))
	p.u32("ssm.conv_kernel", p.IntOr(4, "mamba_d_conv"))
	p.u32("ssm.inner_size", p.Int("mamba_expand")*width)
	p.u32("ssm.state_size", p.IntOr(16, "mamba_d_state"))
	p.u32("ssm.time_step_rank", p.IntOr(ceil(width, 16), "mamba_dt_rank"))
}

// mamba2Inside writes the Mamba-2 mixer of a model that has attention too.
func (p *params) mamba2Inside(inner int) {
	p.u32("ssm.conv_kernel", p.IntOr(4, "mamba_d_conv", "conv_kernel"))
	p.u32("ssm.state_size", p.IntOr(128, "mamba_d_state", "ssm_state_size", "state_size"))
	p.u32("ssm.group_count", p.IntOr(1, groupKeys...))
	p.u32("ssm.inner_size", inner)
}

func falconH1Params(p *params) {
	p.usual()
	p.u32("vocab_size", p.rows)
	inner := p.Int("mamba_d_ssm")
	p.mamba2Inside(inner)
	p.u32("ssm.time_step_rank", inner/max(1, p.IntOr(64, "mamba_d_head")))
}

// graniteParams has factors for the embedding, for what layers add, for attention, and a divisor for logits.
func graniteParams(p *params) {
	delete(p.values, "head_dim")
	llamaParams(p)
	p.optionalFloat("attention.scale", "attention_multiplier")
	p.optionalFloat("embedding_scale", "embedding_multiplier")
	p.optionalFloat("residual_scale", "residual_multiplier")
	p.optionalFloat("logit_scale", "logits_scaling")
	p.optional("expert_shared_feed_forward_length", "shared_intermediate_size")
}

func graniteHybridParams(p *params) {
	graniteParams(p)
	kinds := make([]bool, p.layers())
	if p.Has("layer_types") {
		kinds = p.layerKinds("attention")
	}
	for _, i := range p.ints("attn_layer_indices") {
		if i >= 0 && i < len(kinds) {
			kinds[i] = true
		}
	}
	p.numbers("attention.head_count_kv", everyLayer(kinds, headsK(p.Config), 0))
	heads := p.Int("mamba_n_heads")
	p.mamba2Inside(heads * p.Int("mamba_d_head"))
	p.u32("ssm.time_step_rank", heads)
	turned := p.Class() == "BambaForCausalLM"
	p.optional("rope.dimension_count", "attn_rotary_emb")
	p.bool("rope.scaling.finetuned", turned)
	if !turned {
		p.u32("context_length", longContext)
	}
}

// nemotronHParams reads the kinds of layers from a text: M is Mamba-2, * attention, - and E feed-forward networks.
func nemotronHParams(p *params) {
	p.usual()
	pattern := p.Str("hybrid_override_pattern")
	attention, forward := make([]bool, len(pattern)), make([]bool, len(pattern))
	for i, kind := range pattern {
		attention[i] = kind == '*'
		forward[i] = kind == '-' || kind == 'E'
	}
	if len(pattern) != p.Int(layerKeys...) {
		p.fail("hybrid_override_pattern has %d letters, want one a layer", len(pattern))
	}
	width := p.Int("moe_intermediate_size", "intermediate_size")
	if p.arch == "nemotron_h" {
		width = p.Int("intermediate_size")
	}
	p.numbers("feed_forward_length", everyLayer(forward, width, 0))
	p.numbers("attention.head_count_kv", everyLayer(attention, headsK(p.Config), 0))
	p.u32("attention.key_length", p.Int("head_dim", "attention_head_dim"))
	p.u32("attention.value_length", p.Int("head_dim", "attention_head_dim"))
	heads := p.Int("mamba_num_heads")
	p.mamba2Inside(heads * p.Int("mamba_head_dim"))
	p.u32("ssm.time_step_rank", heads)
	p.optionalFloat("attention.layer_norm_rms_epsilon", "layer_norm_epsilon", "rms_norm_eps", "norm_eps")
	p.moe()
	p.optional("moe_latent_size", "moe_latent_size")
}

// lfm2Params has attention in the layers that layer_types names, short convolutions in the rest. The width of the feed-forward
// network may be told as a part of what is written there.
func lfm2Params(p *params) {
	p.usual()
	p.u32("vocab_size", p.rows)
	p.moe()
	p.numbers("attention.head_count_kv", everyLayer(p.layerKinds("full_attention"), headsK(p.Config), 0))
	p.u32("shortconv.l_cache", p.Int("conv_L_cache"))
	if p.arch == "lfm2moe" {
		p.u32("expert_gating_func", gatings["sigmoid"])
		return
	}
	ff := p.Int("block_ff_dim", "intermediate_size")
	if p.Bool(false, "block_auto_adjust_ff_dim") {
		ff = int(p.FloatOr(1, "block_ffn_dim_multiplier") * float64(2*ff/3))
		multiple := max(1, p.IntOr(1, "block_multiple_of"))
		ff = ceil(ff, multiple) * multiple
	}
	p.u32("feed_forward_length", ff)
}
