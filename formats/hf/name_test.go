package hf

import "testing"

func TestParseName(t *testing.T) {
	const (
		million = 1_000_000
		billion = 1000 * million
	)
	for _, c := range []struct {
		name  string
		total int64
		want  modelName // without full
	}{
		{"Mixtral-8x7B-Instruct-v0.1", 47 * billion, modelName{basename: "Mixtral", size: "8x7B", finetune: "Instruct", version: "v0.1"}},
		{"Llama-3.2-1B-Instruct", 1236 * million, modelName{basename: "Llama-3.2", size: "1B", finetune: "Instruct"}},
		{"Qwen3-0.6B", 600 * million, modelName{basename: "Qwen3", size: "0.6B"}},
		{"Qwen3-30B-A3B", 30 * billion, modelName{basename: "Qwen3", size: "30B-A3B"}},
		{"gemma-3-4b-it", 4 * billion, modelName{basename: "gemma-3", size: "4B", finetune: "it"}},
		{"Phi-3-mini-4k-instruct", 3800 * million, modelName{basename: "Phi-3", size: "mini", finetune: "4k-instruct"}},
		{"Phi-3-mini-4k-instruct", 0, modelName{basename: "Phi-3-mini", size: "4K", finetune: "instruct"}},
		{"Llama-2-7b-hf", 0, modelName{basename: "Llama-2", size: "7B", finetune: "hf"}},
		{"bloom-7b1", 7 * billion, modelName{basename: "bloom", size: "7.1B"}},
		{"model-8x22b-f16-q4_0", 0, modelName{basename: "model", size: "8x22B"}},
		{"SmolLM3-3B", 3 * billion, modelName{basename: "SmolLM3", size: "3B"}},
		{"Meta-Llama-3-8B-Instruct-8B", 0, modelName{basename: "Meta-Llama-3", size: "8B", finetune: "Instruct"}},
		{"demo", 0, modelName{}},
		{"my model-7B", 0, modelName{}},
		{"--", 0, modelName{}},
		{"日本-1B", 0, modelName{basename: "日本", size: "1B"}},
	} {
		_, got := parseID(c.name, c.total)
		got.full = ""
		if got != c.want {
			t.Errorf("%q of %d: %+v, want %+v", c.name, c.total, got, c.want)
		}
	}
}

func TestOwner(t *testing.T) {
	for id, want := range map[string]string{"Qwen/Qwen3-8B": "Qwen", "Qwen3-8B": "", "./x": "", "a b/c": ""} {
		if owner, _ := parseID(id, 0); owner != want {
			t.Errorf("owner of %q is %q, want %q", id, owner, want)
		}
	}
}

func TestTitle(t *testing.T) {
	for name, want := range map[string]string{"meta-llama": "Meta Llama", "Llama-3.2-1B-Instruct": "Llama 3.2 1B Instruct", "qwen2.5-7b-v1.2": "Qwen2.5 7b v1.2",
		"smol_lm2-it": "Smol_Lm2 It", "LLaMA": "LLaMA", "": ""} {
		if got := title(name); got != want {
			t.Errorf("title(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestSizeLabel(t *testing.T) {
	for _, c := range []struct {
		n    parameterCount
		want string
	}{
		{parameterCount{total: 5_771_264}, "5.8M"}, {parameterCount{total: 999}, "1.0K"}, {parameterCount{total: 1_000_000}, "1.0M"},
		{parameterCount{total: 7_241_732_096}, "7.2B"}, {parameterCount{total: 69_900_000_000}, "70B"}, {parameterCount{total: 123}, "0.12K"},
		{parameterCount{total: 46_702_792_704, expert: 45_097_156_608, experts: 8}, "8x7.2B"}, {parameterCount{total: 1_000_000_000_000}, "1.0T"},
	} {
		if got := c.n.label(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.n, got, c.want)
		}
	}
}
