package hf

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/quant"
	"github.com/llamakit/llamakit/formats/safetensors"
)

// OutType is the type of the matrices of an output file.
type OutType string

// The output types. Auto is BF16 or F16 by the first matrix of the checkpoint.
const (
	OutF32  OutType = "f32"
	OutF16  OutType = "f16"
	OutBF16 OutType = "bf16"
	OutQ8_0 OutType = "q8_0"
	OutAuto OutType = "auto"
)

// outTypes are the block type of each output type, and its number in general.file_type.
var outTypes = map[OutType]struct {
	block quant.Type
	file  uint32
}{OutF32: {quant.F32, 0}, OutF16: {quant.F16, 1}, OutQ8_0: {quant.Q8_0, 7}, OutBF16: {quant.BF16, 32}}

// keptTypes are the names and numbers of files whose matrices stay the blocks that the checkpoint has.
var keptTypes = map[quant.Type]struct {
	name string
	file uint32
}{quant.MXFP4: {"MXFP4_MOE", 38}, quant.NVFP4: {"NVFP4", 39}}

// quantVersion is ggml's version of the block types, general.quantization_version.
const quantVersion = 2

// Options say what kind of file to make.
type Options struct {
	Type      OutType
	VocabOnly bool
	NoDrafts  bool           // leave out the layers that predict further tokens
	Name      string         // general.name instead of the folder's
	Override  map[string]any // general.* keys that win over what the folder says
}

// Conversion is everything that a GGUF file of a folder will hold.
type Conversion struct {
	Metadata *gguf.Metadata
	Tensors  []gguf.TensorInfo
	FileName string   // llama.cpp's name for the file
	Notes    []string // what a person should know: tensors left out, types that did not fit; Write adds to them

	fileType   string    // "F16"; "" for a vocabulary
	fileNumber uint32    // in general.file_type
	uneven     []string  // tensors whose rows cannot be cut into blocks
	planned    []planned // beside Tensors
	checkpoint []*tensor // as it is, unpacked
	exact      []string  // parts of names of matrices that stay F32
	drafts     int       // layers that predict further tokens
	source     checkpoint
	folder     *Folder
}

// Convert plans the conversion of a folder. Nothing is written.
func (f *Folder) Convert(o Options) (*Conversion, error) {
	if o.VocabOnly {
		return f.convertVocabulary(o)
	}
	if f.Config == nil {
		return nil, fmt.Errorf("%s: no config.json; is this a model folder?", f.Path)
	}
	family, err := f.family()
	if err != nil {
		return nil, err
	}
	if f.tensors == nil {
		return nil, fmt.Errorf("no weights: %w", f.whyNoWeights())
	}
	c := &Conversion{Metadata: gguf.NewMetadata(), source: f.tensors, folder: f, exact: family.Exact}
	if err := c.plan(f, family, o.NoDrafts); err != nil {
		return nil, err
	}
	p := newParams(f.Config, family, c.rows())
	p.checkpoint, p.drafts = c.checkpoint, c.drafts
	if p.pool, err = f.readPooling(); err != nil {
		return nil, err
	}
	family.Params(p)
	if family.Extra != nil {
		family.Extra(p)
	}
	if err := p.Err(); err != nil {
		return nil, err
	}
	if err := c.complete(f.Path, p); err != nil {
		return nil, err
	}
	return c, c.describe(f, family, p, o)
}

// family is the family of the class that config.json names.
func (f *Folder) family() (*Family, error) {
	class := f.Config.Class()
	if err := f.Config.Err(); err != nil {
		return nil, err
	}
	family, err := Find(class, f.Config)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Config.path, err)
	}
	return family, nil
}

// FileType is the type of the matrices in capital letters, as file names have it; "" for a file without weights.
func (c *Conversion) FileType() string { return c.fileType }

func (c *Conversion) note(format string, args ...any) {
	c.Notes = append(c.Notes, fmt.Sprintf(format, args...))
}

// smallMatrix are the matrices that stay F32 beside norms and routers, as llama.cpp has them.
var smallMatrix = regexp.MustCompile(`^(position_embd|token_types)\.weight$|\.(ffn_gate_inp_shexp|ssm_conv1d|ssm_conv1d_[qkv]|shortconv\.conv|indexer\.proj)\.weight$`)

// keeps says that a tensor is written as the blocks it is stored in.
func (p *planned) keeps() (quant.Type, bool) {
	if len(p.parts) == 0 || p.parts[0].packed == nil || p.rule.flip || p.view.turned || p.rule.columns != nil || p.rule.scale != nil {
		return 0, false
	}
	return p.parts[0].packed.kind, true
}

// typeOf is the type of an output tensor: vectors, norms and routers stay F32, rows that Q8_0 cannot cut become F16.
func (c *Conversion) typeOf(p *planned, t quant.Type) quant.Type {
	if kind, ok := p.keeps(); ok {
		return kind
	}
	if p.rule != nil && p.rule.whole {
		return quant.I32
	}
	if len(p.shape) <= 1 || smallMatrix.MatchString(p.name) || strings.HasSuffix(p.name, "_norm.weight") || strings.HasSuffix(p.name, ".ffn_gate_inp.weight") ||
		!strings.HasSuffix(p.name, ".weight") || slices.ContainsFunc(c.exact, func(part string) bool { return strings.Contains(p.name, part) }) {
		return quant.F32
	}
	if p.shape[0]%t.BlockSize() != 0 {
		c.uneven = append(c.uneven, p.name)
		return quant.F16
	}
	return t
}

// resolve replaces auto by the type of the checkpoint's first matrix.
func (c *Conversion) resolve(o OutType) (OutType, error) {
	if o != OutAuto {
		if _, ok := outTypes[o]; !ok {
			return "", fmt.Errorf("output type %q: unknown, use f32, f16, bf16, q8_0 or auto", string(o))
		}
		return o, nil
	}
	for _, t := range c.source.Tensors() {
		if len(t.Shape) >= 2 && t.DType == safetensors.BF16 {
			return OutBF16, nil
		}
		if len(t.Shape) >= 2 && t.DType == safetensors.F16 {
			return OutF16, nil
		}
	}
	return OutF16, nil
}

// describe writes the metadata and the tensor list.
func (c *Conversion) describe(f *Folder, family *Family, p *params, o Options) error {
	out, err := c.resolve(o.Type)
	if err != nil {
		return err
	}
	var counts parameterCount
	for i := range c.planned {
		x := &c.planned[i]
		c.Tensors = append(c.Tensors, gguf.TensorInfo{Name: x.name, Type: c.typeOf(x, outTypes[out].block), Shape: x.shape})
		counts.add(x)
	}
	if n := len(c.uneven); n > 0 {
		c.note("rows of %d of %d tensors cannot be cut into blocks of %s and become f16, first those of %s", n, len(c.planned), out, c.uneven[0])
	}
	if said := p.IntOr(p.rows, "vocab_size"); said != p.rows {
		c.note("config.json has a vocabulary of %d, the embedding has %d rows, which count", said, p.rows)
	}
	v, err := f.Vocabulary(p.rows)
	if err != nil {
		return err
	}
	c.fileType, c.fileNumber = strings.ToUpper(string(out)), outTypes[out].file
	for _, x := range c.Tensors {
		if kept, ok := keptTypes[x.Type]; ok {
			c.fileType, c.fileNumber = kept.name, kept.file
		}
	}
	return c.write(f, family, p, v, counts, o)
}

// write fills the metadata: general.* keys, hyper-parameters, tokenizer.
func (c *Conversion) write(f *Folder, family *Family, p *params, v *Vocabulary, n parameterCount, o Options) error {
	if family.Vocab != nil {
		family.Vocab(v)
	}
	card, err := f.Card(n, o)
	if err != nil {
		return err
	}
	c.Notes = append(append(c.Notes, v.Notes...), card.notes...)
	c.Metadata.Set("general.architecture", gguf.String(family.Arch))
	card.Set(c.Metadata)
	for k, x := range p.md.All() {
		c.Metadata.Set(k, x)
	}
	if c.fileType != "" {
		c.Metadata.Set("general.file_type", gguf.Uint32(c.fileNumber))
		c.Metadata.Set("general.quantization_version", gguf.Uint32(quantVersion))
	}
	v.Set(c.Metadata)
	if v.Model == "bert" && p.Config != nil {
		c.Metadata.Set("tokenizer.ggml.token_type_count", gguf.Uint32(uint32(p.IntOr(1, "type_vocab_size"))))
	}
	c.FileName = card.FileName(c.fileType)
	return nil
}

// noFamily is for tokenizers without config.json: programs load them as a llama without weights.
var noFamily = &Family{Arch: "llama"}

// convertVocabulary plans a file that holds the tokenizer only, with the hyper-parameters where config.json has them all.
func (f *Folder) convertVocabulary(o Options) (*Conversion, error) {
	family, size := noFamily, 0
	if f.Config != nil {
		var err error
		if family, err = f.family(); err != nil {
			return nil, err
		}
		size = f.Config.IntOr(0, "vocab_size")
		if err := f.Config.Err(); err != nil {
			return nil, err
		}
	}
	v, err := f.Vocabulary(size)
	if err != nil {
		return nil, err
	}
	c := &Conversion{Metadata: gguf.NewMetadata(), folder: f}
	p := newParams(f.Config, family, len(v.Tokens))
	if f.Config != nil {
		family.Params(p)
		if p.Err() != nil {
			p.md = gguf.NewMetadata()
		}
	}
	return c, c.write(f, family, p, v, parameterCount{}, o)
}
