package hf

import "math"

// biasAsCorrection names what some checkpoints call the bias of the router for what it is: it chooses experts and is not added to
// their weights.
func biasAsCorrection(p *packs) ([]*tensor, error) {
	var out []*tensor
	for _, gate := range []string{".mlp.gate.", ".ffn.gate."} {
		for _, name := range p.ending(gate + "bias") {
			out = append(out, renamed(name[:len(name)-len("bias")]+"e_score_correction_bias", p.take(name)))
		}
	}
	return out, nil
}

const talkieBlock = "model.blocks.{}."

// talkieRules negate the second half of each head: Talkie's rotation turns the other way.
var talkieRules = rules(map[string]rule{
	"model.embed": {to: "token_embd", embed: true}, "lm_head": {to: "output", head: true}, "model.lm_head": {to: "output", head: true, spare: true}, "lm_head_gain.w_g": {},
	talkieBlock + "attn.attn_query":       {to: "blk.{}.attn_q", scale: backwardsTurn},
	talkieBlock + "attn.attn_key":         {to: "blk.{}.attn_k", scale: backwardsTurn},
	talkieBlock + "attn.head_gain.head_g": {to: "blk.{}.attn_q_norm", suffix: ".weight", shape: column},
	talkieBlock + "attn_gain.a_g":         {to: "blk.{}.attn_output", suffix: ".scale"},
	talkieBlock + "mlp_gain.a_g":          {to: "blk.{}.ffn_down", suffix: ".scale"},
	talkieBlock + "embed_skip.a_g":        {to: "blk.{}.layer_output_scale", suffix: ".weight"},
}, names(talkieBlock, "attn.attn_value", "attn_v", "attn.attn_resid", "attn_output", "mlp.mlp_gate", "ffn_gate", "mlp.mlp_linear", "ffn_up", "mlp.mlp_resid", "ffn_down"))

func backwardsTurn(c *Config, row, _ int) float32 {
	if dim := c.Int("head_dim"); dim > 0 && row%dim >= dim/2 {
		return -1
	}
	return 1
}

func init() {
	register(&Family{Arch: "k2-horizon", Classes: []string{"K2HorizonForCausalLM"}, Mixed: true, Join: biasAsCorrection, Params: horizonParams,
		Rules: rules(decoderRules, qkNorms, experts, sharedExperts, names(layer, "self_attn.v_router", "attn_v_gate", "self_attn.v_experts.{}", "attn_v_exps",
			"self_attn.attn_gate_proj", "attn_gate"))})
	register(&Family{Arch: "laguna", Classes: []string{"LagunaForCausalLM"}, Mixed: true, Params: lagunaParams, Vocab: endOfAssistant,
		Rules: rules(decoderRules, qkNorms, experts, sharedExperts, correction("mlp.experts.e_score_correction_bias"), names(layer, "self_attn.g_proj", "attn_gate",
			"mlp.shared_expert.gate_proj", "ffn_gate_shexp", "mlp.shared_expert.up_proj", "ffn_up_shexp", "mlp.shared_expert.down_proj", "ffn_down_shexp"))})
	register(&Family{Arch: "muse-glimmer", Classes: []string{"MuseGlimmerForConditionalGeneration"}, Skip: append([]string{"model.vision_adapter.", "model.vision_projection."}, seeing...),
		Params: museParams, Extra: museNorms, Rules: plusOne(rules(llamaRulesOnly, names(layer, "self_attn.gate_proj", "attn_gate", "post_attention_layernorm", "post_attention_norm",
			"pre_feedforward_layernorm", "ffn_norm", "post_feedforward_layernorm", "post_ffw_norm")), layer+"input_layernorm", layer+"post_attention_layernorm",
			layer+"pre_feedforward_layernorm", layer+"post_feedforward_layernorm")})
	register(&Family{Arch: "talkie", Classes: []string{"TalkieForCausalLM"}, Params: talkieParams, Rules: talkieRules})
}

// llamaRulesOnly are Llama's without Mixtral's.
var llamaRulesOnly = without(llamaRules, layer+"block_sparse_moe.gate", layer+"block_sparse_moe.experts.{}.w1", layer+"block_sparse_moe.experts.{}.w2",
	layer+"block_sparse_moe.experts.{}.w3")

// horizonParams has groups in norms, and may have experts for values too.
func horizonParams(p *params) {
	if f := p.Str("attention_gate_func"); f != "" && f != "softplus" {
		p.fail("attention_gate_func %q is not known", f)
	}
	if p.IntOr(0, "num_experts") == 0 {
		delete(p.values, "num_experts")
	}
	p.usual()
	p.u32("attention.group_norm_groups", p.IntOr(1, "layernorm_num_groups"))
	p.optional("rope.dimension_count", "rope_head_dim")
	if p.Has("num_experts") {
		dense, list := 0, map[int]bool{}
		for _, n := range p.ints("mlp_only_layers") {
			list[n] = true
		}
		for list[dense] {
			dense++
		}
		width, shared := p.Int("moe_intermediate_size"), p.IntOr(0, "num_shared_experts")
		p.u32("expert_feed_forward_length", width)
		p.u32("leading_dense_block_count", p.IntOr(dense, "num_dense_layers"))
		p.u32("moe_every_n_layers", p.IntOr(1, "decoder_sparse_step"))
		p.u32("expert_shared_count", shared)
		p.bool("expert_weights_norm", p.Bool(false, "norm_topk_prob"))
		if shared > 0 {
			p.u32("expert_shared_feed_forward_length", width*shared)
		}
		p.optionalFloat("expert_weights_scale", "router_scaling_factor")
	}
	if n, used := p.IntOr(0, "mova_num_experts"), p.IntOr(0, "mova_num_experts_per_tok"); n > 0 && used > 0 {
		p.u32("attention.value_expert_count", n)
		p.u32("attention.value_expert_used_count", used)
	}
}

// lagunaParams may have another number of heads in each layer.
func lagunaParams(p *params) {
	p.usual()
	p.u32("vocab_size", p.rows)
	if heads := p.ints("num_attention_heads_per_layer"); len(heads) > 0 {
		p.numbers("attention.head_count", heads)
	}
	if p.IntOr(0, "sliding_window") > 0 {
		p.u32("attention.sliding_window", p.Int("sliding_window"))
	}
	p.u32("expert_feed_forward_length", p.Int("moe_intermediate_size"))
	p.u32("expert_shared_feed_forward_length", p.Int("shared_expert_intermediate_size"))
	p.bool("expert_weights_norm", true)
	p.f32("expert_weights_scale", p.Float("moe_routed_scaling_factor"))
	p.u32("expert_gating_func", gatings["sigmoid"])
	p.u32("leading_dense_block_count", leading(p.strs("mlp_layer_types"), "dense"))
	p.rotated(1)
	p.rotatedSliding()
}

// endOfAssistant marks the end of an answer as a token of its own kind, which the tokenizer's file does not.
func endOfAssistant(v *Vocabulary) {
	for i, token := range v.Tokens {
		if token == "</assistant>" {
			v.Kinds[i] = Control
			v.setSpecial("eot", i)
		}
	}
}

func museParams(p *params) {
	p.usual()
	p.f32("final_logit_softcapping", p.Float("final_logit_softcapping"))
	p.f32("logit_scale", p.Float("output_multiplier"))
	p.sliding()
}

// museNorms puts the factor of normed queries into the weights of a norm that has none.
func museNorms(p *params) {
	dim := p.headDim()
	if dim < 1 || dim > maxHeadDim {
		p.fail("heads of %d values, want at most %d", dim, maxHeadDim)
		return
	}
	query, key := make([]float32, dim), make([]float32, dim)
	for i := range query {
		query[i], key[i] = float32(p.Float("qk_scale_factor")), 1
	}
	for i := range p.blocks() {
		p.add(layerName("blk.{}.attn_q_norm.weight", []int{i}), query)
		p.add(layerName("blk.{}.attn_k_norm.weight", []int{i}), key)
	}
}

// talkieParams has the epsilon of norms that say none: that of float32.
func talkieParams(p *params) {
	p.usual()
	p.f32("attention.layer_norm_rms_epsilon", math.Ldexp(1, -23))
	gain, scale := p.tensor("lm_head_gain.w_g"), make([]float32, 1)
	switch {
	case p.checkpoint == nil: // a vocabulary
		return
	case gain == nil || elements(gain.Shape) != 1:
		p.fail("the checkpoint has no number lm_head_gain.w_g")
		return
	}
	if err := gain.decode(scale, 0); err != nil {
		p.fail("tensor %q: %v", gain.Name, err)
	}
	p.f32("logit_scale", float64(scale[0]))
}
