package hf

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/formats/gguf"
)

// archConfig is a config.json that tells the hyper-parameters of a file, under all names that families know.
func archConfig(f *gguf.File, family *Family) map[string]any {
	r := f.Metadata.Reader(family.Arch)
	layers := r.Int("block_count")
	most := func(key string) int {
		n := 0
		for _, x := range r.IntsOrScalarOr(key, layers, 0) {
			n = max(n, x)
		}
		return n
	}
	heads, width := most("attention.head_count"), r.Int("embedding_length")
	turned := r.IntOr("rope.dimension_count", 0)
	nope := r.IntOr("attention.key_length_mla", 0) - turned
	inner := r.IntOr("ssm.inner_size", 0)
	values := max(1, r.IntOr("ssm.time_step_rank", 1))
	config := map[string]any{"architectures": []any{family.Classes[0]}, "num_hidden_layers": layers, "hidden_size": width, "num_attention_heads": heads, "num_key_value_heads": most("attention.head_count_kv"),
		"head_dim": r.IntOr("attention.key_length", 0), "qk_nope_head_dim": nope, "v_head_dim": r.IntOr("attention.value_length_mla", 0), "qk_rope_head_dim": turned,
		"linear_num_key_heads": max(1, r.IntOr("ssm.group_count", 1)), "linear_num_value_heads": values, "linear_key_head_dim": r.IntOr("ssm.state_size", 0),
		"linear_value_head_dim": inner / values, "mamba_n_groups": max(1, r.IntOr("ssm.group_count", 1)), "mamba_d_ssm": inner, "mamba_d_state": r.IntOr("ssm.state_size", 0),
		"intermediate_size": most("feed_forward_length"), "n_shared_head": 1}
	for _, k := range told {
		if v, ok := f.Metadata.Get(family.Arch + "." + k.key); ok && fmt.Sprint(v.Any()) != "0" && fmt.Sprint(v.Any()) != "false" {
			for _, name := range k.names {
				config[name] = v.Any()
			}
		}
	}
	if dim := r.IntOr("attention.key_length", 0); dim > 0 {
		config["partial_rotary_factor"] = float64(turned) / float64(dim)
	}
	for name, n := range gatings {
		if n == r.IntOr("expert_gating_func", 0) {
			config["scoring_func"], config["moe_router_activation_func"] = name, name
		}
	}
	if s := r.IntsOrScalarOr("rope.dimension_sections", 4, 0); s[0] > 0 {
		config["rope_parameters"] = map[string]any{"mrope_section": s, "rope_theta": config["rope_theta"], "partial_rotary_factor": config["partial_rotary_factor"]}
	}
	config["layer_types"], config["linear_attn_config"] = layerTypes(r, layers), kdaConfig(r, layers)
	name := strings.TrimSuffix(filepath.Base(f.Paths()[0]), ".gguf")
	maps.Copy(config, jsonObject(untold[family.Arch]))
	maps.Copy(config, jsonObject(untold[name]))
	return config
}

// told are hyper-parameters of files and what config.json calls them.
var told = []struct {
	key   string
	names []string
}{
	{"vocab_size", []string{"vocab_size"}},
	{"hrm.layers_per_stack", []string{"num_layers_per_stack"}},
	{"hrm.h_cycles", []string{"H_cycles"}},
	{"hrm.l_cycles", []string{"L_cycles"}},
	{"attention.layer_norm_rms_epsilon", []string{"rms_norm_eps"}},
	{"attention.layer_norm_epsilon", []string{"layer_norm_eps"}},
	{"expert_weights_norm", []string{"norm_topk_prob", "route_norm"}},
	{"attention.compress_ratios", []string{"compress_ratios"}},
	{"embedding_scale", []string{"embedding_multiplier", "scale_emb"}},
	{"residual_scale", []string{"residual_multiplier", "layernorm_full_attention_alpha", "layernorm_linear_attention_alpha", "layernorm_mlp_alpha"}},
	{"logit_scale", []string{"logits_scaling", "logit_scale"}},
	{"ssm.inner_size", []string{"d_inner"}},
	{"ssm.time_step_rank", []string{"time_step_rank"}},
	{"attention.output_group_count", []string{"o_groups"}},
	{"attention.output_lora_rank", []string{"o_lora_rank"}},
	{"hyper_connection.low_rank", []string{"hc_lowrank"}},
	{"hyper_connection.sinkhorn_iterations", []string{"hc_sinkhorn_iters"}},
	{"final_logit_softcapping", []string{"final_logit_softcapping"}},
	{"context_length", []string{"max_position_embeddings"}},
	{"rope.freq_base", []string{"rope_theta"}},
	{"rope.freq_base_swa", []string{"swa_rope_theta"}},
	{"expert_count", []string{"num_experts"}},
	{"expert_used_count", []string{"num_experts_per_tok"}},
	{"expert_feed_forward_length", []string{"moe_intermediate_size", "expert_intermediate_size"}},
	{"expert_shared_count", []string{"n_shared_experts", "num_shared_experts"}},
	{"expert_shared_feed_forward_length", []string{"shared_expert_intermediate_size", "shared_intermediate_size"}},
	{"leading_dense_block_count", []string{"first_k_dense_replace", "num_dense_layers"}},
	{"attention.q_lora_rank", []string{"q_lora_rank"}},
	{"attention.kv_lora_rank", []string{"kv_lora_rank"}},
	{"attention.indexer.head_count", []string{"index_n_heads", "indexer_n_heads"}},
	{"attention.indexer.key_length", []string{"index_head_dim", "indexer_head_dim"}},
	{"attention.indexer.top_k", []string{"index_topk", "indexer_budget"}},
	{"attention.sliding_window", []string{"sliding_window", "sliding_window_size"}},
	{"hyper_connection.count", []string{"hc_mult", "hc_count"}},
	{"hyper_connection.epsilon", []string{"hc_eps"}},
	{"ssm.conv_kernel", []string{"linear_conv_kernel_dim", "conv_kernel", "mamba_d_conv", "short_conv_kernel_size"}},
	{"ssm.state_size", []string{"state_size"}},
}

// layerTypes names the kinds of layers.
func layerTypes(r *gguf.Reader, layers int) []any {
	window := r.IntsOrScalarOr("attention.sliding_window_pattern", layers, 0)
	recurrent := r.IntsOrScalarOr("attention.recurrent_layers", layers, 0)
	out := make([]any, layers)
	for i := range out {
		switch {
		case recurrent[i] != 0:
			out[i] = "linear_attention"
		case window[i] != 0:
			out[i] = "sliding_attention"
		default:
			out[i] = "full_attention"
		}
	}
	return out
}

// kdaConfig is the part of config.json about Kimi delta attention.
func kdaConfig(r *gguf.Reader, layers int) map[string]any {
	var full []any
	for i, n := range r.IntsOrScalarOr("attention.head_count_kv", layers, 0) {
		if n > 0 {
			full = append(full, i+1)
		}
	}
	return map[string]any{"full_attn_layers": full, "short_conv_kernel_size": r.IntOr("ssm.conv_kernel", 0), "head_dim": r.IntOr("kda.head_dim", 0), "gate_lower_bound": -5}
}

func jsonObject(text string) map[string]any {
	var out map[string]any
	if err := json.Unmarshal([]byte("{"+text+"}"), &out); err != nil {
		panic(err)
	}
	return out
}

// untold is what config.json says beside, by architecture or by file.
var untold = map[string]string{
	"bailingmoe3":    `"no_kda_lora":true,"kda_safe_gate":true,"gated_attention_proj_granularity_type":"head_wise","layer_group_size":2,"kda_lower_bound":-5,"head_dim":128,"num_attention_heads":1`,
	"dbrx":           `"d_model":256,"max_seq_len":256,"n_heads":2,"n_layers":2,"attn_config":{"kv_n_heads":2,"clip_qkv":1,"rope_theta":10000},"ffn_config":{"moe_num_experts":2,"moe_top_k":2,"ffn_hidden_size":384}`,
	"deepseek4":      `"swiglu_limit":10,"compress_rope_theta":160000,"num_hash_layers":0,"scoring_func":"sqrtsoftplus","routed_scaling_factor":1`,
	"dots3note":      `"scoring_func":"sigmoid","swa_qk_rope_head_dim":64,"swa_qk_nope_head_dim":128,"swa_v_head_dim":128,"swa_q_lora_rank":512,"swa_kv_lora_rank":512,"swa_num_attention_heads":1`,
	"ernie4_5-moe":   `"moe_num_experts":2,"moe_k":2,"moe_layer_interval":2,"moe_layer_start_index":1,"moe_num_shared_experts":1`,
	"falcon-h1":      `"mamba_d_head":256,"embedding_multiplier":2,"lm_head_multiplier":0.5,"attention_in_multiplier":4,"attention_out_multiplier":0.25,"key_multiplier":2,"ssm_in_multiplier":8,"ssm_out_multiplier":0.5,"mlp_multipliers":[2,4],"ssm_multipliers":[0.5,2,4,8,16]`,
	"gemma2":         `"attn_logit_softcapping":50,"final_logit_softcapping":30`,
	"glm5-next":      `"mla_use_nope":true,"hc_sinkhorn_iters":2,"index_kpool":4,"scoring_func":"sigmoid"`,
	"gptneox":        `"use_parallel_residual":false`,
	"granitehybrid":  `"mamba_n_heads":2,"mamba_d_head":256,"layer_types":["attention","mamba"]`,
	"grok":           `"embedding_multiplier_scale":78.38367176906169,"output_multiplier_scale":1`,
	"hrm_text":       `"embedding_scale":0`,
	"hunyuan-moe":    `"num_shared_expert":0,"moe_topk":2`,
	"hy_v4":          `"hc_magnitude":2,"swiglu_limit":10,"indexer_types":["full","shared"],"routed_scaling_factor":1`,
	"jais":           `"mup_embeddings_scale":2,"mup_output_alpha":4,"mup_width_scale":0.5,"width_scale":0.5`,
	"jamba":          `"attn_layer_offset":0,"attn_layer_period":2,"mamba_expand":2,"mamba_dt_rank":2`,
	"k2-horizon":     `"layernorm_num_groups":8`,
	"k2-horizon-moe": `"mova_num_experts":2,"mova_num_experts_per_tok":2,"score_func":"sigmoid"`,
	"kimi-k3":        `"moe_router_activation_func":"sigmoid","hidden_act":"situ","mla_use_nope":true,"activation_situ_beta":4,"activation_situ_linear_beta":25,"attn_res_block_size":12,"routed_expert_hidden_size":192`,
	"laguna":         `"moe_routed_scaling_factor":1,"mlp_layer_types":["dense","sparse"],"num_attention_heads_per_layer":[2,2]`,
	"lfm2":           `"conv_L_cache":3,"block_ff_dim":384,"layer_types":["full_attention","conv"]`,
	"lfm2moe":        `"conv_L_cache":3,"layer_types":["full_attention","conv"]`,
	"llama4":         `"intermediate_size_mlp":384,"interleave_moe_layer_step":2`,
	"mamba":          `"intermediate_size":512,"time_step_rank":2`,
	"mamba2":         `"intermediate_size":512,"head_dim":256`,
	"mimo2":          `"swa_num_key_value_heads":2,"hybrid_layer_pattern":[0,1],"v_head_dim":128,"n_routed_experts":2`,
	"minicpm":        `"scale_depth":5.0297337,"dim_model_base":256`,
	"minicpm3":       `"qk_rope_head_dim":128,"qk_nope_head_dim":0`,
	"minimax-01":     `"rotary_dim":128`,
	"minimax-m2":     `"rotary_dim":128`,
	"minimax-m3":     `"rotary_dim":64,"routed_scaling_factor":1,"moe_layer_freq":[0,1],"sparse_attention_config":{"sparse_num_index_heads":2,"sparse_index_dim":128,"sparse_topk_blocks":131072,"sparse_block_size":4,"sparse_local_block":1}`,
	"mistral4":       `"model_type":"mistral4"`,
	"mpt":            `"d_model":256,"attn_config":{"alibi":true}`,
	"muse-glimmer":   `"output_multiplier":1,"qk_scale_factor":1.5`,
	"nemotron_h":     `"hybrid_override_pattern":"*M-","mamba_num_heads":2,"mamba_head_dim":256`,
	"nemotron_h_moe": `"hybrid_override_pattern":"*M-","mamba_num_heads":2,"mamba_head_dim":256`,
	"olmo":           `"clip_qkv":1`,
	"openelm":        `"model_dim":256,"ffn_dim_divisor":128,"ffn_multipliers":[1.5,1.5],"num_transformer_layers":2,"max_context_length":256,"num_query_heads":[2,2],"num_kv_heads":[2,2],"rope_freq_constant":10000`,
	"orion":          `"rms_norm_eps":1e-5`,
	"plamo2":         `"hidden_size_per_head":128,"mamba_num_heads":4`,
	"plamo3":         `"sliding_window_pattern":2`,
	"qwen":           `"layer_norm_epsilon":1e-5`,
	"qwen35":         `"full_attention_interval":2`,
	"qwen35moe":      `"full_attention_interval":2`,
	"qwen4exp":       `"full_attention_interval":2,"indexer_compress_ratio":4,"ple_layer_ids":[1],"ngram_size":3,"heads_per_ngram":2,"ple_conv_kernel_size":4,"eos_token_id":0,"split_ngram_parts":1`,
	"refact":         `"n_embd":256,"layer_norm_epsilon":1e-5`,
	"smallthinker":   `"moe_num_primary_experts":2,"moe_num_active_primary_experts":2,"moe_ffn_hidden_size":384,"sliding_window_layout":[0,1],"sliding_window_size":4096`,
	"stablelm":       `"use_parallel_residual":false`,
}

// otherHparams are what llama.cpp's converter writes, and its random models have otherwise: a number for all layers where those
// without attention have 0, constants of the model's code that the test leaves at zero
// or sets, an order of layers that no config.json tells.
var otherHparams = regexp.MustCompile(`^((afmoe|cohere2|gemma3|plamo3)\.attention\.sliding_window_pattern|gemma3\.attention\.scale|lfm2\.attention\.sliding_window.*|granitehybrid\.rope\.scaling\.finetuned|ernie4_5-moe\.expert_shared_count|refact\.(feed_forward_length|attention\.layer_norm_epsilon)|(qwen|orion)\.attention\.layer_norm(_rms)?_epsilon|openelm\..*|plamo2\.ssm\.time_step_rank` +
	`|mimo2\.attention\.head_count_kv|granitehybrid\.context_length|mamba2?\.(context_length|feed_forward_length|attention\.head_count)|talkie\.attention\.layer_norm_rms_epsilon|qwen4exp\.attention\.compress_ratios` +
	`|(plamo2|nemotron_h|nemotron_h_moe|bailingmoe3)\.attention\.head_count(_kv)?|(lfm2|lfm2moe|kimi-linear|kimi-k3|dots3note|laguna|jamba|granitehybrid)\.attention\.head_count` +
	`|(minimax-m3|laguna|hy_v3|deepseek|bailingmoe)\.expert_weights_(scale|norm)|.*\.expert_shared_feed_forward_length|k2-horizon\.moe_every_n_layers|glm5-next\.attention\.layer_norm_epsilon` +
	`|grovemoe\.(expert_chunk_feed_forward_length|experts_per_group|expert_group_scale))$`)

// compareHparams wants no hyper-parameter that the file has otherwise.
func compareHparams(t *testing.T, got, want *gguf.Metadata) {
	t.Helper()
	for _, key := range got.Keys() {
		g, _ := got.Get(key)
		w, ok := want.Get(key)
		if !ok || freeKeys.MatchString(key) || otherHparams.MatchString(key) {
			continue
		}
		if a, b := plainly(g), plainly(w); a != b {
			t.Errorf("%s is %s, want %s", key, a, b)
		}
	}
}

// plainly writes truth values as numbers, as files do in arrays, and an array of one number as that.
func plainly(v gguf.Value) string {
	return strings.NewReplacer("true", "1", "false", "0").Replace(fmt.Sprint(v.Any()))
}
