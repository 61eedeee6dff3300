package hf

// llamaRules are Llama's: rotary projections are stored with the halves of each head apart, llama.cpp wants them as pairs.
// The block_sparse_moe tensors are Mixtral's.
var llamaRules = rules(decoderRules, map[string]rule{
	layer + "self_attn.q_proj":               {to: "blk.{}.attn_q", rows: rotary(headsQ)},
	layer + "self_attn.k_proj":               {to: "blk.{}.attn_k", rows: rotary(headsK)},
	layer + "block_sparse_moe.gate":          {to: "blk.{}.ffn_gate_inp"},
	layer + "block_sparse_moe.experts.{}.w1": {to: "blk.{}.ffn_gate_exps"},
	layer + "block_sparse_moe.experts.{}.w2": {to: "blk.{}.ffn_down_exps"},
	layer + "block_sparse_moe.experts.{}.w3": {to: "blk.{}.ffn_up_exps"},
})

func init() {
	register(&Family{Arch: "llama", Classes: []string{"LlamaForCausalLM", "LLaMAForCausalLM", "MistralForCausalLM", "MixtralForCausalLM"},
		Rules: llamaRules, Params: llamaParams, Extra: (*params).llama3Factors, Vocab: codeLlama})
	register(&Family{Arch: "smollm3", Classes: []string{"SmolLM3ForCausalLM"},
		Rules: llamaRules, Params: llamaParams, Extra: (*params).llama3Factors})
	register(&Family{Arch: "mistral3", Classes: []string{"Mistral3ForConditionalGeneration", "Ministral3ForCausalLM"},
		Skip: seeing, Rules: llamaRules, Params: mistral3Params, Extra: (*params).llama3Factors})
}

func llamaParams(p *params) {
	p.usual()
	p.u32("vocab_size", p.rows)
	p.u32("rope.dimension_count", p.headDim())
}

// mistral3Params adds what Ministral 3 has beside Mistral: the temperature of attention grows with the position.
func mistral3Params(p *params) {
	llamaParams(p)
	if p.Str("model_type") == "ministral3" {
		r := p.rope()
		p.f32("rope.scaling.yarn_log_multiplier", r.Float("mscale_all_dim"))
		p.f32("attention.temperature_scale", r.Float("llama_4_scaling_beta"))
		p.keep(r)
	}
}

// codeLlama names the tokens for text in the middle of a file, which CodeLlama's files have without naming them.
func codeLlama(v *Vocabulary) {
	if len(v.Tokens) != 32016 || v.Model != "llama" {
		return
	}
	for i, name := range []string{"prefix", "suffix", "middle", "eot"} {
		v.setSpecial(name, 32007+i)
	}
}
