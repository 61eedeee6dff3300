package hf

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/formats/gguf"
)

// glmDraft is a layer, and one behind it that predicts further tokens.
func glmDraft() files {
	config := qwen3Config()
	for k, v := range (object{"architectures": list{"Glm4MoeForCausalLM"}, "num_nextn_predict_layers": 1, "n_routed_experts": 2, "num_experts_per_tok": 1, "moe_intermediate_size": 16,
		"n_shared_experts": 1, "first_k_dense_replace": 0, "routed_scaling_factor": 1, "norm_topk_prob": true, "partial_rotary_factor": 1, "tie_word_embeddings": false}) {
		config[k] = v
	}
	w := qwen3Weights(300)
	qwen3Layer(w, "model.layers.1.")
	for _, p := range []string{"model.layers.0.", "model.layers.1."} {
		w = w.without(p + "mlp.gate_proj.weight").without(p + "mlp.up_proj.weight").without(p + "mlp.down_proj.weight")
		w.add(p+"mlp.gate.weight", 2, 8).add(p+"mlp.gate.e_score_correction_bias", 2)
		for _, e := range []string{"experts.0", "experts.1", "shared_experts"} {
			w.add(p+"mlp."+e+".gate_proj.weight", 16, 8).add(p+"mlp."+e+".up_proj.weight", 16, 8).add(p+"mlp."+e+".down_proj.weight", 8, 16)
		}
	}
	const p = "model.layers.1."
	w.add(p+"eh_proj.weight", 8, 16).add(p+"enorm.weight", 8).add(p+"hnorm.weight", 8).add(p+"shared_head.norm.weight", 8).add("lm_head.weight", 300, 8)
	return files{"config.json": config, "tokenizer.json": bpe(300), "model.safetensors": w}
}

// qwenDraft is a layer of linear attention, one of full attention, and one that predicts further tokens, as Qwen writes them.
func qwenDraft() files {
	config := qwen3Config()
	for k, v := range (object{"architectures": list{"Qwen3_5ForCausalLM"}, "num_hidden_layers": 2, "mtp_num_hidden_layers": 1, "layer_types": list{"linear_attention", "full_attention"}, "full_attention_interval": 2, "linear_conv_kernel_dim": 4,
		"linear_key_head_dim": 4, "linear_value_head_dim": 4, "linear_num_key_heads": 1, "linear_num_value_heads": 1,
		"rope_parameters": object{"rope_theta": 10000, "mrope_section": list{1, 1, 0}, "partial_rotary_factor": 1}, "tie_word_embeddings": true}) {
		config[k] = v
	}
	w := (&weights{}).add("model.embed_tokens.weight", 300, 8).add("model.norm.weight", 8)
	const linear = "model.layers.0."
	qwen3Layer(w, linear)
	for _, part := range []string{"q_proj", "k_proj", "v_proj", "o_proj", "q_norm", "k_norm"} {
		w = w.without(linear + "self_attn." + part + ".weight")
	}
	w.add(linear+"linear_attn.in_proj_qkv.weight", 12, 8).add(linear+"linear_attn.in_proj_z.weight", 4, 8).add(linear+"linear_attn.in_proj_a.weight", 1, 8).
		add(linear+"linear_attn.in_proj_b.weight", 1, 8).add(linear+"linear_attn.conv1d.weight", 12, 1, 4).put(linear+"linear_attn.A_log", []float32{0.5}, 1).
		add(linear+"linear_attn.dt_bias", 1).add(linear+"linear_attn.norm.weight", 4).add(linear+"linear_attn.out_proj.weight", 8, 4)
	qwen3Layer(w, "model.layers.1.")
	qwen3Layer(w, "mtp.layers.0.")
	for _, p := range []string{"model.layers.1.", "mtp.layers.0."} {
		w = w.without(p+"self_attn.q_proj.weight").add(p+"self_attn.q_proj.weight", 16, 8)
	}
	w.add("mtp.fc.weight", 8, 16).add("mtp.pre_fc_norm_embedding.weight", 8).add("mtp.pre_fc_norm_hidden.weight", 8).add("mtp.norm.weight", 8)
	return files{"config.json": config, "tokenizer.json": bpe(300), "model.safetensors": w}
}

// TestDrafts keeps layers that predict further tokens, as llama.cpp's converter does, or leaves them out.
func TestDrafts(t *testing.T) {
	for name, c := range map[string]struct {
		files  files
		layers int
		one    float32 // that is added to norms
	}{"glm4moe": {glmDraft(), 1, 0}, "qwen35": {qwenDraft(), 2, 1}} {
		dir, draft := writeFiles(t, c.files), fmt.Sprintf("blk.%d.", c.layers)
		kept := convertFolder(t, dir, Options{Type: OutF32})
		r := kept.Metadata.Reader(name)
		if blocks, drafts := r.Int("block_count"), r.IntOr("nextn_predict_layers", 0); blocks != c.layers+1 || drafts != 1 {
			t.Errorf("%s: %d layers, %d of them drafts", name, blocks, drafts)
		}
		for _, part := range []string{"nextn.eh_proj", "nextn.enorm", "nextn.hnorm", "nextn.shared_head_norm", "attn_q", "attn_norm"} {
			if _, ok := kept.Tensor(draft + part + ".weight"); !ok {
				t.Errorf("%s: no %s", name, part)
			}
		}
		if got, want := floats(kept, draft+"nextn.enorm.weight"), stored(c.files, ".enorm.weight", "pre_fc_norm_embedding.weight"); got[1]-want[1] != c.one {
			t.Errorf("%s: enorm is %v, was %v", name, got, want)
		}
		keepModel(t, kept, "draft-"+name+".gguf")
		bare := convertFolder(t, dir, Options{Type: OutF32, NoDrafts: true})
		if n := bare.Metadata.Reader(name).Int("block_count"); n != c.layers || bare.Metadata.Reader(name).Has("nextn_predict_layers") {
			t.Errorf("%s: %d layers without drafts", name, n)
		}
		for _, x := range bare.Tensors {
			if strings.HasPrefix(x.Name, draft) {
				t.Errorf("%s: %s is there without drafts", name, x.Name)
			}
		}
	}
}

// TestExtraLayer refuses a layer too many that does not predict further tokens, and takes one that does where config.json is silent.
func TestExtraLayer(t *testing.T) {
	f := glmDraft()
	delete(f["config.json"].(object), "num_nextn_predict_layers")
	if n := convertFolder(t, writeFiles(t, f), Options{Type: OutF32}).Metadata.Reader("glm4moe").Int("block_count"); n != 2 {
		t.Errorf("%d layers, want 2", n)
	}
	f["model.safetensors"] = f["model.safetensors"].(*weights).without("model.layers.1.enorm.weight")
	if _, err := convert(t, f, Options{}); err == nil || !strings.Contains(err.Error(), "config.json has 1 layers only") {
		t.Errorf("error %v", err)
	}
}

// stored are the values of the first tensor with one of the ends.
func stored(f files, ends ...string) []float32 {
	for i, x := range f["model.safetensors"].(*weights).tensors {
		for _, end := range ends {
			if strings.HasSuffix(x.Name, end) {
				return []float32{float32(i), float32(i) + 0.125}
			}
		}
	}
	return nil
}

// keepModel copies a file to the folder HF_KEEP, where llama.cpp can read it.
func keepModel(t *testing.T, f *gguf.File, name string) {
	t.Helper()
	keep := os.Getenv("HF_KEEP")
	if keep == "" {
		return
	}
	data, err := os.ReadFile(f.Paths()[0])
	if err != nil || os.WriteFile(filepath.Join(keep, name), data, 0o644) != nil {
		t.Fatal("cannot keep the file", err)
	}
}
