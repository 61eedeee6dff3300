package hf

import (
	"math"
	"reflect"
	"strings"
	"testing"
)

// parameters lists a family's hyper-parameters for a config.json, and the tensors that follow.
func parameters(t *testing.T, config object) (map[string]any, []extraTensor, error) {
	t.Helper()
	c := newConfig("config.json", jsonValues(config))
	family, err := Find(c.Class(), c)
	if err != nil {
		t.Fatal(err)
	}
	p := newParams(c, family, 99)
	family.Params(p)
	if family.Extra != nil {
		family.Extra(p)
	}
	out := map[string]any{}
	for k, v := range p.md.All() {
		out[strings.TrimPrefix(k, family.Arch+".")] = v.Any()
	}
	return out, p.extra, p.Err()
}

func configWith(class string, more object) object {
	out := object{"architectures": list{class}, "num_hidden_layers": 2, "hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 4,
		"num_key_value_heads": 2, "max_position_embeddings": 4096, "rms_norm_eps": 1e-5, "sliding_window": 32}
	for k, v := range more {
		out[k] = v
	}
	return out
}

func TestParams(t *testing.T) {
	yarn := object{"rope_type": "yarn", "factor": 4, "original_max_position_embeddings": 1024, "beta_fast": 32, "beta_slow": 1, "rope_theta": 1e6,
		"mscale_all_dim": 1, "llama_4_scaling_beta": 0.1}
	for _, c := range []struct {
		name   string
		config object
		want   map[string]any // some of the keys; nil: must be absent
	}{
		{"llama", configWith("LlamaForCausalLM", object{"rope_theta": 5e5, "rope_scaling": object{"type": "linear", "factor": 2}}),
			map[string]any{"block_count": uint32(2), "vocab_size": uint32(99), "rope.dimension_count": uint32(16), "rope.freq_base": float32(5e5),
				"rope.scaling.type": "linear", "rope.scaling.factor": float32(2), "attention.key_length": nil, "attention.sliding_window": nil}},
		{"no kv heads", configWith("LlamaForCausalLM", object{"num_key_value_heads": nil}), map[string]any{"attention.head_count_kv": uint32(4)}},
		{"ministral", configWith("Mistral3ForConditionalGeneration", object{"text_config": object{"architectures": nil, "model_type": "ministral3", "head_dim": 32, "rope_parameters": yarn}}),
			map[string]any{"attention.key_length": uint32(32), "rope.dimension_count": uint32(32), "rope.scaling.yarn_beta_fast": float32(32),
				"rope.scaling.yarn_log_multiplier": float32(1), "attention.temperature_scale": float32(0.1), "rope.freq_base": float32(1e6)}},
		{"qwen3", configWith("Qwen3ForCausalLM", object{"rope_scaling": nil}), map[string]any{"attention.key_length": uint32(128), "rope.scaling.type": nil, "vocab_size": nil}},
		{"qwen3moe", configWith("Qwen3MoeForCausalLM", object{"num_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 48}),
			map[string]any{"expert_count": uint32(8), "expert_used_count": uint32(2), "expert_feed_forward_length": uint32(48)}},
		{"gemma2", configWith("Gemma2ForCausalLM", object{"head_dim": 8, "attn_logit_softcapping": 50, "final_logit_softcapping": 30}),
			map[string]any{"attn_logit_softcapping": float32(50), "final_logit_softcapping": float32(30), "attention.sliding_window": uint32(32), "attention.value_length": uint32(8)}},
		{"gemma3 sees", object{"architectures": list{"Gemma3ForConditionalGeneration"}, "vision_config": object{"hidden_size": 7},
			"text_config": object{"num_hidden_layers": 34, "hidden_size": 2560, "intermediate_size": 10240, "sliding_window": 1024, "rope_scaling": object{"rope_type": "linear", "factor": 8}}},
			map[string]any{"attention.head_count": uint32(8), "attention.head_count_kv": uint32(4), "attention.key_length": uint32(256), "context_length": uint32(131072),
				"rope.freq_base": float32(1e6), "rope.scaling.factor": float32(8), "embedding_length": uint32(2560), "attention.layer_norm_rms_epsilon": float32(1e-6)}},
		{"gemma3 newer", configWith("Gemma3ForCausalLM", object{"rope_parameters": object{"full_attention": object{"rope_theta": 1e6, "rope_type": "default"},
			"sliding_attention": object{"rope_theta": 1e4}}}), map[string]any{"rope.freq_base": float32(1e6), "rope.freq_base_swa": float32(1e4)}},
		{"phi3", configWith("Phi3ForCausalLM", object{"partial_rotary_factor": 0.5, "sliding_window": nil}),
			map[string]any{"rope.dimension_count": uint32(8), "attention.sliding_window": uint32(0), "rope.scaling.original_context_length": uint32(4096)}},
	} {
		got, _, err := parameters(t, c.config)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		for k, want := range c.want {
			if got[k] != want {
				t.Errorf("%s: %s is %v, want %v", c.name, k, got[k], want)
			}
		}
	}
}

func TestBadParams(t *testing.T) {
	for name, c := range map[string]struct {
		config object
		want   string
	}{
		"no softcap":  {configWith("Gemma2ForCausalLM", nil), "key attn_logit_softcapping is missing"},
		"old softcap": {configWith("Gemma3ForCausalLM", object{"attn_logit_softcapping": 50}), "attn_logit_softcapping is set"},
		"factors":     {configWith("Phi3ForCausalLM", object{"rope_scaling": object{"type": "longrope", "long_factor": list{1}, "short_factor": list{1}}}), "want 8"},
		"not numbers": {configWith("Phi3ForCausalLM", object{"rope_scaling": object{"type": "longrope", "long_factor": list{"x"}}}), "key long_factor has x"},
		"wide head":   {configWith("LlamaForCausalLM", object{"head_dim": 1 << 30, "rope_scaling": object{"rope_type": "llama3"}}), "heads of 1073741824 values"},
		"fraction":    {configWith("LlamaForCausalLM", object{"hidden_size": 1.5}), "key hidden_size is 1.5, want an integer"},
	} {
		if _, _, err := parameters(t, c.config); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}

// TestLlama3Factors has the numbers of Llama 3.2 1B: heads of 64, base 500000.
func TestLlama3Factors(t *testing.T) {
	_, extra, err := parameters(t, configWith("LlamaForCausalLM", object{"head_dim": 64, "rope_theta": 500000, "rope_scaling": object{"rope_type": "llama3",
		"factor": 32, "low_freq_factor": 1, "high_freq_factor": 4, "original_max_position_embeddings": 8192}}))
	if err != nil || len(extra) != 1 || extra[0].name != "rope_freqs.weight" || len(extra[0].values) != 32 {
		t.Fatal(extra, err)
	}
	got := extra[0].values
	for i, v := range got {
		wavelength := 2 * math.Pi * math.Pow(500000, float64(i)/32)
		want := 1.0
		if smooth := (8192/wavelength - 1) / 3; smooth < 0 {
			want = 32
		} else if smooth < 1 {
			want = 1 / ((1-smooth)/32 + smooth)
		}
		if math.Abs(float64(v)-want) > 1e-5*want {
			t.Errorf("pair %d: %v, want %v", i, v, want)
		}
	}
	if got[14] != 1 || got[15] <= 1 || got[18] != 32 {
		t.Errorf("%v", got)
	}
}

func TestLongrope(t *testing.T) {
	factors := func(x float64) list { return list{x, x, x, x, x, x, x, x} }
	got, extra, err := parameters(t, configWith("Phi3ForCausalLM", object{"max_position_embeddings": 131072, "original_max_position_embeddings": 4096,
		"rope_scaling": object{"type": "su", "long_factor": factors(2.5), "short_factor": factors(1.5)}}))
	if err != nil {
		t.Fatal(err)
	}
	want := float32(math.Sqrt(1 + math.Log(32)/math.Log(4096)))
	if got["rope.scaling.attn_factor"] != want || got["rope.scaling.type"] != nil {
		t.Errorf("attn_factor %v, want %v; type %v", got["rope.scaling.attn_factor"], want, got["rope.scaling.type"])
	}
	if len(extra) != 2 || extra[0].name != "rope_factors_long.weight" || extra[0].values[7] != 2.5 || extra[1].values[0] != 1.5 {
		t.Errorf("tensors %v", extra)
	}
}

// TestStableKeys wants the same order of keys every time.
func TestStableKeys(t *testing.T) {
	config := configWith("LlamaForCausalLM", object{"rope_scaling": object{"rope_type": "yarn", "factor": 4, "original_max_position_embeddings": 1024,
		"beta_fast": 32, "beta_slow": 1, "attention_factor": 1, "extrapolation_factor": 1}})
	var first []string
	for range 20 {
		c := newConfig("", jsonValues(config))
		p := newParams(c, &Family{Arch: "llama"}, 9)
		llamaParams(p)
		if keys := p.md.Keys(); first == nil {
			first = keys
		} else if !reflect.DeepEqual(keys, first) {
			t.Fatalf("%q, before %q", keys, first)
		}
	}
	if len(first) != 16 {
		t.Errorf("%d keys: %q", len(first), first)
	}
}
