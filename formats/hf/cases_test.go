package hf

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/formats/quant"
	"github.com/llamakit/llamakit/formats/safetensors"
)

func convert(t *testing.T, content files, o Options) (*Conversion, error) {
	t.Helper()
	if o.Type == "" {
		o.Type = OutF32
	}
	return folder(t, content).Convert(o)
}

// TestEmbeddings has every way in which the embedding, the output matrix and the vocabulary can disagree.
func TestEmbeddings(t *testing.T) {
	config := func(tie bool) object {
		c := qwen3Config()
		c["tie_word_embeddings"] = tie
		return c
	}
	equal := qwen3Weights(300)
	equal.tensors = append(equal.tensors, equal.tensors[0])
	equal.tensors[len(equal.tensors)-1].Name = "lm_head.weight"
	other := qwen3Weights(300).add("lm_head.weight", 300, 8)
	embedding := func(first float32) *weights {
		values := make([]float32, 300*8)
		values[0] = first
		return (&weights{}).put("model.embed_tokens.weight", values, 300, 8)
	}
	parts := func(a, b *weights) files {
		return files{"config.json": config(true), "tokenizer.json": bpe(300), "model-00001-of-00002.safetensors": a, "model-00002-of-00002.safetensors": b}
	}
	rest := qwen3Weights(300).without("model.embed_tokens.weight")
	twice := func(first float32) *weights {
		w := embedding(first)
		return &weights{append(w.tensors, rest.tensors...)}
	}
	for _, c := range []struct {
		name    string
		files   files
		tensors int
		note    string
		err     string
	}{
		{"tied, one", qwen3().with(files{"config.json": config(true)}), 13, "", ""},
		{"tied, equal", qwen3().with(files{"config.json": config(true), "model.safetensors": equal}), 13, "lm_head.weight equals the embedding", ""},
		{"tied, unequal", qwen3().with(files{"config.json": config(true), "model.safetensors": other}), 0, "", `tensor "lm_head.weight" differs from the embedding`},
		{"untied, equal", qwen3().with(files{"config.json": config(false), "model.safetensors": equal}), 13, "equals the embedding", ""},
		{"untied", qwen3().with(files{"config.json": config(false), "model.safetensors": other}), 14, "", ""},
		{"two parts, equal", parts(embedding(1), twice(1)), 13, "", ""},
		{"two parts, unequal", parts(embedding(1), twice(2)), 0, "", "model.embed_tokens.weight"},
		{"more rows than tokens", qwen3Rows(320, 300), 13, "", ""},
		{"fewer rows than tokens", qwen3Rows(300, 320), 0, "", "320 tokens, but the embedding has 300 rows only"},
	} {
		got, err := convert(t, c.files, Options{})
		switch {
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%s: error %v, want %q", c.name, err, c.err)
		case c.err == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.err == "" && (len(got.Tensors) != c.tensors || !strings.Contains(strings.Join(got.Notes, "\n"), c.note)):
			t.Errorf("%s: %d tensors, want %d; notes %q", c.name, len(got.Tensors), c.tensors, got.Notes)
		}
	}
	got, err := convert(t, qwen3Rows(320, 300), Options{})
	if err != nil {
		t.Fatal(err)
	}
	list, _ := got.Metadata.Get("tokenizer.ggml.tokens")
	kinds, _ := got.Metadata.Get("tokenizer.ggml.token_type")
	if last, _ := list.Index(319).Str(); list.Len() != 320 || last != "[PAD319]" || fmt.Sprint(kinds.Index(319).Any()) != "5" {
		t.Errorf("%d tokens, the last %q", list.Len(), last)
	}
}

// TestBrokenFolders wants an error that names what is wrong.
func TestBrokenFolders(t *testing.T) {
	config := func(change object) object {
		c := qwen3Config()
		for k, v := range change {
			c[k] = v
		}
		return c
	}
	full := fileData(t, qwen3Weights(300))
	moe := config(object{"architectures": list{"Qwen3MoeForCausalLM"}, "num_experts": 2, "num_experts_per_tok": 1, "moe_intermediate_size": 16})
	expert := qwen3Weights(300).without("model.layers.0.mlp.gate_proj.weight").without("model.layers.0.mlp.up_proj.weight").without("model.layers.0.mlp.down_proj.weight")
	expert.add("model.layers.0.mlp.experts.1.up_proj.weight", 16, 8)
	pointer := "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n"
	for name, c := range map[string]struct {
		files files
		want  string
	}{
		"empty folder":     {files{}, "no config.json"},
		"no tokenizer":     {qwen3().with(files{"tokenizer.json": nil}), "no tokenizer.json, no tokenizer.model"},
		"no config":        {qwen3().with(files{"config.json": nil}), "no config.json"},
		"no weights":       {qwen3().with(files{"model.safetensors": nil}), "no weights"},
		"PyTorch":          {qwen3().with(files{"model.safetensors": nil, "pytorch_model.bin": "x"}), "pytorch_model.bin: unsupported: not an archive of PyTorch"},
		"pointer":          {qwen3().with(files{"model.safetensors": pointer}), "model.safetensors: only a pointer"},
		"tokenizer ptr":    {qwen3().with(files{"tokenizer.json": pointer}), "tokenizer.json: only a pointer"},
		"truncated":        {qwen3().with(files{"model.safetensors": full[:len(full)-9]}), "model.safetensors"},
		"cut header":       {qwen3().with(files{"model.safetensors": full[:40]}), "model.safetensors"},
		"missing shard":    {qwen3().with(files{"model.safetensors": nil, "model.safetensors.index.json": object{"weight_map": object{"a": "model-00001-of-00001.safetensors"}}}), "model-00001-of-00001.safetensors"},
		"class":            {qwen3().with(files{"config.json": config(object{"architectures": list{"FooForCausalLM"}})}), `"FooForCausalLM"`},
		"no class":         {qwen3().with(files{"config.json": object{}}), "config.json: key architectures is missing"},
		"not an object":    {qwen3().with(files{"config.json": "[]"}), "config.json: byte 1: a JSON array does not fit"},
		"missing key":      {qwen3().with(files{"config.json": config(object{"hidden_size": nil})}), "config.json: key hidden_size"},
		"wrong type":       {qwen3().with(files{"config.json": config(object{"num_hidden_layers": "2"})}), "key num_hidden_layers is 2, want an integer"},
		"odd rope":         {qwen3().with(files{"config.json": config(object{"rope_scaling": object{"rope_type": "spiral"}})}), `rope_type "spiral"`},
		"unknown tensor":   {qwen3().with(files{"model.safetensors": qwen3Weights(300).add("model.layers.0.self_attn.sinks", 2)}), `tensor "model.layers.0.self_attn.sinks"`},
		"layer too many":   {qwen3().with(files{"model.safetensors": qwen3Layer(qwen3Weights(300), "model.layers.1.")}), `tensor "model.layers.1.`},
		"layer missing":    {qwen3().with(files{"config.json": config(object{"num_hidden_layers": 2})}), "no tensor for blk.1.attn_k.weight"},
		"many layers":      {qwen3().with(files{"config.json": config(object{"num_hidden_layers": math.MaxInt32})}), "no tensor for blk.1."},
		"tensor missing":   {qwen3().with(files{"model.safetensors": qwen3Layer(qwen3Weights(300), "model.layers.1.").without("model.layers.1.mlp.up_proj.weight"), "config.json": config(object{"num_hidden_layers": 2})}), "no tensor for blk.1.ffn_up.weight"},
		"no embedding":     {qwen3().with(files{"model.safetensors": qwen3Weights(300).without("model.embed_tokens.weight")}), "no token embedding"},
		"no norm":          {qwen3().with(files{"model.safetensors": qwen3Weights(300).without("model.norm.weight")}), "output_norm.weight"},
		"expert missing":   {qwen3().with(files{"config.json": moe, "model.safetensors": expert}), "expert 0 is missing"},
		"flat embedding":   {qwen3().with(files{"model.safetensors": qwen3Weights(300).without("model.embed_tokens.weight").add("model.embed_tokens.weight", 2400)}), "want rows of embeddings"},
		"integer weights":  {qwen3().with(files{"model.safetensors": withInteger(qwen3Weights(300))}), ""},
		"scalar":           {qwen3().with(files{"model.safetensors": qwen3Weights(300).without("model.norm.weight").put("model.norm.weight", []float32{1})}), "want 1 to 3 dimensions"},
		"heads not in two": {llamaOddHeads(), "rows cannot be cut into 3 heads"},
	} {
		err := convertAll(writeFiles(t, c.files), filepath.Join(t.TempDir(), "x.gguf"))
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}

// convertAll opens, converts and writes.
func convertAll(dir, path string) error {
	f, err := Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	c, err := f.Convert(Options{Type: OutF32})
	if err != nil {
		return err
	}
	return c.Write(context.Background(), path, nil)
}

func withInteger(w *weights) *weights {
	w = w.without("model.norm.weight")
	w.tensors = append(w.tensors, safetensors.TensorData{Name: "model.norm.weight", DType: safetensors.I32, Shape: []int{8}, Data: make([]byte, 32)})
	return w
}

func llamaOddHeads() files {
	c := qwen3Config()
	c["architectures"], c["num_attention_heads"] = list{"LlamaForCausalLM"}, 3
	w := qwen3Weights(300).without("model.layers.0.self_attn.q_norm.weight").without("model.layers.0.self_attn.k_norm.weight")
	return qwen3().with(files{"config.json": c, "model.safetensors": w})
}

// TestOddWeights converts what is no number as it is, and says so.
func TestOddWeights(t *testing.T) {
	w := qwen3Weights(300).without("model.layers.0.mlp.up_proj.weight").without("model.layers.0.mlp.down_proj.weight")
	odd := make([]float32, 16*8)
	odd[3], odd[5] = float32(math.NaN()), float32(math.Inf(-1))
	large := make([]float32, 8*16)
	large[0], large[1], large[2] = 65519, -65520, 1e6
	w.put("model.layers.0.mlp.up_proj.weight", odd, 16, 8).put("model.layers.0.mlp.down_proj.weight", large, 8, 16)
	f := folder(t, qwen3().with(files{"model.safetensors": w}))
	c, err := f.Convert(Options{Type: OutF16})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x.gguf")
	if err := c.Write(context.Background(), path, nil); err != nil {
		t.Fatal(err)
	}
	want := []string{"2 values of 1 tensors, the first of blk.0.ffn_up.weight, are not finite numbers",
		"2 values of 1 tensors, the first of blk.0.ffn_down.weight, are too large for f16"}
	for _, part := range want {
		if !slices.ContainsFunc(c.Notes, func(n string) bool { return strings.HasPrefix(n, part) }) {
			t.Errorf("no note %q in %q", part, c.Notes)
		}
	}
	g := openGGUF(t, path)
	x, _ := g.Tensor("blk.0.ffn_up.weight")
	values := make([]float32, x.Elements())
	quant.Decode(x.Type, values, g.Bytes(x))
	if !math.IsNaN(float64(values[3])) || !math.IsInf(float64(values[5]), -1) || values[0] != 0 {
		t.Errorf("values %v", values[:8])
	}
}

// TestNoFileLeft stops the work in the middle, and writes where nothing can be written.
func TestNoFileLeft(t *testing.T) {
	c, err := convert(t, qwen3(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "x.gguf")
	if err := os.WriteFile(path, []byte("before"), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	err = c.Write(ctx, path, func(int) { cancel() })
	if data, _ := os.ReadFile(path); !errors.Is(err, context.Canceled) || string(data) != "before" {
		t.Errorf("error %v; the file that was there is %q", err, data)
	}
	if err := c.Write(context.Background(), path, nil); err != nil {
		t.Error(err)
	}
	if err := c.Write(context.Background(), filepath.Join(path, "below.gguf"), nil); err == nil {
		t.Error("a file is no folder")
	}
	entries, _ := os.ReadDir(dir)
	if len(entries) != 1 || openGGUF(t, path).Metadata.Len() == 0 {
		t.Errorf("the folder holds %v", entries)
	}
}
