package hf

// gemmaRules are those of Gemma 2 and 3: norms before and after each part of a layer, which multiply by 1 + w; GGUF holds the
// sum. The output matrix is the embedding, also in files that have another one.
var gemmaRules = rules(decoderRules, map[string]rule{
	"model.norm":                         {to: "output_norm", add: 1},
	layer + "input_layernorm":            {to: "blk.{}.attn_norm", add: 1},
	layer + "post_attention_layernorm":   {to: "blk.{}.post_attention_norm", add: 1},
	layer + "pre_feedforward_layernorm":  {to: "blk.{}.ffn_norm", add: 1},
	layer + "post_feedforward_layernorm": {to: "blk.{}.post_ffw_norm", add: 1},
	"lm_head":                            {},
})

func init() {
	register(&Family{Arch: "gemma", Classes: []string{"GemmaForCausalLM"}, Params: (*params).usual, Vocab: withoutPrefixSpace,
		Rules: rules(gemmaRules, map[string]rule{layer + "post_attention_layernorm": {to: "blk.{}.ffn_norm", add: 1}})})
	register(&Family{Arch: "gemma2", Classes: []string{"Gemma2ForCausalLM"}, Params: gemma2Params, Vocab: withoutPrefixSpace,
		Rules: gemmaRules})
	register(&Family{Arch: "gemma3", Classes: []string{"Gemma3ForCausalLM", "Gemma3ForConditionalGeneration"}, Skip: seeing,
		Params: gemma3Params, Vocab: withoutPrefixSpace,
		Rules: rules(gemmaRules, map[string]rule{
			layer + "self_attn.q_norm": {to: "blk.{}.attn_q_norm", add: 1},
			layer + "self_attn.k_norm": {to: "blk.{}.attn_k_norm", add: 1},
			"lm_head":                  {to: "output", head: true},
		})})
}

func withoutPrefixSpace(v *Vocabulary) {
	if v.Model == "llama" {
		v.prefix = new(bool)
	}
}

func gemma2Params(p *params) {
	p.usual()
	p.f32("attn_logit_softcapping", p.Float("attn_logit_softcapping"))
	p.f32("final_logit_softcapping", p.Float("final_logit_softcapping"))
	p.u32("attention.sliding_window", p.Int("sliding_window"))
}

// gemma3Params fills in what the configurations of models that see leave out: the defaults of the transformers library.
func gemma3Params(p *params) {
	p.setDefault("max_position_embeddings", 131072)
	p.setDefault("num_attention_heads", 8)
	p.setDefault("num_key_value_heads", 4)
	p.setDefault("rms_norm_eps", 1e-6)
	p.setDefault("head_dim", 256)
	p.usual()
	if !p.rope().Has("rope_theta") {
		p.f32("rope.freq_base", 1e6)
	}
	if p.Has("attn_logit_softcapping") {
		p.fail("attn_logit_softcapping is set, which Gemma 3 has no longer")
	}
	if p.Has("final_logit_softcapping") {
		p.f32("final_logit_softcapping", p.Float("final_logit_softcapping"))
	}
	if p.IntOr(0, "sliding_window_pattern") != 1 {
		p.u32("attention.sliding_window", p.Int("sliding_window"))
	}
}
