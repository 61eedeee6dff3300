package arch_test

import (
	"maps"

	"github.com/llamakit/llamakit/formats/gguf"
)

// What llama.cpp's models with latent attention do not reach: several heads, matrices of heads that are not absorbed, queries that are not
// compressed, stretched positions, growing queries, groups of experts, and a choice of keys.
var mlaCopies = map[string]changed{
	"deepseek2-heads": {file: "deepseek2-moe", keys: keys{"attention.head_count": gguf.Uint32(4)}, shapes: mlaShapes},
	"deepseek2-plain": {file: "deepseek2-moe", keys: keys{"attention.head_count": gguf.Uint32(4), "attention.head_count_kv": gguf.Uint32(4),
		"attention.key_length": gguf.Uint32(192), "attention.value_length": gguf.Uint32(128), "attention.key_length_mla": gguf.Uint32(0),
		"attention.value_length_mla": gguf.Uint32(0)}, drop: []string{"attn_k_b.weight", "attn_v_b.weight"}, shapes: plainShapes},
	"deepseek2-yarn": {file: "deepseek2-moe", keys: yarn(keys{"rope.scaling.yarn_log_multiplier": gguf.Float32(0.1)})},
	"deepseek2-yarn-part": {file: "deepseek2-moe", keys: yarn(keys{"rope.scaling.yarn_log_multiplier": gguf.Float32(0.05),
		"rope.scaling.attn_factor": gguf.Float32(0.7)})},
	"deepseek2-yarn-none": {file: "deepseek2-moe", keys: yarn(nil)},
	"deepseek2-temperature": {file: "deepseek2-moe", keys: keys{"attention.temperature_scale": gguf.Float32(0.4),
		"attention.temperature_length": gguf.Uint32(8)}},
	"deepseek2-groups": {file: "deepseek2-moe", keys: keys{"expert_group_count": gguf.Uint32(8), "expert_group_used_count": gguf.Uint32(3),
		"expert_used_count": gguf.Uint32(6), "expert_weights_norm": gguf.Bool(true), "expert_weights_scale": gguf.Float32(2.5)}},
	"mistral4-yarn": {file: "mistral4-moe", keys: yarn(keys{"rope.scaling.yarn_log_multiplier": gguf.Float32(0.05),
		"attention.temperature_scale": gguf.Float32(0.1), "attention.temperature_length": gguf.Uint32(16)})},
	"minicpm3-nope": {file: "minicpm3-dense", keys: keys{"attention.key_length": gguf.Uint32(192)},
		shapes: map[string][]int{"attn_q_b.weight": {512, 384}, "attn_kv_b.weight": {512, 384}}},
	"deepseek32-top": {file: "deepseek32-moe", keys: top(8)},
	"deepseek32-heads": {file: "deepseek32-moe", keys: merged(top(11), yarn(keys{"attention.head_count": gguf.Uint32(4),
		"rope.scaling.yarn_log_multiplier": gguf.Float32(0.1)})), shapes: mlaShapes},
	"glm-dsa-top":    {file: "glm-dsa-moe", keys: top(8)},
	"glm-dsa-shared": {file: "glm-dsa-moe", keys: merged(top(8), keys{"attention.indexer.types": gguf.Uint32s([]uint32{1, 0})})},
	"dots3note-top": {file: "dots3note-moe", keys: merged(top(8), keys{"attention.sliding_window": gguf.Uint32(8),
		"rope.freq_base_swa": gguf.Float32(500)})},
	"dots3note-sizes": {file: "dots3note-moe", keys: keys{"attention.sliding_window": gguf.Uint32(8), "attention.kv_lora_rank_swa": gguf.Uint32(256),
		"attention.key_length_mla_swa": gguf.Uint32(128), "attention.value_length_mla_swa": gguf.Uint32(96),
		"attention.key_length_swa": gguf.Uint32(320), "attention.value_length_swa": gguf.Uint32(256)},
		shapes: map[string][]int{"blk.1.attn_q_b.weight": {512, 128}, "blk.1.attn_kv_a_mqa.weight": {128, 320}, "blk.1.attn_kv_a_norm.weight": {256},
			"blk.1.attn_k_b.weight": {64, 256}, "blk.1.attn_v_b.weight": {256, 96}, "blk.1.attn_output.weight": {96, 128}}},
}

func init() { maps.Copy(copies, mlaCopies) }

// top are keys of an indexer that chooses n keys.
func top(n uint32) keys { return keys{"attention.indexer.top_k": gguf.Uint32(n)} }

// mlaShapes are four heads.
var mlaShapes = map[string][]int{"attn_q_b.weight": {512, 768}, "attn_k_b.weight": {128, 512, 4}, "attn_v_b.weight": {512, 128, 4},
	"attn_output.weight": {512, 128}}

// plainShapes are four heads whose keys and values come from one matrix.
var plainShapes = map[string][]int{"attn_q_b.weight": {512, 768}, "attn_output.weight": {512, 128},
	"blk.0.attn_kv_b.weight": {512, 1024}, "blk.1.attn_kv_b.weight": {512, 1024}}
