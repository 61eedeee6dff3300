package arch_test

import (
	"encoding/binary"
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/quant"
)

// What llama.cpp's recurrent models do not reach: more heads than groups, experts, windows, norms without weights.
var recurrentCopies = map[string]changed{
	"mamba-norms": {file: "mamba-dense", keys: keys{"ssm.dt_b_c_rms": gguf.Bool(true)}},
	"mamba2-heads": {file: "mamba2-dense", keys: keys{"ssm.time_step_rank": gguf.Uint32(8), "ssm.group_count": gguf.Uint32(1)},
		shapes: mamba2Shapes(8, 1)},
	"mamba2-groups":     {file: "mamba2-dense", keys: keys{"ssm.time_step_rank": gguf.Uint32(16)}, shapes: mamba2Shapes(16, 2)},
	"falcon-h1-no-norm": {file: "falcon-h1-dense", drop: []string{"ssm_norm.weight"}},
	"jamba-moe": {file: "jamba-dense", keys: expertKeys(4, 2), drop: []string{"blk.1.ffn_gate", "blk.1.ffn_up", "blk.1.ffn_down"},
		shapes: map[string][]int{"blk.1.ffn_gate_inp.weight": {256, 4}, "blk.1.ffn_gate_exps.weight": {256, 384, 4},
			"blk.1.ffn_up_exps.weight": {256, 384, 4}, "blk.1.ffn_down_exps.weight": {384, 256, 4}}},
	"granitehybrid-no-rope": {file: "granitehybrid-dense", keys: keys{"rope.scaling.finetuned": gguf.Bool(false),
		"attention.scale": gguf.Float32(0.02), "embedding_scale": gguf.Float32(3), "logit_scale": gguf.Float32(4)}},
	"nemotron_h_moe-experts": {file: "nemotron_h_moe-dense", keys: nemotronKeys(0), drop: []string{"blk.2.ffn_up", "blk.2.ffn_down"},
		shapes: nemotronShapes(256)},
	"nemotron_h_moe-latent": {file: "nemotron_h_moe-dense", keys: nemotronKeys(64), drop: []string{"blk.2.ffn_up", "blk.2.ffn_down"},
		shapes: nemotronShapes(64)},
	"lfm2-window":      {file: "lfm2-dense", keys: keys{"attention.sliding_window": gguf.Uint32(8)}},
	"lfm2-no-window":   {file: "lfm2-dense", keys: keys{"attention.sliding_window": gguf.Uint32(0)}},
	"minimax-01-heads": {file: "minimax-01-moe", keys: merged(heads(4, 64), keys{"rope.dimension_count": gguf.Uint32(64)})},
	"qwen3next-heads":  {file: "qwen3next-moe", keys: deltaKeys, drop: []string{"blk.0.ssm_in"}, shapes: deltaShapes},
	"qwen3next-fused": {file: "qwen3next-moe", keys: deltaKeys, shapes: merged(deltaShapes, map[string][]int{"blk.0.ssm_in.weight": {256, 768}}),
		drop: []string{"attn_qkv.weight", "attn_gate.weight", "attn_qkv.scale", "attn_gate.scale", "attn_qkv.input_scale",
			"attn_gate.input_scale"}},
	"qwen35-draft": {file: "qwen35-dense", deeper: 1, drop: draftScales,
		keys:   keys{"nextn_predict_layers": gguf.Uint32(1), "full_attention_interval": gguf.Uint32(2)},
		shapes: map[string][]int{"blk.2.nextn.eh_proj.weight": {512, 256}, "blk.2.nextn.enorm.weight": {256}, "blk.2.nextn.hnorm.weight": {256}}},
	"qwen35-heads": {file: "qwen35-dense", keys: deltaKeys, shapes: deltaShapes},
}

func init() { maps.Copy(copies, recurrentCopies) }

func mamba2Shapes(heads, groups int) map[string][]int {
	mixed := 512 + 2*groups*128
	return map[string][]int{"ssm_in.weight": {256, 512 + mixed + heads}, "ssm_conv1d.weight": {4, mixed}, "ssm_conv1d.bias": {mixed},
		"ssm_a": {1, heads}, "ssm_d": {1, heads}, "ssm_dt.bias": {heads}, "ssm_norm.weight": {512 / groups, groups}}
}

// merged is a with b over it.
func merged[M ~map[string]V, V any](a, b M) M {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

func expertKeys(n, used uint32) keys {
	return keys{"expert_count": gguf.Uint32(n), "expert_used_count": gguf.Uint32(used)}
}

func nemotronKeys(latent uint32) keys {
	return merged(expertKeys(4, 2), keys{"moe_latent_size": gguf.Uint32(latent), "expert_feed_forward_length": gguf.Uint32(96),
		"expert_shared_feed_forward_length": gguf.Uint32(160), "expert_weights_norm": gguf.Bool(true), "expert_weights_scale": gguf.Float32(2.5)})
}

func nemotronShapes(width int) map[string][]int {
	shapes := map[string][]int{"blk.2.ffn_gate_inp.weight": {256, 4}, "blk.2.exp_probs_b.bias": {4}, "blk.2.ffn_up_exps.weight": {width, 96, 4},
		"blk.2.ffn_down_exps.weight": {96, width, 4}, "blk.2.ffn_up_shexp.weight": {256, 160}, "blk.2.ffn_down_shexp.weight": {160, 256}}
	if width < 256 {
		shapes["blk.2.ffn_latent_down.weight"], shapes["blk.2.ffn_latent_up.weight"] = []int{256, width}, []int{width, 256}
	}
	return shapes
}

// draftScales are what llama.cpp does not read in a layer that drafts, and the key that says which layers are recurrent.
var draftScales = func() []string {
	drop := []string{"attention.recurrent_layers"}
	for _, part := range []string{"attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"} {
		drop = append(drop, "blk.2."+part+".scale", "blk.2."+part+".input_scale")
	}
	return drop
}()

// deltaKeys are four heads of values on two of keys.
var deltaKeys = keys{"ssm.state_size": gguf.Uint32(64), "ssm.time_step_rank": gguf.Uint32(4)}

var deltaShapes = map[string][]int{"ssm_conv1d.weight": {4, 512}, "ssm_a": {4}, "ssm_dt.bias": {4}, "ssm_norm.weight": {64},
	"blk.0.attn_qkv.weight": {256, 512}, "ssm_ba.weight": {256, 8}, "ssm_alpha.weight": {256, 4}, "ssm_beta.weight": {256, 4}}

// typeOf is the type of a new tensor.
func typeOf(name string) quant.Type {
	if strings.HasSuffix(name, "tid2eid.weight") {
		return quant.I32
	}
	return quant.F32
}

// randomTensor makes values as in the hardened models; those of ssm_a are decays, integers 0 or 1.
func randomTensor(t gguf.TensorInfo) []byte {
	h := fnv.New64a()
	h.Write([]byte(t.Name))
	r := rand.New(rand.NewPCG(h.Sum64(), 1))
	n := 1
	for _, d := range t.Shape {
		n *= d
	}
	var data []byte
	for range n {
		v := 0.1 * r.NormFloat64()
		switch {
		case strings.Contains(t.Name, "norm"):
			v++
		case strings.HasSuffix(t.Name, "ssm_a"):
			v = -5 * math.Abs(v)
		}
		bits := math.Float32bits(float32(v))
		if t.Type == quant.I32 {
			bits >>= 31
		}
		data = binary.LittleEndian.AppendUint32(data, bits)
	}
	return data
}
