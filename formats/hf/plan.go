package hf

import (
	"fmt"
	"sort"
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

// Options say what kind of file to make.
type Options struct {
	Type      OutType
	VocabOnly bool
	Name      string         // general.name instead of the folder's
	Override  map[string]any // general.* keys that win over what the folder says
}

// Conversion is everything that a GGUF file of a folder will hold.
type Conversion struct {
	Metadata *gguf.Metadata
	Tensors  []gguf.TensorInfo
	FileName string   // llama.cpp's name for the file
	Notes    []string // what a person should know: tensors left out, types that did not fit

	fileType string    // "F16"; "" for a vocabulary
	planned  []planned // beside Tensors
	source   *safetensors.File
}

// planned says where a tensor's values come from: parts of the checkpoint one after another, or values.
type planned struct {
	name   string
	shape  []int // GGUF's order
	parts  map[int]*safetensors.Tensor
	values []float32
	rule   rule
	order  int
}

// Convert plans the conversion of a folder. Nothing is written.
func (f *Folder) Convert(o Options) (*Conversion, error) {
	if o.VocabOnly {
		return f.convertVocabulary(o)
	}
	if f.Config == nil {
		return nil, fmt.Errorf("%s: no config.json; is this a model folder?", f.Path)
	}
	if f.tensors == nil {
		return nil, fmt.Errorf("%s: no weights: %w", f.Path, f.noData)
	}
	class := f.Config.Class()
	if err := f.Config.Err(); err != nil {
		return nil, err
	}
	family, err := Find(class)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Config.path, err)
	}
	c := &Conversion{Metadata: gguf.NewMetadata(), source: f.tensors}
	p := &params{Config: f.Config, arch: family.Arch, md: gguf.NewMetadata()}
	family.Params(p)
	if family.Extra != nil {
		family.Extra(p)
	}
	if err := p.Err(); err != nil {
		return nil, err
	}
	if err := c.plan(f, family, p); err != nil {
		return nil, err
	}
	return c, c.describe(f, family, p, o)
}

// FileType is the type of the matrices in capital letters, as file names have it; "" for a file without weights.
func (c *Conversion) FileType() string { return c.fileType }

// plan lists the tensors of the output.
func (c *Conversion) plan(f *Folder, family *Family, p *params) error {
	for _, x := range p.extra {
		c.planned = append(c.planned, planned{name: x.name, shape: []int{len(x.values)}, values: x.values})
	}
	stacks := map[string]*planned{}
	all := f.tensors.Tensors()
	for i := range all {
		if err := c.planTensor(f, family, &all[i], stacks); err != nil {
			return err
		}
	}
	for _, s := range stacks {
		if err := s.checkStack(); err != nil {
			return err
		}
		c.planned = append(c.planned, *s)
	}
	sort.SliceStable(c.planned, func(i, j int) bool { return c.planned[i].order < c.planned[j].order })
	if len(c.planned) == 0 {
		return fmt.Errorf("%s: the checkpoint has no tensors", f.Path)
	}
	return nil
}

// planTensor adds one tensor of the checkpoint. Experts are gathered in stacks, by the name of the result.
func (c *Conversion) planTensor(f *Folder, family *Family, t *safetensors.Tensor, stacks map[string]*planned) error {
	key, numbers, suffix := canonicalName(t.Name)
	for _, s := range family.Skip {
		if strings.HasPrefix(t.Name, s) {
			return nil
		}
	}
	r, ok := family.Rules[key]
	if !ok {
		return fmt.Errorf("%s: %w tensor %q: no rule of architecture %s names it", f.Path, ErrUnsupported, t.Name, family.Arch)
	}
	if r.to == "" || r.head && c.tied(f, t) {
		return nil
	}
	if r.heads != nil {
		r.headCount = r.heads(f.Config)
	}
	name := r.to + suffix
	if len(numbers) > 0 {
		name = strings.Replace(name, "{}", fmt.Sprint(numbers[0]), 1)
	}
	shape := make([]int, len(t.Shape))
	for i, n := range t.Shape {
		shape[len(shape)-1-i] = n
	}
	if len(numbers) < 2 {
		c.planned = append(c.planned, planned{name: name, shape: shape, parts: map[int]*safetensors.Tensor{0: t}, rule: r, order: order(numbers, r)})
		return nil
	}
	s := stacks[name]
	if s == nil {
		s = &planned{name: name, shape: append(shape, 0), parts: map[int]*safetensors.Tensor{}, rule: r, order: order(numbers, r)}
		stacks[name] = s
	}
	s.parts[numbers[1]] = t
	s.shape[len(s.shape)-1]++
	return nil
}

// order sorts the embedding first, then the layers, then the rest.
func order(numbers []int, r rule) int {
	switch {
	case r.embed:
		return -1
	case len(numbers) > 0:
		return numbers[0]
	}
	return 1 << 20
}

// checkStack says which expert is missing or has another shape.
func (s *planned) checkStack() error {
	first := s.parts[0]
	for i := range len(s.parts) {
		t := s.parts[i]
		if t == nil {
			return fmt.Errorf("tensor %s: expert %d of %d is missing", s.name, i, len(s.parts))
		}
		if fmt.Sprint(t.Shape) != fmt.Sprint(first.Shape) {
			return fmt.Errorf("tensor %q has shape %v, other experts %v", t.Name, t.Shape, first.Shape)
		}
	}
	return nil
}

// tied says whether the output matrix is the embedding: by the configuration, by sharing its data, or by equal data.
func (c *Conversion) tied(f *Folder, head *safetensors.Tensor) bool {
	if tie, _ := f.Config.values["tie_word_embeddings"].(bool); tie {
		return true
	}
	embd, ok := f.tensors.Tensor("model.embed_tokens.weight")
	if !ok || embd.DType != head.DType || fmt.Sprint(embd.Shape) != fmt.Sprint(head.Shape) {
		return false
	}
	if string(f.tensors.Bytes(embd)) != string(f.tensors.Bytes(head)) {
		return false
	}
	c.Notes = append(c.Notes, fmt.Sprintf("%s equals the embedding and is left out", head.Name))
	return true
}

// typeOf is the type of an output tensor: vectors, norms and routers stay F32, rows that Q8_0 cannot cut become F16.
func (c *Conversion) typeOf(p *planned, o OutType) quant.Type {
	if len(p.shape) <= 1 || strings.HasSuffix(p.name, "_norm.weight") || strings.HasSuffix(p.name, "ffn_gate_inp.weight") ||
		!strings.HasSuffix(p.name, ".weight") {
		return quant.F32
	}
	t := map[OutType]quant.Type{OutF32: quant.F32, OutF16: quant.F16, OutBF16: quant.BF16, OutQ8_0: quant.Q8_0}[o]
	if p.shape[0]%t.BlockSize() != 0 {
		c.Notes = append(c.Notes, fmt.Sprintf("%s: rows of %d values cannot be %v, they become f16", p.name, p.shape[0], t))
		return quant.F16
	}
	return t
}

// resolve replaces auto by the type of the checkpoint's first matrix.
func (c *Conversion) resolve(o OutType) (OutType, error) {
	switch o {
	case OutF32, OutF16, OutBF16, OutQ8_0:
		return o, nil
	case OutAuto:
	default:
		return "", fmt.Errorf("output type %q: unknown, use f32, f16, bf16, q8_0 or auto", string(o))
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
	rows := 0
	var counts parameterCount
	for i := range c.planned {
		x := &c.planned[i]
		c.Tensors = append(c.Tensors, gguf.TensorInfo{Name: x.name, Type: c.typeOf(x, out), Shape: x.shape})
		counts.add(x)
		if x.rule.embed && len(x.shape) == 2 {
			rows = x.shape[1]
		}
	}
	v, err := f.Vocabulary(rows)
	if err != nil {
		return err
	}
	if family.Vocab != nil {
		family.Vocab(v)
	}
	card, err := f.Card(counts, o)
	if err != nil {
		return err
	}
	c.Metadata.Set("general.architecture", gguf.String(family.Arch))
	card.Set(c.Metadata)
	for k, x := range p.md.All() {
		c.Metadata.Set(k, x)
	}
	c.fileType = strings.ToUpper(string(out))
	setFileType(c.Metadata, c.fileType)
	c.Metadata.Set("general.quantization_version", gguf.Uint32(2))
	v.Set(c.Metadata)
	c.FileName = card.FileName(c.fileType)
	return nil
}

// convertVocabulary plans a file that holds the tokenizer only. A folder without config.json gets the architecture llama.
func (f *Folder) convertVocabulary(o Options) (*Conversion, error) {
	arch, size := "llama", 0
	var family *Family
	if f.Config != nil {
		var err error
		if family, err = Find(f.Config.Class()); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Config.path, err)
		}
		arch, size = family.Arch, f.Config.IntOr(0, "vocab_size")
		if err := f.Config.Err(); err != nil {
			return nil, err
		}
	}
	v, err := f.Vocabulary(size)
	if err != nil {
		return nil, err
	}
	if family != nil && family.Vocab != nil {
		family.Vocab(v)
	}
	card, err := f.Card(parameterCount{}, o)
	if err != nil {
		return nil, err
	}
	c := &Conversion{Metadata: gguf.NewMetadata(), FileName: card.FileName("")}
	c.Metadata.Set("general.architecture", gguf.String(arch))
	card.Set(c.Metadata)
	v.Set(c.Metadata)
	return c, nil
}
