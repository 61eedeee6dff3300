package hf

// fusedQKV are queries, keys and values in one matrix, in this order.
func fusedQKV(key string, turn bool) map[string]rule {
	q, k := pick(parts(0, qkvHeads)), pick(parts(1, qkvHeads))
	if turn {
		q, k = then(q, rotary(headsQ)), then(k, rotary(headsK))
	}
	return map[string]rule{key: {to: "blk.{}.attn_q", rows: q, spare: true,
		also: []rule{{to: "blk.{}.attn_k", rows: k}, {to: "blk.{}.attn_v", rows: parts(2, qkvHeads)}}}}
}

func qkvHeads(c *Config) []int { return []int{headsQ(c), headsK(c), headsK(c)} }

// bailing are the names of Ling's attention.
var bailing = rules(decoderRules, outer("model.word_embeddings", "model.norm", "lm_head"), experts, sharedExperts, correction("mlp.gate.expert_bias"),
	names(layer, "attention.dense", "attn_output", "attention.query_layernorm", "attn_q_norm", "attention.key_layernorm", "attn_k_norm"))

// hunyuan has norms on queries and keys under names of its own.
var hunyuan = rules(decoderRules, names(layer, "self_attn.query_layernorm", "attn_q_norm", "self_attn.key_layernorm", "attn_k_norm"))

// ernie may have its matrices fused.
var ernie = rules(decoderRules, fusedQKV(layer+"self_attn.qkv_proj", false), map[string]rule{
	layer + "mlp.up_gate_proj": spare(halves("blk.{}.ffn_gate", "blk.{}.ffn_up", ""))})

func init() {
	register(&Family{Arch: "dots1", Classes: []string{"Dots1ForCausalLM"}, Mixed: true, Params: dots1Params, Rules: rules(decoderRules, qkNorms, experts, sharedExperts)})
	register(&Family{Arch: "bailingmoe", Classes: []string{"BailingMoeForCausalLM"}, Mixed: true, Params: bailingParams,
		Rules: rules(llamaRules, bailing, headRows, spareQKV(fusedQKV(layer+"attention.query_key_value", true)))})
	register(&Family{Arch: "bailingmoe2", Classes: []string{"BailingMoeV2ForCausalLM"}, Mixed: true, Params: bailing2Params,
		Rules: rules(bailing, draft, names(layer, "attention.query_key_value", "attn_qkv", "final_layernorm", "layer_output_norm"))})
	register(&Family{Arch: "ernie4_5", Classes: []string{"Ernie4_5_ForCausalLM", "Ernie4_5ForCausalLM"}, Params: (*params).usual, Rules: ernie})
	register(&Family{Arch: "ernie4_5-moe", Classes: []string{"Ernie4_5_MoeForCausalLM"}, Mixed: true, Params: ernieMoeParams,
		Rules: rules(ernie, experts, sharedExperts, correction("mlp.moe_statics.e_score_correction_bias"))})
	register(&Family{Arch: "paddleocr", Classes: []string{"PaddleOCRVLForConditionalGeneration"}, Skip: append([]string{"mlp_AR."}, seeing...), Params: (*params).usual, Rules: ernie})
	register(&Family{Arch: "granite_swa", Classes: []string{"GraniteSWAForCausalLM"}, Params: graniteSWAParams, Extra: (*params).llama3Factors,
		Rules: rules(llamaRules, sinks("self_attn.sinks"))})
	register(&Family{Arch: "grovemoe", Classes: []string{"GroveMoeForCausalLM"}, Params: groveParams, Rules: rules(decoderRules, qkNorms, experts, map[string]rule{
		layer + "mlp.expert_bias": {}}, names(layer, "mlp.chunk_experts.{}.gate_proj", "ffn_gate_chexps", "mlp.chunk_experts.{}.up_proj", "ffn_up_chexps",
		"mlp.chunk_experts.{}.down_proj", "ffn_down_chexps"))})
	register(&Family{Arch: "hunyuan-dense", Classes: []string{"HunYuanDenseV1ForCausalLM"}, Params: hunyuanParams, Rules: hunyuan})
	register(&Family{Arch: "hunyuan_vl", Classes: []string{"HunYuanVLForConditionalGeneration"}, Skip: append([]string{"vit."}, seeing...), Params: hunyuanVLParams, Rules: hunyuan})
	register(&Family{Arch: "hunyuan-moe", Classes: []string{"HunYuanMoEV1ForCausalLM"}, Params: hunyuanMoeParams, Rules: rules(hunyuan, experts, names(layer, "mlp.gate.wg", "ffn_gate_inp",
		"mlp.shared_mlp.gate_proj", "ffn_gate_shexp", "mlp.shared_mlp.up_proj", "ffn_up_shexp", "mlp.shared_mlp.down_proj", "ffn_down_shexp"))})
	register(&Family{Arch: "llada", Classes: []string{"LLaDAModelLM"}, Params: lladaParams, Rules: rules(outer("model.transformer.wte", "model.transformer.ln_f", "model.transformer.ff_out"),
		names(lladaBlock, "attn_norm", "attn_norm", "v_proj", "attn_v", "attn_out", "attn_output", "ff_norm", "ffn_norm", "ff_proj", "ffn_gate", "up_proj", "ffn_up", "ff_out", "ffn_down"),
		map[string]rule{lladaBlock + "q_proj": {to: "blk.{}.attn_q", rows: rotary(headsQ)}, lladaBlock + "k_proj": {to: "blk.{}.attn_k", rows: rotary(headsK)}})})
	register(&Family{Arch: "llada-moe", Classes: []string{"LLaDAMoEModel", "LLaDAMoEModelLM"}, Params: lladaMoeParams, Rules: rules(decoderRules, qkNorms, experts)})
	register(&Family{Arch: "maple", Classes: []string{"MapleForCausalLM"}, Params: mapleParams, Rules: rules(decoderRules, qkNorms, experts)})
	register(&Family{Arch: "mellum", Classes: []string{"MellumForCausalLM"}, Params: mellumParams, Rules: rules(decoderRules, qkNorms, experts)})
	register(&Family{Arch: "mimo2", Classes: []string{"MiMoV2FlashForCausalLM", "MiMoV2ForCausalLM"}, Mixed: true, Params: mimo2Params,
		Rules: rules(decoderRules, experts, sharedExperts, sinks("self_attn.attention_sink_bias"))})
	register(&Family{Arch: "minimax-01", Classes: []string{"MiniMaxText01ForCausalLM", "MiniMaxM1ForCausalLM"}, Mixed: true, Params: minimax01Params,
		Rules: rules(decoderRules, mixtral, names(layer, "self_attn.qkv_proj", "attn_qkv", "self_attn.out_proj", "attn_output", "self_attn.output_gate", "attn_gate", "self_attn.norm", "attn_norm_2"))})
	register(&Family{Arch: "minimax-m2", Classes: []string{"MiniMaxM2ForCausalLM"}, Params: minimaxM2Params,
		Rules: rules(decoderRules, qkNorms, mixtral, correction("block_sparse_moe.e_score_correction_bias"))})
	register(&Family{Arch: "smallthinker", Classes: []string{"SmallThinkerForCausalLM"}, Params: smallThinkerParams, Rules: rules(decoderRules, names(layer,
		"block_sparse_moe.primary_router", "ffn_gate_inp", "block_sparse_moe.experts.{}.gate", "ffn_gate_exps", "block_sparse_moe.experts.{}.up", "ffn_up_exps",
		"block_sparse_moe.experts.{}.down", "ffn_down_exps"))})
	register(&Family{Arch: "grok", Classes: []string{"GrokForCausalLM", "Grok1ForCausalLM"}, Params: grokParams, Rules: rules(decoderRules, mixtral, names(layer,
		"pre_attn_norm", "attn_norm", "post_attn_norm", "attn_output_norm", "pre_moe_norm", "ffn_norm", "post_moe_norm", "layer_output_norm"))})
	register(&Family{Arch: "kimi-linear", Classes: []string{"KimiLinearForCausalLM", "KimiLinearModel"}, Mixed: true, Params: kimiLinearParams, Rules: kimiLinearRules})
	register(&Family{Arch: "spark2_5", Classes: []string{"Spark2_5ForCausalLM"}, Params: sparkParams,
		Rules: rules(decoderRules, names(layer, "self_attn.q_k_v_proj", "attn_qkv", "self_attn.g_proj", "attn_gate"))})
	register(&Family{Arch: "cogvlm", Classes: []string{"CogVLMForCausalLM"}, Skip: append([]string{"model.vision."}, seeing...), Params: llamaParams, Rules: rules(decoderRules, names(layer,
		"self_attn.language_expert_query_key_value", "attn_qkv", "self_attn.language_expert_dense", "attn_output", "self_attn.vision_expert_query_key_value", "vis_attn_qkv",
		"self_attn.vision_expert_dense", "vis_attn_output", "mlp.language_mlp.gate_proj", "ffn_gate", "mlp.language_mlp.up_proj", "ffn_up", "mlp.language_mlp.down_proj", "ffn_down",
		"mlp.vision_mlp.gate_proj", "vis_gate", "mlp.vision_mlp.up_proj", "vis_up", "mlp.vision_mlp.down_proj", "vis_down"))})
}

// headRows keeps what Llama's rules turn and Ling has in one matrix.
var headRows = map[string]rule{layer + "self_attn.q_proj": {}, layer + "self_attn.k_proj": {}, layer + "self_attn.v_proj": {}}

// spareQKV makes the fused matrix the spelling that is read backwards.
func spareQKV(table map[string]rule) map[string]rule {
	out := map[string]rule{}
	for k, r := range table {
		r.spare = false
		out[k] = r
	}
	return out
}

const lladaBlock = "model.transformer.blocks.{}."

// sinks are the logits of a head that no token has (gpt-oss).
func sinks(key string) map[string]rule {
	return map[string]rule{layer + key: {to: "blk.{}.attn_sinks", suffix: ".weight"}}
}

// kimiLinearRules have latent attention in some layers and Kimi delta attention in the rest.
var kimiLinearRules = rules(decoderRules, latent, mixtral, sharedExperts, correction("block_sparse_moe.gate.e_score_correction_bias"),
	kda(layer+"self_attn.", rule{to: "blk.{}.ssm_a", each: negExp, shape: column}), names(layer, "block_sparse_moe.shared_experts.gate_proj", "ffn_gate_shexp",
		"block_sparse_moe.shared_experts.up_proj", "ffn_up_shexp", "block_sparse_moe.shared_experts.down_proj", "ffn_down_shexp"))

// oneChannel gives convolutions back the dimension of one.
func oneChannel(_ *Config, shape []int) []int { return []int{shape[0], 1, shape[1]} }
