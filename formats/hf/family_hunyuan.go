package hf

import "github.com/llamakit/llamakit/formats/gguf"

// hyperConnections are the mixers of several residual streams, one before attention and one before the feed-forward network, under
// prefixes of their own (Zhu et al., Hyper-Connections).
func hyperConnections(attention, ffn string) map[string]rule {
	out := map[string]rule{}
	for prefix, to := range map[string]string{attention: "blk.{}.hc_attn_", ffn: "blk.{}.hc_ffn_"} {
		for _, part := range []string{"fn", "base", "scale"} {
			out[layer+prefix+part] = rule{to: to + part, suffix: ".weight"}
		}
	}
	return out
}

// hyperHead is the mixer behind the last layer.
func hyperHead(prefix string) map[string]rule {
	out := map[string]rule{}
	for _, part := range []string{"fn", "base", "scale"} {
		out[prefix+part] = rule{to: "output_hc_" + part, suffix: ".weight"}
	}
	return out
}

func init() {
	register(&Family{Arch: "hy_v3", Classes: []string{"HYV3ForCausalLM"}, Mixed: true, Params: hunyuan3Params, Rules: rules(decoderRules, qkNorms, experts, sharedExperts, draft, names(layer,
		"final_layernorm", "nextn.shared_head_norm", "mlp.router.gate", "ffn_gate_inp", "mlp.shared_mlp.gate_proj", "ffn_gate_shexp", "mlp.shared_mlp.up_proj", "ffn_up_shexp",
		"mlp.shared_mlp.down_proj", "ffn_down_shexp"), map[string]rule{layer + "mlp.expert_bias": {to: "blk.{}.exp_probs_b", bare: true}})})
	register(&Family{Arch: "hy_v4", Classes: []string{"HYV4ForCausalLM"}, Mixed: true, Skip: []string{"model.mtp_layers."}, Exact: []string{"hc_"}, Params: hunyuan4Params,
		Rules: rules(deepseek2Rules, indexer, names(layer, "self_attn.linear_gate", "attn_gate"), sinks("self_attn.learnable_sink_param"),
			hyperConnections("hc_attn_layer.hc_pre.hc_", "hc_mlp_layer.hc_pre.hc_"), hyperHead("model.hc_head.hc_head_"))})
}

func hunyuan3Params(p *params) {
	p.usual()
	width := p.Int("moe_intermediate_size")
	p.u32("expert_feed_forward_length", width)
	p.u32("expert_shared_feed_forward_length", width*p.IntOr(1, "num_shared_experts"))
	p.bool("expert_weights_norm", p.Bool(true, "route_norm"))
	p.f32("expert_weights_scale", p.FloatOr(1, "router_scaling_factor"))
	p.u32("expert_gating_func", gatings["sigmoid"])
}

// hunyuan4Params has DeepSeek's attention with a gate, and an indexer in some layers, whose choice those without one take over.
func hunyuan4Params(p *params) {
	if p.IntOr(0, "n_group") == 1 && p.IntOr(0, "topk_group") == 1 {
		delete(p.values, "n_group")
		delete(p.values, "topk_group")
	}
	dense := leading(p.strs("mlp_layer_types"), "dense")
	if p.Has("mlp_layer_types") && p.IntOr(dense, "first_k_dense_replace") != dense {
		p.fail("first_k_dense_replace is %d, but mlp_layer_types has %d dense layers first", p.Int("first_k_dense_replace"), dense)
	}
	p.setDefault("first_k_dense_replace", float64(dense))
	p.values["num_key_value_heads"] = 1.0
	deepseek2Params(p)
	p.u32("expert_gating_func", gatings["sigmoid"])
	if limit := p.FloatOr(0, "swiglu_limit"); limit > 0 {
		p.clamp("swiglu_clamp_exp", float32(limit))
	}
	p.u32("hyper_connection.count", p.Int("hc_mult"))
	p.f32("hyper_connection.epsilon", p.Float("hc_eps"))
	p.f32("hyper_connection.magnitude", p.Float("hc_magnitude"))
	if full := p.indexers(); full != nil {
		p.indexer()
		p.set("attention.indexer.types", gguf.Bools(full))
	}
}

// indexers says which layers choose tokens of their own; nil where none does.
func (p *params) indexers() []bool {
	types, own := p.strs("indexer_types"), []string{"full"}
	if !p.Has("indexer_types") {
		types, own = p.strs("layer_types"), []string{"sparse_attention", "deepseek_sparse_attention"}
	}
	full, any := make([]bool, len(types)), p.Has("indexer_types")
	for i, t := range types {
		for _, name := range own {
			full[i] = full[i] || t == name
		}
		any = any || full[i]
	}
	switch n := p.Int(layerKeys...); {
	case !any:
		return nil
	case len(full) < n:
		p.fail("the kinds of %d layers are told, num_hidden_layers is %d", len(full), n)
		return nil
	case !full[0] && p.Has("indexer_types"):
		p.fail("indexer_types begins with %q: no layer before it has chosen", types[0])
		return nil
	default:
		return full[:n]
	}
}

// leading counts the entries at the beginning that are kind.
func leading(list []string, kind string) int {
	n := 0
	for n < len(list) && list[n] == kind {
		n++
	}
	return n
}
