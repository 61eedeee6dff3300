package hf

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Family is how the checkpoints of some model classes become one GGUF architecture: which tensor is called what, and
// which hyper-parameters are written beside the usual ones.
type Family struct {
	Arch    string            // general.architecture
	Classes []string          // of the transformers library
	Marker  string            // key of config.json that tells this family from another of the same classes; may be empty
	Rules   map[string]rule   // by the tensor's name without numbers and suffix
	Skip    []string          // beginnings of names that are left out: parts of models that also see or hear
	Ends    []string          // ends of names that are left out
	Join    joining           // makes tensors of which the checkpoint has parts; may be nil
	Params  func(*params)     // hyper-parameters
	Extra   func(*params)     // tensors that follow from the configuration; may be nil
	Exact   []string          // parts of names of matrices that stay F32 beside norms and routers
	Mixed   bool              // layers differ in what they have: attention or another mixer, experts or none
	Vocab   func(*Vocabulary) // what the family sets in its vocabulary; may be nil
}

// joining takes tensors of a checkpoint and returns those that it makes of them, which the rules see in their place.
type joining func(*packs) ([]*tensor, error)

// rule says what becomes of a tensor.
//
// A tensor is seen as a list of matrices: one, or one an expert. Steps apply in the order of the fields: turned and cut say what
// the matrices are, rows and columns pick from each, flip turns what was picked, and the rest changes values and shape.
type rule struct {
	to     string // GGUF name with {} for the layer, without suffix; "" drops the tensor
	suffix string // in place of the tensor's own, ".weight" or ".bias"; "" keeps that
	bare   bool   // the result has no suffix at all
	also   []rule // what else becomes of it: the second of two matrices that are one in the checkpoint

	turned  bool              // each matrix is stored with its inputs as rows
	cut     func(*Config) int // into so many matrices of equal numbers of rows
	rows    pick              // of each matrix; nil: all
	columns pick              // of each row; nil: all
	flip    bool              // rows become columns
	each    func(float32) float32
	add     float32                                // to every value
	scale   func(c *Config, row, rows int) float32 // by which the values of a row are multiplied; nil: 1
	shape   func(c *Config, shape []int) []int     // of the result, in GGUF's order; nil: as it is
	layer   func(c *Config, layer int) int         // number of the layer in GGUF; nil: the same
	embed   bool                                   // the token embedding
	head    bool                                   // the output matrix, left out where it is the embedding
	spare   bool                                   // another spelling of what another rule gives, so not read backwards
	whole   bool                                   // integers, which stay integers
	at      func(c *Config, layer int) rule        // the rule of a layer, where layers differ: it stands for all other fields
}

// of is the rule of a layer.
func (r *rule) of(c *Config, layer int) *rule {
	if r.at == nil {
		return r
	}
	own := r.at(c, layer)
	return &own
}

// families are all that are known; the init functions of the family files register them.
var families []*Family

func register(f *Family) { families = append(families, f) }

// Find returns the family of a class; where several have it, the one whose marker the configuration has. config may be nil.
func Find(class string, config *Config) (*Family, error) {
	var found *Family
	for _, f := range families {
		for _, c := range f.Classes {
			if c == class && (f.Marker == "" && found == nil || f.Marker != "" && config != nil && f.marked(config)) {
				found = f
			}
		}
	}
	if found == nil {
		return nil, fmt.Errorf("%w model class %q; known: %s", ErrUnsupported, class, strings.Join(Classes(), " "))
	}
	return found, nil
}

// marked says that config has the family's marker: a key, or a key and the text that it has.
func (f *Family) marked(config *Config) bool {
	key, value, said := strings.Cut(f.Marker, "=")
	return config.Has(key) && (!said || config.Str(key) == value)
}

// Classes lists the model classes that are known.
func Classes() []string {
	var out []string
	for _, f := range families {
		out = append(out, f.Classes...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

const layer = "model.layers.{}."

// decoderRules are the names that most decoders have.
var decoderRules = map[string]rule{
	"model.embed_tokens":                    {to: "token_embd", embed: true},
	"model.norm":                            {to: "output_norm"},
	"lm_head":                               {to: "output", head: true},
	layer + "input_layernorm":               {to: "blk.{}.attn_norm"},
	layer + "self_attn.q_proj":              {to: "blk.{}.attn_q"},
	layer + "self_attn.k_proj":              {to: "blk.{}.attn_k"},
	layer + "self_attn.v_proj":              {to: "blk.{}.attn_v"},
	layer + "self_attn.o_proj":              {to: "blk.{}.attn_output"},
	layer + "post_attention_layernorm":      {to: "blk.{}.ffn_norm"},
	layer + "mlp.gate_proj":                 {to: "blk.{}.ffn_gate"},
	layer + "mlp.up_proj":                   {to: "blk.{}.ffn_up"},
	layer + "mlp.down_proj":                 {to: "blk.{}.ffn_down"},
	layer + "self_attn.rotary_emb.inv_freq": {},
	"model.rotary_emb.inv_freq":             {},
}

func headsQ(c *Config) int { return c.Int("num_attention_heads", "n_heads", "n_head") }
func headsK(c *Config) int {
	return c.IntOr(headsQ(c), "num_key_value_heads", "n_kv_heads", "num_kv_heads", "n_head_kv", "num_query_groups", "multi_query_group_num")
}

// names are rules that give tensors of layers another name only: pairs of what follows prefix and what follows blk.{}. in GGUF.
func names(prefix string, pairs ...string) map[string]rule {
	out := map[string]rule{}
	for i := 0; i+1 < len(pairs); i += 2 {
		out[prefix+pairs[i]] = rule{to: "blk.{}." + pairs[i+1]}
	}
	return out
}

// rules joins tables; later ones win.
func rules(tables ...map[string]rule) map[string]rule {
	out := map[string]rule{}
	for _, t := range tables {
		maps.Copy(out, t)
	}
	return out
}

// without leaves out some rules.
func without(table map[string]rule, keys ...string) map[string]rule {
	out := maps.Clone(table)
	for _, k := range keys {
		delete(out, k)
	}
	return out
}

// outer are the tensors before and after the layers.
func outer(embed, norm, head string) map[string]rule {
	return map[string]rule{embed: {to: "token_embd", embed: true}, norm: {to: "output_norm"}, head: {to: "output", head: true}}
}

// seeing are the parts of models that see or hear; a text model leaves them out.
var seeing = []string{"vision_tower.", "model.vision_tower.", "multi_modal_projector.", "model.multi_modal_projector.", "vision_encoder.",
	"vision_language_adapter.", "patch_merger.", "visual.", "model.visual.", "audio_tower."}

// suffixes are the ends of names of weights and biases, and what GGUF has for them.
var suffixes = [][2]string{{".weight", ".weight"}, {".bias", ".bias"}, {".gamma", ".weight"}, {".beta", ".bias"}}

// canonicalName takes the numbers and the suffix out of a tensor's name. Numbers of more than six digits count as text.
func canonicalName(name string) (key string, numbers []int, suffix string) {
	name = strings.Replace(name, "language_model.model.", "model.", 1)
	name = strings.Replace(name, "model.language_model.", "model.", 1)
	name = strings.TrimPrefix(name, "language_model.")
	name = strings.Replace(name, "text_model.", "", 1)
	name = strings.TrimPrefix(strings.TrimPrefix(name, "roberta."), "bert.")
	name = strings.TrimSuffix(strings.Replace(name, ".parametrizations.", ".", 1), ".original")
	for _, s := range suffixes {
		if rest, ok := strings.CutSuffix(name, s[0]); ok {
			name, suffix = rest, s[1]
			break
		}
	}
	parts := strings.Split(name, ".")
	for i, p := range parts {
		var n int
		if len(p) < 7 && isDigits(p) {
			fmt.Sscanf(p, "%d", &n)
			numbers = append(numbers, n)
			parts[i] = "{}"
		}
	}
	return strings.Join(parts, "."), numbers, suffix
}

func isDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
