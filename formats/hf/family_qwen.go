package hf

// qkNorms are the norms on the heads of queries and keys.
var qkNorms = names(layer, "self_attn.q_norm", "attn_q_norm", "self_attn.k_norm", "attn_k_norm")

// experts are the matrices of a mixture of experts: one a file entry, or all of a layer in one, as newer folders have them.
var experts = rules(names(layer, "mlp.gate", "ffn_gate_inp", "mlp.experts.{}.gate_proj", "ffn_gate_exps",
	"mlp.experts.{}.up_proj", "ffn_up_exps", "mlp.experts.{}.down_proj", "ffn_down_exps"), map[string]rule{
	layer + "mlp.experts.down_proj":    {to: "blk.{}.ffn_down_exps", suffix: ".weight", spare: true},
	layer + "mlp.experts.gate_up_proj": spare(halves("blk.{}.ffn_gate_exps", "blk.{}.ffn_up_exps", ".weight")),
})

// sharedExpert is the expert that every token goes to, behind a gate of its own (Qwen2-MoE).
var sharedExpert = names(layer, "mlp.shared_expert_gate", "ffn_gate_inp_shexp", "mlp.shared_expert.gate_proj", "ffn_gate_shexp",
	"mlp.shared_expert.up_proj", "ffn_up_shexp", "mlp.shared_expert.down_proj", "ffn_down_shexp")

// turnedExperts are all of a layer in one, with inputs as rows (Qwen3-VL, Llama 4).
func turnedExperts(prefix string) map[string]rule {
	return map[string]rule{
		prefix + "down_proj": {to: "blk.{}.ffn_down_exps", suffix: ".weight", turned: true},
		prefix + "gate_up_proj": {to: "blk.{}.ffn_gate_exps", suffix: ".weight", turned: true, rows: share(0, 2),
			also: []rule{{to: "blk.{}.ffn_up_exps", suffix: ".weight", turned: true, rows: share(1, 2)}}},
	}
}

func init() {
	register(&Family{Arch: "qwen", Classes: []string{"QWenLMHeadModel"}, Params: qwenParams, Rules: rules(
		outer("transformer.wte", "transformer.ln_f", "lm_head"), names("transformer.h.{}.", "ln_1", "attn_norm", "attn.c_attn", "attn_qkv",
			"attn.c_proj", "attn_output", "ln_2", "ffn_norm", "mlp.w1", "ffn_up", "mlp.w2", "ffn_gate", "mlp.c_proj", "ffn_down"))})
	register(&Family{Arch: "qwen2", Classes: []string{"Qwen2ForCausalLM", "Qwen2Model"}, Rules: decoderRules, Params: (*params).usual})
	register(&Family{Arch: "qwen2moe", Classes: []string{"Qwen2MoeForCausalLM"}, Params: qwen2moeParams,
		Rules: rules(decoderRules, experts, sharedExpert)})
	register(&Family{Arch: "qwen2vl", Classes: []string{"Qwen2VLForConditionalGeneration", "Qwen2_5_VLForConditionalGeneration"}, Skip: seeing,
		Rules: decoderRules, Params: (*params).usual})
	register(&Family{Arch: "qwen3", Classes: []string{"Qwen3ForCausalLM", "Qwen3Model"}, Rules: rules(decoderRules, qkNorms), Params: qwen3Params})
	register(&Family{Arch: "qwen3moe", Classes: []string{"Qwen3MoeForCausalLM"}, Rules: rules(decoderRules, qkNorms, experts), Params: qwen3moeParams})
	register(&Family{Arch: "qwen3vl", Classes: []string{"Qwen3VLForConditionalGeneration"}, Skip: seeing,
		Rules: rules(decoderRules, qkNorms), Params: qwen3vlParams})
	register(&Family{Arch: "qwen3vlmoe", Classes: []string{"Qwen3VLMoeForConditionalGeneration"}, Skip: seeing, Params: qwen3vlParams,
		Rules: rules(decoderRules, qkNorms, experts, turnedExperts(layer+"mlp.experts."))})
	register(&Family{Arch: "dream", Classes: []string{"DreamModel"}, Rules: decoderRules, Params: diffusion((*params).usual)})
	register(&Family{Arch: "rnd1", Classes: []string{"RND1"}, Rules: rules(decoderRules, qkNorms, experts), Params: diffusion(qwen3moeParams)})
}

// qwenParams writes the first Qwen's: intermediate_size counts both halves of the feed-forward network.
func qwenParams(p *params) {
	p.usual()
	p.f32("attention.layer_norm_rms_epsilon", p.Float("layer_norm_epsilon"))
	p.u32("rope.dimension_count", p.headDim())
}

func qwen2moeParams(p *params) {
	p.usual()
	p.optional("expert_feed_forward_length", "moe_intermediate_size")
	p.optional("expert_shared_feed_forward_length", "shared_expert_intermediate_size")
}

// qwen3Params sets the width of a head where config.json has none: 128, whatever the width of the model.
func qwen3Params(p *params) {
	p.setDefault("head_dim", 128)
	p.usual()
}

func qwen3moeParams(p *params) {
	qwen3Params(p)
	p.u32("expert_feed_forward_length", p.Int("moe_intermediate_size"))
}

// qwen3vlParams says in how many layers features of images are added; a text model still needs the number.
func qwen3vlParams(p *params) {
	qwen3Params(p)
	p.optional("expert_feed_forward_length", "moe_intermediate_size")
	p.u32("n_deepstack_layers", len(p.in("vision_config").ints("deepstack_visual_indexes")))
}

// diffusion marks models that fill in masks instead of going from left to right.
func diffusion(f func(*params)) func(*params) {
	return func(p *params) {
		f(p)
		p.bool("attention.causal", false)
	}
}
