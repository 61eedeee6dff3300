package arch_test

import (
	"maps"
	"math"

	"github.com/llamakit/llamakit/formats/gguf"
)

// What llama.cpp's models with Kimi Delta Attention do not reach: several heads, decays with and without a bound, short blocks of
// layers, small limits.
var kdaCopies = map[string]changed{
	"kimi-linear-heads":    {file: "kimi-linear-moe", keys: kdaHeads, shapes: twoHeads(map[string][]int{"blk.0.attn_q.weight": {128, 384}})},
	"bailingmoe3-limits":   {file: "bailingmoe3-moe", keys: keys{"swiglu_clamp_exp": gguf.Float32(0.05), "swiglu_clamp_shexp": gguf.Float32(0.1)}},
	"bailingmoe3-sections": {file: "bailingmoe3-moe", keys: keys{"rope.dimension_sections": gguf.Int32s([]int32{0, 0, 0, 0})}},
	"bailingmoe3-heads": {file: "bailingmoe3-moe", keys: kdaHeads, shapes: twoHeads(map[string][]int{"blk.0.attn_q_b.weight": {512, 384},
		"blk.0.attn_gate.weight": {128, 2}, "ssm_f_a.weight": {128, 256}, "ssm_g_a.weight": {128, 256}})},
	"kimi-k3-blocks":    {file: "kimi-k3-moe", keys: keys{"attn_res.block_size": gguf.Uint32(1)}},
	"kimi-k3-no-bound":  {file: "kimi-k3-moe", keys: keys{"kda.gate_lower_bound": gguf.Float32(float32(math.Inf(-1)))}},
	"kimi-k3-situ":      {file: "kimi-k3-moe", keys: keys{"activation.situ_beta": gguf.Float32(0.1), "activation.situ_linear_beta": gguf.Float32(0)}},
	"kimi-k3-situ-both": {file: "kimi-k3-moe", keys: keys{"activation.situ_beta": gguf.Float32(0.1), "activation.situ_linear_beta": gguf.Float32(0.2)}},
}

func init() { maps.Copy(copies, kdaCopies) }

// kdaHeads are two heads, in the second layer of KDA.
var kdaHeads = keys{"attention.head_count": gguf.Uint32s([]uint32{2, 0}), "attention.head_count_kv": gguf.Uint32s([]uint32{1, 0})}

// twoHeads is other shapes with those of two heads.
func twoHeads(others map[string][]int) map[string][]int {
	return merged(others, map[string][]int{"attn_k_b.weight": {128, 512, 2}, "attn_v_b.weight": {512, 128, 2}, "attn_output.weight": {256, 128},
		"blk.1.attn_q.weight": {128, 256}, "attn_k.weight": {128, 256}, "attn_v.weight": {128, 256}, "attn_q.bias": {256}, "attn_k.bias": {256},
		"attn_v.bias": {256}, "ssm_a": {1, 2}, "ssm_dt.bias": {256}, "ssm_conv1d_q.weight": {4, 1, 256}, "ssm_conv1d_k.weight": {4, 1, 256},
		"ssm_conv1d_v.weight": {4, 1, 256}, "ssm_f_b.weight": {128, 256}, "ssm_beta.weight": {128, 2}, "ssm_g_b.weight": {128, 256}})
}
