package hf

// glmRules have the gate of the feed-forward network in the same matrix as up.
var glmRules = rules(without(decoderRules, layer+"mlp.gate_proj", layer+"mlp.up_proj"), names(layer, "mlp.gate_up_proj", "ffn_up"))

// chatGLM are the names of GLM's own files, before the transformers library knew it.
var chatGLM = rules(glmRules, outer("transformer.embedding.word_embeddings", "transformer.encoder.final_layernorm", "transformer.output_layer"),
	names("transformer.encoder.layers.{}.", "input_layernorm", "attn_norm", "self_attention.query_key_value", "attn_qkv",
		"self_attention.dense", "attn_output", "post_attention_layernorm", "ffn_norm", "mlp.dense_h_to_4h", "ffn_up", "mlp.dense_4h_to_h", "ffn_down"),
	map[string]rule{"transformer.rotary_pos_emb.inv_freq": {}})

func init() {
	register(&Family{Arch: "chatglm", Classes: []string{"GlmForCausalLM", "ChatGLMModel", "ChatGLMForConditionalGeneration"}, Rules: chatGLM, Params: chatGLMParams})
	register(&Family{Arch: "glm4", Classes: []string{"Glm4ForCausalLM"}, Params: glm4Params, Rules: rules(glmRules, names(layer,
		"post_self_attn_layernorm", "post_attention_norm", "post_mlp_layernorm", "post_ffw_norm"))})
	register(&Family{Arch: "glm4moe", Classes: []string{"Glm4MoeForCausalLM"}, Mixed: true, Params: glm4moeParams,
		Rules: rules(decoderRules, qkNorms, experts, sharedExperts, draft, names(layer, "post_attention_layernorm", "post_attention_norm"))})
}

func chatGLMParams(p *params) {
	for from, to := range map[string]string{"seq_length": "max_position_embeddings", "ffn_hidden_size": "intermediate_size", "layernorm_epsilon": "rms_norm_eps"} {
		if v, ok := p.values[from]; ok {
			p.values[to] = v
		}
	}
	p.setDefault("rms_norm_eps", 1e-5)
	p.usual()
	p.rotated(0.5)
	if p.Has("rope_ratio") {
		p.f32("rope.freq_base", 10000*p.Float("rope_ratio"))
	}
}

func glm4Params(p *params) {
	p.usual()
	p.rotated(0.5)
}

func glm4moeParams(p *params) {
	glm4Params(p)
	p.moe()
	p.u32("expert_gating_func", gatings["sigmoid"])
}
