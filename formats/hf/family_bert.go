package hf

const bertLayer = "encoder.layer.{}."

// bertRules are those of BERT and RoBERTa; the heads for pre-training are left out.
var bertRules = rules(map[string]rule{
	"embeddings.word_embeddings":       {to: "token_embd", embed: true},
	"embeddings.token_type_embeddings": {to: "token_types"},
	"embeddings.position_embeddings":   {to: "position_embd"},
	"embeddings.LayerNorm":             {to: "token_embd_norm"},
	"embeddings.position_ids":          {},
	"pooler.dense":                     {},
}, names(bertLayer, "attention.self.query", "attn_q", "attention.self.key", "attn_k", "attention.self.value", "attn_v", "attention.output.dense", "attn_output",
	"attention.output.LayerNorm", "attn_output_norm", "intermediate.dense", "ffn_up", "output.dense", "ffn_down", "output.LayerNorm", "layer_output_norm"))

// rankHead is that of classifiers, which rerankers are.
var rankHead = map[string]rule{"classifier.dense": {to: "cls"}, "classifier.out_proj": {to: "cls.output"}, "classifier": {to: "cls.output"}}

func init() {
	register(&Family{Arch: "bert", Classes: []string{"BertModel", "BertForMaskedLM", "BertForSequenceClassification", "CamembertModel"},
		Skip: []string{"cls."}, Params: bertParams, Rules: rules(bertRules, rankHead)})
	register(&Family{Arch: "bert", Classes: []string{"RobertaModel", "XLMRobertaModel", "RobertaForSequenceClassification", "XLMRobertaForSequenceClassification"},
		Skip: []string{"lm_head."}, Params: robertaParams, Rules: rules(bertRules, rankHead, map[string]rule{
			"embeddings.position_embeddings": {to: "position_embd", rows: afterPadding}})})
	const nomic = "encoder.layers.{}."
	nomicRules := rules(bertRules, map[string]rule{"emb_ln": {to: "token_embd_norm"}}, names(nomic, "attn.Wqkv", "attn_qkv", "attn.out_proj", "attn_output", "norm1", "attn_output_norm",
		"mlp.fc11", "ffn_up", "mlp.fc12", "ffn_gate", "mlp.fc2", "ffn_down", "norm2", "layer_output_norm"))
	register(&Family{Arch: "nomic-bert", Classes: []string{"NomicBertModel"}, Params: nomicParams, Rules: nomicRules})
	register(&Family{Arch: "nomic-bert-moe", Classes: []string{"NomicBertModel"}, Marker: "moe_every_n_layers", Mixed: true, Params: nomicParams, Rules: rules(nomicRules, map[string]rule{
		nomic + "mlp.fc1":            {to: "blk.{}.ffn_up"},
		nomic + "mlp.router.layer":   {to: "blk.{}.ffn_gate_inp"},
		nomic + "mlp.experts.bias":   {},
		nomic + "mlp.experts.mlp.w1": {to: "blk.{}.ffn_up_exps", suffix: ".weight", cut: nomicExperts},
		nomic + "mlp.experts.mlp.w2": {to: "blk.{}.ffn_down_exps", suffix: ".weight", cut: nomicExperts, flip: true},
	})})
	register(&Family{Arch: "jina-bert-v2", Classes: []string{"JinaBertModel", "JinaBertForMaskedLM"}, Skip: []string{"cls."}, Params: jinaParams, Rules: rules(
		without(bertRules, "embeddings.position_embeddings"), rankHead, names(bertLayer, "attention.self.layer_norm_q", "attn_q_norm", "attention.self.layer_norm_k", "attn_k_norm",
			"layer_norm_1", "attn_norm_2", "layer_norm_2", "layer_output_norm", "mlp.gated_layers", "ffn_up", "mlp.up_gated_layer", "ffn_up", "mlp.wo", "ffn_down",
			"mlp.down_layer", "ffn_down", "mlp.layernorm", "layer_output_norm"))})
	register(&Family{Arch: "jina-bert-v3", Classes: []string{"XLMRobertaModel"}, Marker: "task_instructions", Ends: []string{".lora_A", ".lora_B"}, Params: nomicParams, Rules: rules(
		without(bertRules, "embeddings.position_embeddings"), map[string]rule{"emb_ln": {to: "token_embd_norm"}}, names(nomic, "mixer.Wqkv", "attn_qkv", "mixer.out_proj", "attn_output",
			"norm1", "attn_output_norm", "mlp.fc1", "ffn_up", "mlp.fc2", "ffn_down", "norm2", "layer_output_norm"))})
	register(&Family{Arch: "modern-bert", Classes: []string{"ModernBertModel", "ModernBertForMaskedLM", "ModernBertForSequenceClassification"}, Mixed: true, Skip: []string{"decoder."},
		Params: modernBertParams, Rules: rules(map[string]rule{"model.embeddings.tok_embeddings": {to: "token_embd", embed: true}, "model.embeddings.norm": {to: "token_embd_norm"},
			"model.final_norm": {to: "output_norm"}, "head.dense": {to: "cls"}, "head.norm": {to: "cls.norm"}, "classifier": {to: "cls.output"}}, names(layer, "attn_norm", "attn_norm",
			"attn.Wqkv", "attn_qkv", "attn.Wo", "attn_output", "mlp_norm", "ffn_norm", "mlp.Wi", "ffn_up", "mlp.Wo", "ffn_down"))})
	register(&Family{Arch: "eurobert", Classes: []string{"EuroBertModel", "JinaEmbeddingsV5Model"}, Params: euroBertParams, Rules: without(decoderRules, "lm_head")})
	register(&Family{Arch: "llama-embed", Classes: []string{"LlamaBidirectionalModel"}, Params: llamaParams, Extra: (*params).llama3Factors, Rules: llamaRules})
	register(&Family{Arch: "gemma-embedding", Classes: []string{"Gemma3TextModel"}, Params: gemma3EmbeddingParams, Vocab: withoutPrefixSpace, Rules: rules(gemmaRules,
		plusOne(qkNorms, layer+"self_attn.q_norm", layer+"self_attn.k_norm"))})
}

// afterPadding leaves out the positions that RoBERTa never uses: those up to that of padding.
func afterPadding(c *Config, n int) ([]int, error) {
	skip := min(max(0, c.IntOr(1, "pad_token_id")+1), n)
	return span(skip, n-skip), nil
}

// bertParams marks the encoder: every token sees all others.
func bertParams(p *params) {
	p.setDefault("layer_norm_eps", 1e-12)
	p.usual()
	p.bool("attention.causal", false)
	p.pooling()
}

func robertaParams(p *params) {
	bertParams(p)
	p.u32("context_length", p.Int("max_position_embeddings")-max(0, p.IntOr(1, "pad_token_id")+1))
}

func nomicExperts(c *Config) int { return c.IntOr(0, "num_local_experts", "num_experts") }

func nomicParams(p *params) {
	bertParams(p)
	p.optionalFloat("rope.freq_base", "rotary_emb_base")
	if p.Has("moe_every_n_layers") {
		p.u32("moe_every_n_layers", p.Int("moe_every_n_layers"))
		p.u32("expert_used_count", p.Int("moe_top_k"))
	}
}

func jinaParams(p *params) {
	bertParams(p)
	p.f32("attention.max_alibi_bias", 8)
}

func modernBertParams(p *params) {
	p.setDefault("layer_norm_eps", p.FloatOr(1e-5, "norm_eps"))
	delete(p.values, "norm_eps")
	bertParams(p)
	p.u32("attention.sliding_window", p.Int("local_attention"))
	p.optional("attention.sliding_window_pattern", "global_attn_every_n_layers")
	p.noScaling()
	p.u32("vocab_size", p.rows)
	if act := p.Str("hidden_activation"); act != "" {
		p.text("hidden_activation", act)
	}
}

func euroBertParams(p *params) {
	p.usual()
	p.bool("attention.causal", false)
	p.noScaling()
	p.pooling()
}

// gemma3EmbeddingParams sees half of the window to each side.
func gemma3EmbeddingParams(p *params) {
	gemma3Params(p)
	p.bool("attention.causal", false)
	p.pooling()
}
