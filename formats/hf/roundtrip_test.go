package hf

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/bench/golden"
	"github.com/llamakit/llamakit/bench/model"
	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/quant"
	"github.com/llamakit/llamakit/formats/safetensors"
)

// classes is one model class of each architecture.
var classes = map[string]string{"tiny-llama": "LlamaForCausalLM", "tiny-mixtral": "MixtralForCausalLM",
	"tiny-mistral3": "Ministral3ForCausalLM", "tiny-smollm3": "SmolLM3ForCausalLM", "tiny-qwen2": "Qwen2ForCausalLM",
	"tiny-qwen3": "Qwen3ForCausalLM", "tiny-qwen3moe": "Qwen3MoeForCausalLM", "tiny-phi3": "Phi3ForCausalLM",
	"tiny-gemma2": "Gemma2ForCausalLM", "tiny-gemma3": "Gemma3ForCausalLM"}

// TestRoundTrip turns GGUF models into folders by the rules read backwards, converts these, and wants every tensor back: its
// name, its shape and its bytes.
func TestRoundTrip(t *testing.T) {
	for shape, class := range classes {
		t.Run(shape, func(t *testing.T) {
			dir := t.TempDir()
			want := tinyModel(t, shape)
			writeFolder(t, dir, class, want)
			compareFiles(t, convertFolder(t, dir, Options{Type: OutF32}), want, true)
		})
	}
}

// peerClasses are the random models of llama.cpp's own test, and the class whose rules they follow.
var peerClasses = map[string]string{"llama-dense": "LlamaForCausalLM", "llama-moe": "MixtralForCausalLM", "mistral3-dense": "Mistral3ForConditionalGeneration",
	"smollm3-dense": "SmolLM3ForCausalLM", "qwen2-dense": "Qwen2ForCausalLM", "qwen3-dense": "Qwen3ForCausalLM", "qwen3moe-moe": "Qwen3MoeForCausalLM",
	"phi3-dense": "Phi3ForCausalLM", "gemma-dense": "GemmaForCausalLM", "gemma2-dense": "Gemma2ForCausalLM", "gemma3-dense": "Gemma3ForCausalLM"}

// TestRoundTripPeer is TestRoundTrip with models that llama.cpp wrote. With HF_KEEP=DIR the converted files stay there, so that
// llama.cpp can run them.
func TestRoundTripPeer(t *testing.T) {
	for name, class := range peerClasses {
		t.Run(name, func(t *testing.T) {
			want := openGGUF(t, golden.Peer(t, "archs", name+".gguf"))
			dir := t.TempDir()
			writeFolder(t, dir, class, want)
			got := convertFolder(t, dir, Options{Type: OutF32})
			compareFiles(t, got, want, false)
			if keep := os.Getenv("HF_KEEP"); keep != "" {
				data, err := os.ReadFile(got.Paths()[0])
				if err != nil || os.WriteFile(filepath.Join(keep, name+".gguf"), data, 0o644) != nil {
					t.Fatal("cannot keep the file", err)
				}
			}
		})
	}
}

func tinyModel(t *testing.T, name string) *gguf.File {
	t.Helper()
	shape, err := model.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "want.gguf")
	if err := model.Write(path, shape, quant.F32, 1); err != nil {
		t.Fatal(err)
	}
	return openGGUF(t, path)
}

func openGGUF(t *testing.T, path string) *gguf.File {
	t.Helper()
	f, err := gguf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func convertFolder(t *testing.T, dir string, o Options) *gguf.File {
	t.Helper()
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c, err := f.Convert(o)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), c.FileName)
	if err := c.Write(context.Background(), path, nil); err != nil {
		t.Fatal(err)
	}
	return openGGUF(t, path)
}

// configOf writes the hyper-parameters of a model as config.json has them.
func configOf(f *gguf.File, class string) map[string]any {
	arch, _ := f.Metadata.Get("general.architecture")
	name, _ := arch.Str()
	r := f.Metadata.Reader(name)
	layers := r.Int("block_count")
	first := func(key string) int { return r.IntsOrScalar(key, layers)[0] }
	config := map[string]any{"architectures": []string{class}, "num_hidden_layers": layers, "hidden_size": r.Int("embedding_length"),
		"intermediate_size": first("feed_forward_length"), "num_attention_heads": first("attention.head_count"),
		"num_key_value_heads": first("attention.head_count_kv"), "head_dim": r.Int("attention.key_length"), "vocab_size": r.Int("vocab_size"),
		"max_position_embeddings": r.Int("context_length"), "rms_norm_eps": r.Float("attention.layer_norm_rms_epsilon"),
		"rope_theta": r.FloatOr("rope.freq_base", 10000), "sliding_window": r.IntOr("attention.sliding_window", 0)}
	switch name {
	case "gemma2":
		config["attn_logit_softcapping"], config["final_logit_softcapping"] = r.Float("attn_logit_softcapping"), r.Float("final_logit_softcapping")
	case "gemma3":
		config["rope_local_base_freq"] = r.Float("rope.freq_base_swa")
	case "phi3":
		if _, ok := f.Tensor("rope_factors_long.weight"); ok {
			config["rope_scaling"] = map[string]any{"type": "longrope", "long_factor": floats(f, "rope_factors_long.weight"),
				"short_factor": floats(f, "rope_factors_short.weight")}
		}
	case "mistral3":
		if class != "Ministral3ForCausalLM" {
			break
		}
		config["model_type"] = "ministral3"
		config["rope_parameters"] = map[string]any{"rope_type": "yarn", "factor": 4, "original_max_position_embeddings": 16,
			"mscale_all_dim": 0.5, "llama_4_scaling_beta": 0.3, "rope_theta": r.Float("rope.freq_base")}
	}
	if n := r.IntOr("expert_count", 0); n > 0 && (class == "MixtralForCausalLM" || class == "Qwen3MoeForCausalLM") {
		config["num_local_experts"], config["num_experts_per_tok"], config["moe_intermediate_size"] = n, r.Int("expert_used_count"), r.Int("expert_feed_forward_length")
	}
	return config
}

func floats(f *gguf.File, name string) []float32 {
	x, _ := f.Tensor(name)
	out := make([]float32, x.Elements())
	quant.Decode(x.Type, out, f.Bytes(x))
	return out
}

// writeFolder writes a model folder that holds f.
func writeFolder(t *testing.T, dir, class string, f *gguf.File) {
	t.Helper()
	config := configOf(f, class)
	family, err := Find(class, newConfig("", jsonValues(config)))
	if err != nil {
		t.Fatal(err)
	}
	tensors := backwards(t, family, newConfig("", jsonValues(config)), f, func(string) {})
	var weights bytes.Buffer
	if err := safetensors.Write(&weights, tensors, nil); err != nil {
		t.Fatal(err)
	}
	write := func(name string, data []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("model.safetensors", weights.Bytes())
	write("config.json", toJSON(config))
	write("tokenizer.json", toJSON(tinyTokenizer(config["vocab_size"].(int)-5)))
}

func toJSON(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}

func jsonValues(v map[string]any) map[string]any {
	var out map[string]any
	if err := json.Unmarshal(toJSON(v), &out); err != nil {
		panic(err)
	}
	return out
}

// tinyTokenizer is a byte-level BPE of n tokens.
func tinyTokenizer(n int) map[string]any {
	vocab := map[string]int{}
	for i := range n {
		vocab[fmt.Sprintf("t%d", i)] = i
	}
	return map[string]any{"model": map[string]any{"type": "BPE", "vocab": vocab, "merges": []string{"t 1"}},
		"pre_tokenizer": map[string]any{"type": "ByteLevel"}, "added_tokens": []any{}}
}

// backwards gives the tensors of a checkpoint that become those of a file, by the rules of a family. taken is told the names of
// those that a rule knows.
func backwards(t *testing.T, family *Family, config *Config, f *gguf.File, taken func(name string)) []safetensors.TensorData {
	t.Helper()
	var out []safetensors.TensorData
	layers, done := config.Int(layerKeys...), map[string]bool{}
	for _, key := range slices.Sorted(maps.Keys(family.Rules)) {
		outer := family.Rules[key]
		if outer.to == "" && outer.at == nil || outer.spare {
			continue
		}
		count := 1
		if strings.Contains(outer.to, "{}") || outer.at != nil {
			count = layers
		}
		for layer := range count {
			r := *outer.of(config, layer)
			to := layer
			if r.layer != nil {
				to = r.layer(config, layer)
			}
			for _, suffix := range []string{".weight", ".bias", ""} {
				if r.bare != (suffix == "" && !noSuffix.MatchString(r.to)) || r.suffix != "" && suffix != r.suffix {
					continue
				}
				in := inverse{t: t, config: config, file: f, layer: to, suffix: suffix}
				if in.gather(append([]rule{r}, r.also...)) && !done[in.parts[0].Name] {
					own := suffix
					switch {
					case r.suffix != "":
						own = ""
					case r.bare && !strings.HasSuffix(key, "_weight"):
						own = ".weight"
					}
					out = append(out, in.tensors(strings.Replace(key, "{}", fmt.Sprint(layer), 1), own)...)
					for _, x := range in.parts {
						taken(x.Name)
						done[x.Name] = true
					}
				}
			}
		}
	}
	return out
}

// noSuffix are tensors of GGUF that are no weight and no bias.
var noSuffix = regexp.MustCompile(`\.ssm_[ad]$|^hrm|act\.scales$|alpha$`)

// inverse undoes a rule, and those beside it, on the tensors of a file.
type inverse struct {
	t      *testing.T
	config *Config
	file   *gguf.File
	layer  int
	suffix string
	rules  []rule
	parts  []*gguf.Tensor
}

func (in *inverse) gather(rules []rule) bool {
	in.rules, in.parts = rules, nil
	for _, r := range rules {
		x, ok := in.file.Tensor(strings.Replace(r.to, "{}", fmt.Sprint(in.layer), 1) + in.suffix)
		if !ok {
			return false
		}
		in.parts = append(in.parts, x)
	}
	return true
}

// matrices are the values that a rule made, as matrices of rows.
type matrices struct {
	n, rows, width int
	values         []float32
}

// undone turns the values of one result back to what was picked from the checkpoint.
func (in *inverse) undone(r *rule, x *gguf.Tensor, stacked bool) matrices {
	m := matrices{n: 1, rows: x.Shape[0], width: 1, values: floats(in.file, x.Name)}
	switch {
	case r.shape != nil && strings.Contains(r.to, "conv"):
		m.width, m.rows = x.Shape[0], len(m.values)/x.Shape[0]
	case r.shape != nil:
		m.rows = len(m.values)
	case len(x.Shape) > 2:
		m.n, m.rows, m.width = x.Shape[2], x.Shape[1], x.Shape[0]
	case len(x.Shape) == 2 && (in.suffix == ".bias" || stacked && r.cut == nil):
		m.n, m.rows = x.Shape[1], x.Shape[0]
	case len(x.Shape) == 2:
		m.rows, m.width = x.Shape[1], x.Shape[0]
	}
	if r.cut != nil && m.n == 1 {
		m.n = r.cut(in.config)
		m.rows /= m.n
	}
	for i := range m.values {
		v := &m.values[i]
		if r.scale != nil {
			*v /= r.scale(in.config, i/m.width%m.rows, m.rows)
		}
		*v -= r.add
		if r.each != nil {
			*v = float32(math.Log(math.Abs(float64(*v))))
		}
	}
	if r.flip {
		var out []float32
		for e := range m.n {
			out = append(out, flipped(m.values[e*m.rows*m.width:(e+1)*m.rows*m.width], m.rows, m.width)...)
		}
		m.values, m.rows, m.width = out, m.width, m.rows
	}
	return m
}

// tensors are what the checkpoint had.
func (in *inverse) tensors(key, suffix string) []safetensors.TensorData {
	stacked := strings.Contains(key, "{}")
	all := make([]matrices, len(in.rules))
	whole := matrices{}
	for i := range in.rules {
		all[i] = in.undone(&in.rules[i], in.parts[i], stacked)
		whole.n, whole.width = all[i].n, all[i].width
		whole.rows += all[i].rows
	}
	whole.values = make([]float32, whole.n*whole.rows*whole.width)
	for i := range in.rules {
		in.scatter(&whole, &all[i], &in.rules[i])
	}
	r := &in.rules[0]
	vector := whole.width == 1
	if r.turned && !vector {
		var out []float32
		for e := range whole.n {
			size := whole.rows * whole.width
			out = append(out, flipped(whole.values[e*size:(e+1)*size], whole.rows, whole.width)...)
		}
		whole.values, whole.rows, whole.width = out, whole.width, whole.rows
	}
	shape := []int{whole.n, whole.rows, whole.width}
	switch {
	case r.cut != nil:
		shape = []int{whole.n * whole.rows, whole.width}
	case whole.n == 1 && vector || stacked && vector:
		shape = []int{whole.n, whole.rows}
	case vector:
		shape = []int{whole.n, whole.rows}
	}
	if whole.n == 1 && r.cut == nil && !stacked {
		shape = shape[1:]
	}
	if !stacked {
		return []safetensors.TensorData{{Name: key + suffix, DType: safetensors.F32, Shape: shape, Data: encoded(whole.values)}}
	}
	var out []safetensors.TensorData
	size := whole.rows * whole.width
	for e := range whole.n {
		out = append(out, safetensors.TensorData{Name: strings.Replace(key, "{}", fmt.Sprint(e), 1) + suffix, DType: safetensors.F32,
			Shape: shape[1:], Data: encoded(whole.values[e*size : (e+1)*size])})
	}
	return out
}

// scatter puts the rows of a result where the rule picked them.
func (in *inverse) scatter(whole, part *matrices, r *rule) {
	rows, cols := span(0, whole.rows), span(0, whole.width)
	var err error
	if r.rows != nil {
		if rows, err = r.rows(in.config, whole.rows); err != nil || len(rows) != part.rows {
			in.t.Fatalf("%s: %d rows of %d picked, want %d: %v", r.to, len(rows), whole.rows, part.rows, err)
		}
	}
	if r.columns != nil {
		if cols, err = r.columns(in.config, whole.width); err != nil {
			in.t.Fatal(r.to, err)
		}
	}
	for e := range whole.n {
		for i := range part.rows {
			for k := range part.width {
				whole.values[(e*whole.rows+rows[i])*whole.width+cols[k]] = part.values[(e*part.rows+i)*part.width+k]
			}
		}
	}
}

func encoded(values []float32) []byte {
	out := make([]byte, 4*len(values))
	_ = quant.Encode(quant.F32, out, values)
	return out
}

// compareFiles wants every weight and bias of want in got, and the same hyper-parameters in both. all: none may be missing.
func compareFiles(t *testing.T, got, want *gguf.File, all bool) {
	t.Helper()
	for i := range want.Tensors {
		w := &want.Tensors[i]
		g, ok := got.Tensor(w.Name)
		switch {
		case !ok && notConverted.MatchString(w.Name):
		case !ok:
			t.Errorf("tensor %s is missing", w.Name)
		case fmt.Sprint(g.Shape) != fmt.Sprint(w.Shape) && fmt.Sprint(g.Shape) != fmt.Sprint(append(w.Shape, 1)):
			t.Errorf("tensor %s has shape %v, want %v", w.Name, g.Shape, w.Shape)
		case !sameValues(got.Bytes(g), want.Bytes(w), strings.Contains(w.Name, "norm")):
			t.Errorf("tensor %s has other values", w.Name)
		}
	}
	for i := range got.Tensors {
		if _, ok := want.Tensor(got.Tensors[i].Name); !ok {
			t.Errorf("tensor %s is too many", got.Tensors[i].Name)
		}
	}
	compareKeys(t, got, want, all)
}

// notConverted are rotary factors that config.json does not ask for, scales of quantised checkpoints, and the heads of rankers.
var notConverted = regexp.MustCompile(`^rope_freqs|scale$|^cls\.`)

// freeKeys need not be in both files, or say the same by other means.
var freeKeys = regexp.MustCompile(`^(general|tokenizer)\.|\.(vocab_size|rope\.dimension_count|expert_feed_forward_length|rope\.scaling\..*|temperature_scale)$`)

func compareKeys(t *testing.T, got, want *gguf.File, all bool) {
	t.Helper()
	for _, key := range want.Metadata.Keys() {
		g, ok := got.Metadata.Get(key)
		switch w, _ := want.Metadata.Get(key); {
		case freeKeys.MatchString(key):
		case !ok && all:
			t.Errorf("key %s is missing", key)
		case ok && w.Len() == 0 && fmt.Sprint(g.Any()) != fmt.Sprint(w.Any()):
			t.Errorf("key %s is %v, want %v", key, g.Any(), w.Any())
		}
	}
}

// sameValues compares float32 data; norms that had 1 taken off and put on again may differ by rounding.
func sameValues(a, b []byte, about bool) bool {
	if !about {
		return bytes.Equal(a, b)
	}
	x, y := make([]float32, len(a)/4), make([]float32, len(b)/4)
	if len(x) != len(y) {
		return false
	}
	quant.Decode(quant.F32, x, a)
	quant.Decode(quant.F32, y, b)
	for i := range x {
		if math.Abs(float64(x[i]-y[i])) > 1e-6 {
			return false
		}
	}
	return true
}
