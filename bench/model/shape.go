// Package model writes GGUF models of real or tiny shapes with random weights, so that speed can be measured and kernels
// tested without a download.
//
// The weights are chosen so that every part of the forward pass matters: norm weights lie around 1, projections have the
// spread of a trained model's, attention scores are neither flat nor one-hot.
package model

import (
	"fmt"
	"sort"
	"strings"
)

// Shape is the size of a model.
type Shape struct {
	Arch    string
	Layers  int
	Embd    int
	FF      int
	Heads   int
	HeadsKV int
	HeadDim int
	Vocab   int
	Context int
	Tied    bool // no output matrix

	Experts, ExpertsUsed, ExpertFF int // 0: dense

	RopeBase float32
	Window   int // sliding window, in architectures that have one

	SSM SSM // of recurrent layers

	Pooling int  // of embeddings, numbered as the key; 0: the file does not say
	QKNorm  bool // jina-bert-v2 with further norms
}

// shapes are the models that Write knows by name. The tiny ones are one an architecture, for tests.
var shapes = map[string]Shape{
	"qwen3-0.6b":    {Arch: "qwen3", Layers: 28, Embd: 1024, FF: 3072, Heads: 16, HeadsKV: 8, HeadDim: 128, Vocab: 151936, Context: 40960, Tied: true, RopeBase: 1e6},
	"qwen3-4b":      {Arch: "qwen3", Layers: 36, Embd: 2560, FF: 9728, Heads: 32, HeadsKV: 8, HeadDim: 128, Vocab: 151936, Context: 40960, Tied: true, RopeBase: 1e6},
	"llama-1b":      {Arch: "llama", Layers: 16, Embd: 2048, FF: 8192, Heads: 32, HeadsKV: 8, HeadDim: 64, Vocab: 128256, Context: 131072, Tied: true, RopeBase: 5e5},
	"llama-8b":      {Arch: "llama", Layers: 32, Embd: 4096, FF: 14336, Heads: 32, HeadsKV: 8, HeadDim: 128, Vocab: 128256, Context: 131072, RopeBase: 5e5},
	"gemma3-1b":     {Arch: "gemma3", Layers: 26, Embd: 1152, FF: 6912, Heads: 4, HeadsKV: 1, HeadDim: 256, Vocab: 262144, Context: 32768, Tied: true, RopeBase: 1e6, Window: 512},
	"qwen3-30b-a3b": {Arch: "qwen3moe", Layers: 48, Embd: 2048, FF: 6144, Heads: 32, HeadsKV: 4, HeadDim: 128, Vocab: 151936, Context: 40960, Experts: 128, ExpertsUsed: 8, ExpertFF: 768, RopeBase: 1e6},

	"qwen3.5-0.8b": {Arch: "qwen35", Layers: 24, Embd: 1024, FF: 3584, Heads: 8, HeadsKV: 2, HeadDim: 256, Vocab: 248320, Context: 262144, Tied: true, RopeBase: 1e7, SSM: SSM{Inner: 2048, State: 128, Rank: 16, Groups: 16, Taps: 4}},

	"tiny-llama":    tiny("llama"),
	"tiny-mixtral":  tinyMoE("llama"),
	"tiny-mistral3": tiny("mistral3"),
	"tiny-smollm3":  tiny("smollm3"),
	"tiny-qwen2":    tiny("qwen2"),
	"tiny-dream":    tiny("dream"),
	"tiny-qwen3":    tiny("qwen3"),
	"tiny-qwen3moe": tinyMoE("qwen3moe"),
	"tiny-phi3":     tiny("phi3"),
	"tiny-gemma2":   tiny("gemma2"),
	"tiny-gemma3":   tiny("gemma3"),
	"tiny-gpt2":     tiny("gpt2"),
	"tiny-cohere2":  tiny("cohere2"),
	"tiny-bloom":    {Arch: "bloom", Layers: 3, Embd: 48, FF: 40, Heads: 6, HeadsKV: 6, HeadDim: 8, Vocab: 96, Context: 256},

	"encoder-bert":            tinyEncoder("bert"),
	"encoder-nomic-bert":      tinyEncoder("nomic-bert"),
	"encoder-nomic-bert-moe":  tinyEncoder("nomic-bert-moe"),
	"encoder-jina-bert-v2":    tinyEncoder("jina-bert-v2"),
	"encoder-jina-code":       tinyEncoder("jina-code"),
	"encoder-jina-bert-v3":    tinyEncoder("jina-bert-v3"),
	"encoder-modern-bert":     tinyEncoder("modern-bert"),
	"encoder-gemma-embedding": tinyEncoder("gemma-embedding"),
	"encoder-llama-embed":     tinyEncoder("llama-embed"),
	"encoder-eurobert":        tinyEncoder("eurobert"),
	"encoder-qwen3":           tinyEncoder("qwen3"),
	"encoder-qwen2":           tinyEncoder("qwen2"),

	"tiny-mamba":     tinyRecurrent("mamba", SSM{Inner: 64, State: 6, Rank: 3, Taps: 4}),
	"tiny-falcon-h1": tinyRecurrent("falcon-h1", SSM{Inner: 48, State: 12, Rank: 6, Groups: 2, Taps: 4}),
	"tiny-qwen35":    tinyRecurrent("qwen35", SSM{Inner: 64, State: 16, Rank: 4, Groups: 2, Taps: 4}),
	"tiny-lfm2":      tinyRecurrent("lfm2", SSM{Taps: 3}),
}

func tiny(arch string) Shape {
	return Shape{Arch: arch, Layers: 4, Embd: 32, FF: 40, Heads: 4, HeadsKV: 2, HeadDim: 8, Vocab: 96, Context: 256, Tied: arch == "gemma2" || arch == "cohere2",
		RopeBase: 1e3, Window: 10}
}

func tinyMoE(arch string) Shape {
	s := tiny(arch)
	s.Experts, s.ExpertsUsed, s.ExpertFF = 6, 2, s.FF
	return s
}

// Named returns a shape by name.
func Named(name string) (Shape, error) {
	s, ok := shapes[name]
	if !ok {
		return s, fmt.Errorf("shape %q: unknown; use one of %s", name, strings.Join(Names(), " "))
	}
	return s, nil
}

// Names lists the shapes.
func Names() []string {
	var names []string
	for n := range shapes {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}
