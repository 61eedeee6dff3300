package arch_test

import (
	"maps"

	"github.com/llamakit/llamakit/formats/gguf"
)

// What llama.cpp's models with residual streams do not reach: a choice of keys, several heads, more iterations, small limits.
var streamCopies = map[string]changed{
	"hy_v4-top": {file: "hy_v4-moe", keys: merged(top(8), keys{"swiglu_clamp_exp": gguf.Float32(0.05)})},
	"hy_v4-heads": {file: "hy_v4-moe", keys: merged(top(11), keys{"attention.head_count": gguf.Uint32(4), "hyper_connection.magnitude": gguf.Float32(0.7),
		"hyper_connection.epsilon": gguf.Float32(0.1)}), shapes: merged(mlaShapes, map[string][]int{"attn_gate.weight": {128, 512}, "attn_sinks.weight": {4}})},
	"hy_v4-two-streams": {file: "hy_v4-moe", keys: keys{"hyper_connection.count": gguf.Uint32(2)}, shapes: map[string][]int{
		"hc_attn_fn.weight": {256, 4}, "hc_attn_base.weight": {4}, "hc_ffn_fn.weight": {256, 4}, "hc_ffn_base.weight": {4},
		"output_hc_fn.weight": {256, 2}, "output_hc_base.weight": {2}}},
	"glm5-next-top": {file: "glm5-next-moe", keys: merged(top(8), keys{"swiglu_clamp_exp": gguf.Float32(0.05), "swiglu_clamp_shexp": gguf.Float32(0.1)})},
	"glm5-next-top16": {file: "glm5-next-moe", keys: merged(top(16), keys{"hyper_connection.sinkhorn_iterations": gguf.Uint32(7),
		"hyper_connection.epsilon": gguf.Float32(0.05)})},
	"glm5-next-pools": {file: "glm5-next-moe", keys: merged(top(16), keys{"attention.indexer.kpool": gguf.Uint32(8)}),
		shapes: map[string][]int{"indexer_compressor_ape.weight": {128, 8}}},
	"deepseek4-blocks": {file: "deepseek4-moe", tokens: 300},
	"deepseek4-top": {file: "deepseek4-moe", tokens: 300, keys: merged(top(8), keys{"attention.sliding_window": gguf.Uint32(16),
		"swiglu_clamp_exp": gguf.Float32(0.05), "swiglu_clamp_shexp": gguf.Float32(0.1)})},
	"deepseek4-hashed": {file: "deepseek4-moe", keys: merged(expertKeys(2, 1), keys{"hash_layer_count": gguf.Uint32(2)}),
		drop: []string{"blk.0.exp_probs_b", "blk.1.exp_probs_b"}, shapes: map[string][]int{"blk.0.ffn_gate_tid2eid.weight": {1, 128}, "blk.1.ffn_gate_tid2eid.weight": {1, 128}}},
	"deepseek4-yarn": {file: "deepseek4-moe", tokens: 150, keys: merged(yarn(nil), keys{"rope.scaling.attn_factor": gguf.Float32(0.7)})},
	"qwen4exp-top":   {file: "qwen4exp-moe", keys: merged(top(8), keys{"ple.eos_token_id": gguf.Uint32(5)})},
	"qwen4exp-top16": {file: "qwen4exp-moe", tokens: 100, keys: merged(top(16), keys{"rope.dimension_count": gguf.Uint32(64),
		"ple.layer_multipliers": gguf.ArrayOf(gguf.TypeUint64, []gguf.Value{gguf.Uint64(1 << 40), gguf.Uint64(982451653), gguf.Uint64(1<<62 - 57)})})},
}

func init() { maps.Copy(copies, streamCopies) }
