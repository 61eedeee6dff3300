package arch_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/llamakit/llamakit/bench/golden"
	"github.com/llamakit/llamakit/formats/gguf"
)

func init() { maps.Copy(copies, moeCopies) }

// moeCopies are copies of mixtures of experts.
var moeCopies = map[string]changed{
	"maion-coder-groups":   {file: "maion-coder-moe", keys: keys{"expert_group_count": gguf.Uint32(2), "expert_group_used_count": gguf.Uint32(1)}},
	"dots1-weights":        {file: "dots1-moe", keys: keys{"expert_weights_norm": gguf.Bool(true), "expert_weights_scale": gguf.Float32(2.5)}},
	"dots1-softmax":        {file: "dots1-moe", keys: keys{"expert_gating_func": gguf.Uint32(1), "expert_used_count": gguf.Uint32(1)}},
	"dots1-chosen":         {file: "dots1-moe", keys: keys{"expert_gating_func": gguf.Uint32(3)}},
	"dots1-sqrt-softplus":  {file: "dots1-moe", keys: keys{"expert_gating_func": gguf.Uint32(4)}},
	"hy_v3-default-gating": {file: "hy_v3-moe", keys: keys{"expert_gating_func": gguf.Uint32(0)}},
	"qwen3moe-scale":       {file: "qwen3moe-moe", keys: keys{"expert_weights_scale": gguf.Float32(2), "expert_gating_func": gguf.Uint32(2)}},
	"qwen2moe-one":         {file: "qwen2moe-moe", keys: keys{"expert_used_count": gguf.Uint32(1), "expert_weights_norm": gguf.Bool(true)}},
	"deepseek-scale":       {file: "deepseek-moe", keys: keys{"expert_weights_scale": gguf.Float32(3)}},
	"bailingmoe-keys":      {file: "bailingmoe-moe", keys: keys{"expert_weights_scale": gguf.Float32(3), "expert_used_count": gguf.Uint32(1), "expert_weights_norm": gguf.Bool(true)}},
	"minimax-m2-keys":      {file: "minimax-m2-moe", keys: keys{"expert_weights_scale": gguf.Float32(3), "expert_gating_func": gguf.Uint32(1), "rope.dimension_count": gguf.Uint32(64)}},
	"grovemoe-shared": {file: "grovemoe-moe", keys: keys{"expert_count": gguf.Uint32(4), "experts_per_group": gguf.Uint32(2)},
		drop:   []string{"ffn_gate_exps.scale", "ffn_up_exps.scale", "ffn_down_exps.scale", "ffn_gate_exps.input_scale", "ffn_up_exps.input_scale", "ffn_down_exps.input_scale"},
		shapes: map[string][]int{"ffn_gate_inp.weight": {256, 4}, "ffn_gate_exps.weight": {256, 384, 4}, "ffn_up_exps.weight": {256, 384, 4}, "ffn_down_exps.weight": {384, 256, 4}}},
	"mellum-keys":          {file: "mellum-moe", keys: keys{"expert_weights_scale": gguf.Float32(3), "expert_weights_norm": gguf.Bool(false), "attention.sliding_window": gguf.Uint32(8), "rope.freq_base_swa": gguf.Float32(500)}},
	"mellum-yarn":          {file: "mellum-moe", keys: yarn(keys{"attention.sliding_window": gguf.Uint32(8)})},
	"maple-limit":          {file: "maple-moe", keys: keys{"swiglu_clamp_exp": gguf.Float32(0.25), "attention.sliding_window": gguf.Uint32(8), "rope.freq_base_swa": gguf.Float32(500), "rope.dimension_count_swa": gguf.Uint32(64)}},
	"exaone-moe-window":    {file: "exaone-moe-moe", keys: keys{"attention.sliding_window": gguf.Uint32(8), "rope.freq_base_swa": gguf.Float32(500)}},
	"gpt-oss-yarn":         {file: "gpt-oss-moe", keys: yarn(keys{"attention.sliding_window": gguf.Uint32(8), "attention.sliding_window_pattern": gguf.Uint32(2)})},
	"laguna-yarn":          {file: "laguna-moe", keys: yarn(keys{"attention.sliding_window": gguf.Uint32(8), "attention.sliding_window_pattern": gguf.Uint32(2), "rope.dimension_count": gguf.Uint32(40), "rope.freq_base_swa": gguf.Float32(500)})},
	"mimo2-window":         {file: "mimo2-moe", keys: yarn(keys{"attention.sliding_window": gguf.Uint32(8), "attention.value_scale": gguf.Float32(0.5), "rope.dimension_count": gguf.Uint32(64), "rope.freq_base_swa": gguf.Float32(500)})},
	"cohere2moe-layernorm": {file: "cohere2moe-moe", keys: keys{"attention.layer_norm_rms_epsilon": gguf.Float32(0), "attention.sliding_window": gguf.Uint32(8), "expert_weights_norm": gguf.Bool(true)}},
	"cohere2moe-pattern":   {file: "cohere2moe-moe", keys: keys{"attention.sliding_window": gguf.Uint32(8), "attention.sliding_window_pattern": gguf.Uint32(2), "leading_dense_block_count": gguf.Uint32(1)}},
	"afmoe-nope":           {file: "afmoe-moe", deeper: 2, keys: keys{"attention.sliding_window": gguf.Uint32(8), "attention.sliding_window_pattern": gguf.Uint32(4), "rope.freq_base_swa": gguf.Float32(500)}},
	"smallthinker-nope":    {file: "smallthinker-moe", deeper: 3, keys: keys{"attention.sliding_window_pattern": gguf.Uint32(4), "rope.freq_base_swa": gguf.Float32(500)}},
	"smallthinker-rope":    {file: "smallthinker-moe", keys: keys{"attention.sliding_window": gguf.Uint32(0), "expert_gating_func": gguf.Uint32(1)}},
	"grok-experts-alone": {file: "grok-moe", drop: []string{"ffn_gate.weight", "ffn_up.weight", "ffn_down.weight", "ffn_gate.scale", "ffn_up.scale", "ffn_down.scale",
		"ffn_gate.input_scale", "ffn_up.input_scale", "ffn_down.input_scale"}, keys: keys{"final_logit_softcapping": gguf.Float32(2), "logit_scale": gguf.Float32(3)}},
	"grok-yarn":          {file: "grok-moe", keys: yarn(nil)},
	"glm4moe-no-qk-norm": {file: "glm4moe-moe", drop: []string{"attn_q_norm.weight", "attn_k_norm.weight"}, keys: keys{"rope.dimension_count": gguf.Uint32(64)}},
	"ernie4_5-moe-all":   {file: "ernie4_5-moe-moe", deeper: 1, keys: keys{"interleave_moe_layer_step": gguf.Uint32(1)}},
}

// yarn adds positions stretched four times from 16 to other keys.
func yarn(more keys) keys {
	all := keys{"rope.scaling.type": gguf.String("yarn"), "rope.scaling.factor": gguf.Float32(4),
		"rope.scaling.original_context_length": gguf.Uint32(16)}
	maps.Copy(all, more)
	return all
}

// TestDraftLayers: layers that guess tokens further ahead are not part of the forward pass.
func TestDraftLayers(t *testing.T) {
	drafting := changed{file: "glm4moe-moe", deeper: 1, keys: keys{"nextn_predict_layers": gguf.Uint32(1)}}
	var rows [2][][]float32
	for i, path := range []string{golden.Peer(t, variantFolders["hard"], drafting.file+".gguf"), drafting.write(t)} {
		p := compile(t, open(t, path), 1)
		defer p.Close()
		rows[i] = p.logits(tinyPrompt, len(tinyPrompt))
	}
	for i := range rows[0] {
		if !slices.Equal(rows[0][i], rows[1][i]) {
			t.Fatalf("position %d: logits differ with a draft layer", i)
		}
	}
}
