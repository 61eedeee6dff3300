package hf

import (
	"math"

	"github.com/llamakit/llamakit/formats/gguf"
)

// params writes hyper-parameters under the architecture's prefix, and collects tensors that follow from them.
type params struct {
	*Config
	arch   string
	family *Family
	pool   int // kind of pooling that the folder names; 0: none
	rows   int // of the embedding: the vocabulary's size
	md     *gguf.Metadata
	extra  []extraTensor

	checkpoint []*tensor // nil for a vocabulary
	drafts     int       // layers that predict further tokens
	empty      []bool    // layers that have no tensors
	stored     int       // layers in the file, where block_count is another number; 0: it is not
}

// extraTensor is a tensor of values that no file holds.
type extraTensor struct {
	name   string
	values []float32
}

func (p *params) set(key string, v gguf.Value) { p.md.Set(p.arch+"."+key, v) }
func (p *params) u32(key string, n int)        { p.set(key, gguf.Uint32(uint32(n))) }
func (p *params) f32(key string, x float64)    { p.set(key, gguf.Float32(float32(x))) }
func (p *params) add(name string, v []float32) { p.extra = append(p.extra, extraTensor{name, v}) }

// headDim is the width of a head.
func (p *params) headDim() int {
	if p.Has("head_dim") {
		return p.Int("head_dim")
	}
	return p.Int(widthKeys...) / max(1, headsQ(p.Config))
}

// setDefault gives a key that config.json leaves out the value that the transformers library takes.
func (p *params) setDefault(key string, x float64) {
	if !p.Has(key) {
		p.values[key] = x
	}
}

// layerKeys are the spellings of the number of layers.
var layerKeys = []string{"num_hidden_layers", "n_layers", "n_layer", "num_layers"}

// usual writes what nearly every model has.
func (p *params) usual() {
	p.u32("block_count", p.Int(layerKeys...)+p.drafts)
	if p.drafts > 0 {
		p.u32("nextn_predict_layers", p.drafts)
	}
	p.optional("context_length", "max_position_embeddings", "n_ctx", "n_positions", "max_length", "max_sequence_length", "model_max_length", "max_seq_len")
	p.u32("embedding_length", p.Int(widthKeys...))
	p.u32("feed_forward_length", p.Int("prefix_dense_intermediate_size", "dense_intermediate_size", "intermediate_size", "n_inner", "hidden_dim"))
	p.u32("attention.head_count", headsQ(p.Config))
	p.u32("attention.head_count_kv", headsK(p.Config))
	if q, k := headsQ(p.Config), headsK(p.Config); q < 1 || k < 1 || q%k != 0 {
		p.fail("num_attention_heads %d and num_key_value_heads %d: want the first to be a multiple of the second", q, k)
	}
	p.scaling()
	p.optionalFloat("attention.layer_norm_rms_epsilon", "rms_norm_eps", "norm_eps")
	p.optionalFloat("attention.layer_norm_epsilon", "layer_norm_eps", "layer_norm_epsilon", "norm_epsilon")
	p.experts()
	if p.Has("head_dim") {
		p.u32("attention.key_length", p.Int("head_dim"))
		p.u32("attention.value_length", p.Int("head_dim"))
	}
}

// widthKeys are the spellings of the width of the model.
var widthKeys = []string{"hidden_size", "n_embd", "dim", "d_model"}

// experts writes how many experts there are, and how many a token goes to.
func (p *params) experts() {
	if keys := []string{"num_local_experts", "num_experts", "n_routed_experts"}; p.Has(keys...) {
		p.u32("expert_count", p.Int(keys...))
		p.u32("expert_used_count", p.Int("num_experts_per_tok", "num_experts_per_token", "top_k_experts", "moe_topk"))
	}
	p.optional("expert_group_count", "n_group")
	p.optional("expert_group_used_count", "topk_group")
	p.gating()
}

// yarnKeys are YaRN's parameters beside the factor and the original context.
var yarnKeys = []struct {
	key  string
	from []string
}{
	{"yarn_ext_factor", []string{"extrapolation_factor"}},
	{"yarn_attn_factor", []string{"attention_factor", "attn_factor"}},
	{"yarn_beta_fast", []string{"beta_fast"}},
	{"yarn_beta_slow", []string{"beta_slow"}},
}

// scaling writes the rotary embedding.
func (p *params) scaling() {
	r := p.rope()
	switch kind := r.Str("rope_type"); {
	case kind == "linear" && r.Has("factor"):
		p.set("rope.scaling.type", gguf.String("linear"))
		p.f32("rope.scaling.factor", r.Float("factor"))
	case kind == "yarn" && r.Has("factor"):
		p.set("rope.scaling.type", gguf.String("yarn"))
		p.f32("rope.scaling.factor", r.Float("factor"))
		p.u32("rope.scaling.original_context_length", r.Int("original_max_position_embeddings"))
		for _, y := range yarnKeys {
			if r.Has(y.from...) {
				p.f32("rope.scaling."+y.key, r.Float(y.from...))
			}
		}
	case kind == "su" || kind == "longrope":
		p.set("rope.scaling.type", gguf.String("longrope"))
	case kind != "" && kind != "default" && kind != "llama3" && kind != "dynamic" && kind != "mrope":
		p.fail("rope_type %q is not known", kind)
	}
	if r.Has("rope_theta") {
		p.f32("rope.freq_base", r.Float("rope_theta"))
	}
	p.sections()
	if theta, ok := p.slidingTheta(); ok {
		p.f32("rope.freq_base_swa", theta)
	}
	p.keep(r)
}

// keep passes on a mistake of a part of the configuration.
func (p *params) keep(r *Config) {
	if p.err == nil {
		p.err = r.err
	}
}

// llama3Factors adds the divisors of rotary angles that Llama 3.1 and later need: 1 for pairs that turn often within the
// original context, factor for those that turn seldom, and between the two in between (Llama 3.1's model card). The arithmetic
// is that of float32, so that the numbers are those of llama.cpp's converter.
func (p *params) llama3Factors() {
	r := p.rope()
	if r.Str("rope_type") != "llama3" {
		return
	}
	factor := float32(r.FloatOr(8, "factor"))
	low, high := float32(r.FloatOr(1, "low_freq_factor")), float32(r.FloatOr(4, "high_freq_factor"))
	original := float32(r.FloatOr(8192, "original_max_position_embeddings"))
	base, dim := r.FloatOr(10000, "rope_theta"), p.headDim()
	if dim < 0 || dim > maxHeadDim {
		p.fail("heads of %d values, want at most %d", dim, maxHeadDim)
		return
	}
	out := make([]float32, dim/2)
	for i := range out {
		wavelength := 2 * math.Pi * float32(math.Pow(base, float64(float32(2*i)/float32(dim))))
		switch {
		case wavelength < original/high:
			out[i] = 1
		case wavelength > original/low:
			out[i] = factor
		default:
			smooth := (original/wavelength - low) / (high - low)
			out[i] = 1 / ((1-smooth)/factor + smooth)
		}
	}
	p.keep(r)
	p.add("rope_freqs.weight", out)
}

// maxHeadDim bounds what config.json can claim.
const maxHeadDim = 1 << 16

// newParams begins the hyper-parameters of a model; config may be nil for a vocabulary.
func newParams(config *Config, family *Family, rows int) *params {
	return &params{Config: config, arch: family.Arch, family: family, rows: rows, md: gguf.NewMetadata()}
}
