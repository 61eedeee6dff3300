package hf

// mixtral are the experts of Mixtral, under the names that many took over.
var mixtral = names(layer, "block_sparse_moe.gate", "ffn_gate_inp", "block_sparse_moe.experts.{}.w1", "ffn_gate_exps",
	"block_sparse_moe.experts.{}.w2", "ffn_down_exps", "block_sparse_moe.experts.{}.w3", "ffn_up_exps")

// afterNorms are norms after attention and after the feed-forward network, none before (OLMo 2).
var afterNorms = rules(without(decoderRules, layer+"input_layernorm"), names(layer, "post_attention_layernorm", "post_attention_norm",
	"post_feedforward_layernorm", "post_ffw_norm"))

// plusOne adds one to norms that multiply by 1 + w.
func plusOne(table map[string]rule, keys ...string) map[string]rule {
	out := rules(table)
	for _, k := range keys {
		r := out[k]
		r.add = 1
		out[k] = r
	}
	return out
}

func init() {
	register(&Family{Arch: "olmo", Classes: []string{"OlmoForCausalLM", "OLMoForCausalLM"}, Params: olmoParams,
		Rules: without(llamaRules, "model.norm", layer+"input_layernorm", layer+"post_attention_layernorm")})
	register(&Family{Arch: "olmo2", Classes: []string{"Olmo2ForCausalLM", "Olmo3ForCausalLM"}, Params: olmo2Params, Rules: rules(afterNorms, qkNorms)})
	register(&Family{Arch: "olmoe", Classes: []string{"OlmoeForCausalLM"}, Params: olmoeParams, Rules: rules(decoderRules, qkNorms, experts)})
	register(&Family{Arch: "phi2", Classes: []string{"PhiForCausalLM"}, Params: phi2Params, Rules: rules(decoderRules,
		outer("model.embed_tokens", "model.final_layernorm", "lm_head"), names(layer, "self_attn.dense", "attn_output", "mlp.fc1", "ffn_up", "mlp.fc2", "ffn_down"))})
	register(&Family{Arch: "phimoe", Classes: []string{"PhiMoEForCausalLM"}, Params: phi3Params, Extra: phi3Longrope, Rules: rules(decoderRules, mixtral)})
	register(&Family{Arch: "stablelm", Classes: []string{"StableLmForCausalLM", "StableLMEpochForCausalLM"}, Params: stablelmParams,
		Rules: rules(decoderRules, names(layer, "self_attn.q_layernorm.norms.{}", "attn_q_norm", "self_attn.k_layernorm.norms.{}", "attn_k_norm"))})
	register(&Family{Arch: "command-r", Classes: []string{"CohereForCausalLM"}, Params: cohereParams, Rules: rules(without(decoderRules, "lm_head"), qkNorms)})
	register(&Family{Arch: "cohere2", Classes: []string{"Cohere2ForCausalLM"}, Params: cohere2Params, Rules: without(decoderRules, "lm_head")})
	register(&Family{Arch: "cohere2moe", Classes: []string{"Cohere2MoeForCausalLM"}, Mixed: true, Params: cohere2moeParams,
		Rules: rules(decoderRules, experts, sharedExperts)})
	register(&Family{Arch: "nemotron", Classes: []string{"NemotronForCausalLM"}, Params: nemotronParams,
		Rules: plusOne(decoderRules, "model.norm", layer+"input_layernorm", layer+"post_attention_layernorm")})
	register(&Family{Arch: "minicpm", Classes: []string{"MiniCPMForCausalLM"}, Params: minicpmParams, Extra: longFactors, Rules: llamaRules})
	register(&Family{Arch: "minicpm3", Classes: []string{"MiniCPM3ForCausalLM"}, Params: minicpm3Params, Extra: longFactors,
		Rules: rules(decoderRules, latent, names(layer, "self_attn.kv_b_proj", "attn_kv_b"))})
	register(&Family{Arch: "internlm2", Classes: []string{"InternLM2ForCausalLM"}, Params: (*params).usual, Rules: rules(
		outer("model.tok_embeddings", "model.norm", "output"), names(layer, "attention_norm", "attn_norm", "attention.wo", "attn_output",
			"ffn_norm", "ffn_norm", "feed_forward.w1", "ffn_gate", "feed_forward.w2", "ffn_down", "feed_forward.w3", "ffn_up"), map[string]rule{
			layer + "attention.wqkv": {to: "blk.{}.attn_q", rows: then(groupByGroup(0), rotary(headsQ)), also: []rule{
				{to: "blk.{}.attn_k", rows: then(groupByGroup(1), rotary(headsK))}, {to: "blk.{}.attn_v", rows: groupByGroup(2)}}},
		})})
	register(&Family{Arch: "baichuan", Classes: []string{"BaichuanForCausalLM", "BaiChuanForCausalLM"}, Params: baichuanParams,
		Rules: rules(without(decoderRules, layer+"self_attn.q_proj", layer+"self_attn.k_proj", layer+"self_attn.v_proj"), map[string]rule{
			layer + "self_attn.W_pack": {to: "blk.{}.attn_q", rows: then(share(0, 3), rotary(headsQ)), also: []rule{
				{to: "blk.{}.attn_k", rows: then(share(1, 3), rotary(headsK))}, {to: "blk.{}.attn_v", rows: share(2, 3)}}},
		})})
	register(&Family{Arch: "xverse", Classes: []string{"XverseForCausalLM"}, Params: baichuanParams, Rules: llamaRules})
	register(&Family{Arch: "orion", Classes: []string{"OrionForCausalLM"}, Params: orionParams, Rules: decoderRules})
	register(&Family{Arch: "exaone", Classes: []string{"ExaoneForCausalLM"}, Params: exaoneParams, Extra: (*params).llama3Factors, Rules: rules(
		outer("transformer.wte", "transformer.ln_f", "lm_head"), names(block, "ln_1", "attn_norm", "attn.attention.q_proj", "attn_q", "attn.attention.k_proj", "attn_k",
			"attn.attention.v_proj", "attn_v", "attn.attention.out_proj", "attn_output", "ln_2", "ffn_norm", "mlp.c_fc_0", "ffn_gate", "mlp.c_fc_1", "ffn_up", "mlp.c_proj", "ffn_down"))})
	register(&Family{Arch: "exaone4", Classes: []string{"Exaone4ForCausalLM"}, Params: exaone4Params, Extra: (*params).llama3Factors, Rules: rules(afterNorms, qkNorms)})
	register(&Family{Arch: "exaone-moe", Classes: []string{"ExaoneMoEForCausalLM", "ExaoneMoeForCausalLM"}, Mixed: true, Params: exaoneMoeParams,
		Extra: (*params).llama3Factors, Rules: rules(decoderRules, qkNorms, experts, sharedExperts, correction("mlp.e_score_correction_bias"))})
	register(&Family{Arch: "pangu-embedded", Classes: []string{"PanguEmbeddedForCausalLM"}, Params: panguParams, Rules: decoderRules})
	register(&Family{Arch: "nanbeige", Classes: []string{"NanbeigeForCausalLM"}, Params: nanbeigeParams, Rules: llamaRules, Extra: (*params).llama3Factors})
	register(&Family{Arch: "plamo", Classes: []string{"PlamoForCausalLM"}, Params: plamoParams, Rules: plamoRules})
	register(&Family{Arch: "arctic", Classes: []string{"ArcticForCausalLM"}, Mixed: true, Params: llamaParams, Rules: rules(llamaRules, names(layer,
		"residual_layernorm", "ffn_norm", "post_attention_layernorm", "ffn_norm_exps", "residual_mlp.w1", "ffn_gate", "residual_mlp.w2", "ffn_down", "residual_mlp.w3", "ffn_up"))})
	register(&Family{Arch: "deci", Classes: []string{"DeciLMForCausalLM"}, Mixed: true, Params: deciParams, Extra: (*params).llama3Factors, Rules: rules(llamaRules, map[string]rule{
		layer + "self_attn.k_proj": {at: deciKeys}, layer + "self_attn.linear_attn": {to: "blk.{}.attn_output", spare: true}})})
}
