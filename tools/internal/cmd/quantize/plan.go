package quantize

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/imatrix"
	"github.com/llamakit/llamakit/formats/mixture"
	"github.com/llamakit/llamakit/formats/quant"
)

// plan is everything that is decided before a byte is written.
type plan struct {
	model    *gguf.File
	matrix   *imatrix.Matrix // nil: none
	settings *settings
	metadata *gguf.Metadata
	tensors  []planned
	notes    []string // what the user should know
}

// planned is one tensor of the new file.
type planned struct {
	in     *gguf.Tensor
	name   string // in the new file; differs where layers were left out
	to     quant.Type
	wanted quant.Type // what the mixture chose; differs where the shape does not allow it
	why    string     // why to is not what the file type usually gives, or empty

	free       bool      // neither the user nor the kind of tensor says what it becomes
	importance []float32 // one number a column, of every expert; nil: none
	lacking    bool      // a type so coarse that it needs importance, and there is none
}

func (t *planned) shape() []int     { return t.in.Shape }
func (t *planned) from() quant.Type { return t.in.Type }
func (t *planned) changes() bool    { return t.to != t.in.Type }

// info is the tensor's entry in the new file.
func (t *planned) info() gguf.TensorInfo {
	return gguf.TensorInfo{Name: t.name, Type: t.to, Shape: t.in.Shape}
}

func infos(tensors []planned) []gguf.TensorInfo {
	all := make([]gguf.TensorInfo, len(tensors))
	for i := range tensors {
		all[i] = tensors[i].info()
	}
	return all
}

// size is the number of bytes in the new file.
func (t *planned) size() int64 { return t.info().Bytes() }

// makePlan decides on every tensor of the model.
func makePlan(model *gguf.File, matrix *imatrix.Matrix, s *settings) (*plan, error) {
	p := &plan{model: model, matrix: matrix, settings: s}
	kept := p.order()
	names := make([]string, len(p.tensors))
	for i := range p.tensors {
		names[i] = p.tensors[i].name
	}
	m, err := mixture.New(model.Metadata, names, s.file, mixture.Options{Imatrix: matrix != nil, Output: s.output, Embedding: s.embed})
	if err != nil {
		return nil, err
	}
	for i := range p.tensors {
		if err := p.decide(&p.tensors[i], m); err != nil {
			return nil, err
		}
	}
	p.makeMetadata(m.Arch, kept)
	return p, p.bindMatrix()
}

// order lists the tensors as llama.cpp writes them: those outside of layers, then layer by layer, by name. It returns the
// number of layers that are left.
func (p *plan) order() (layers int) {
	for i := range p.model.Tensors {
		p.tensors = append(p.tensors, planned{in: &p.model.Tensors[i], name: p.model.Tensors[i].Name})
	}
	slices.SortStableFunc(p.tensors, func(a, b planned) int {
		return cmp.Or(cmp.Compare(mixture.LayerOf(a.name), mixture.LayerOf(b.name)), cmp.Compare(a.name, b.name))
	})
	if len(p.settings.prune) > 0 {
		layers = p.dropLayers()
	}
	if p.settings.split {
		slices.SortStableFunc(p.tensors, func(a, b planned) int {
			return cmp.Or(cmp.Compare(a.in.Shard, b.in.Shard), cmp.Compare(a.in.Offset, b.in.Offset))
		})
	}
	return layers
}

// dropLayers leaves out pruned layers and closes the gaps in the numbers.
func (p *plan) dropLayers() (layers int) {
	number := map[int]int{}
	p.tensors = slices.DeleteFunc(p.tensors, func(t planned) bool {
		_, drop := slices.BinarySearch(p.settings.prune, mixture.LayerOf(t.name))
		return drop
	})
	for i := range p.tensors {
		t := &p.tensors[i]
		old, rest := mixture.CutLayer(t.name)
		if old < 0 {
			continue
		}
		if _, ok := number[old]; !ok {
			number[old] = len(number)
		}
		t.name = fmt.Sprintf("blk.%d.%s", number[old], rest)
	}
	return len(number)
}

// decide chooses the type of one tensor.
func (p *plan) decide(t *planned, m *mixture.Mixture) error {
	s := p.settings
	t.to = t.from()
	if s.onlyCopy() || !mixture.IsMatrix(m.Arch, t.name, dimensions(t.shape())) || s.leaveOut && t.name == "output.weight" {
		t.wanted = t.to
		return nil
	}
	if err := p.want(t, m); err != nil {
		return err
	}
	if !t.changes() {
		return nil
	}
	return p.allowed(t)
}

// want sets the wanted type, and the one that the shape allows.
func (p *plan) want(t *planned, m *mixture.Mixture) (err error) {
	s, r := p.settings, mixture.RoleOf(t.name)
	t.wanted, t.free = s.file.Base, s.requant || isFloat(t.from())
	switch {
	case s.embed != nil && r == mixture.RoleEmbedding:
		t.wanted, t.why, t.free = *s.embed, "--token-embedding-type", false
	case s.output != nil && r == mixture.RoleOutput:
		t.wanted, t.why, t.free = *s.output, "--output-tensor-type", false
	case s.file.Base.BlockSize() == 1:
	default:
		if err := p.mix(t, m); err != nil {
			return err
		}
		t.to, err = mixture.Fallback(t.wanted, t.in.Dim(0))
		if err != nil {
			return fmt.Errorf("tensor %q: %w", t.name, err)
		}
		if t.to != t.wanted {
			t.why = fmt.Sprintf("rows of %d do not fit %s", t.in.Dim(0), t.wanted)
		}
		return nil
	}
	t.to = t.wanted
	if t.in.Dim(0)%t.to.BlockSize() != 0 {
		return fmt.Errorf("tensor %q: rows of %d are not whole blocks of %d, which %s (%s) needs", t.name, t.in.Dim(0), t.to.BlockSize(), t.to, t.why)
	}
	return nil
}

// mix applies the user's rules, or else the mixture.
func (p *plan) mix(t *planned, m *mixture.Mixture) (err error) {
	if typ, ok := p.settings.ruleFor(t.name); ok {
		t.wanted, t.why, t.free = typ, "--tensor-type", false
		return nil
	}
	if p.settings.pure {
		return nil
	}
	t.wanted, err = m.Choose(t.name, t.shape())
	return err
}

// dimensions counts up to the last one that is not 1, as ggml does.
func dimensions(shape []int) int {
	n := len(shape)
	for n > 1 && shape[n-1] == 1 {
		n--
	}
	return n
}

// allowed refuses what cannot, or should not, be read to be converted.
func (p *plan) allowed(t *planned) error {
	switch from := t.from(); {
	case isFloat(from):
		return nil
	case !from.CanEncode():
		return fmt.Errorf("tensor %q: %s holds no weights that could be converted to %s", t.name, from, t.to)
	case !p.settings.requant:
		return fmt.Errorf("tensor %q: requantizing from %s to %s is disabled: it loses more than quantizing the original (--allow-requantize does it nevertheless)", t.name, from, t.to)
	}
	return nil
}

func isFloat(t quant.Type) bool { return t == quant.F32 || t == quant.F16 || t == quant.BF16 }

// makeMetadata copies the keys and sets what changes.
func (p *plan) makeMetadata(arch string, layers int) {
	md := p.model.Metadata.Clone()
	set := func(key string, v gguf.Value) {
		md.Delete(key) // llama.cpp writes new values at the end
		md.Set(key, v)
	}
	set("general.quantization_version", gguf.Uint32(2))
	if v, ok := md.Get("general.file_type"); ok && p.settings.onlyCopy() {
		set("general.file_type", v)
	} else if !p.settings.onlyCopy() {
		set("general.file_type", gguf.Uint32(uint32(p.settings.file.Number)))
	}
	for _, key := range []string{"split.no", "split.count", "split.tensors.count"} {
		md.Delete(key)
	}
	for _, o := range p.settings.override {
		set(o.key, o.value)
	}
	if len(p.settings.prune) > 0 {
		set(arch+".block_count", gguf.Uint32(uint32(layers)))
	}
	if p.matrix != nil {
		setMatrixKeys(md, p.settings.matrix, p.matrix)
	}
	p.metadata = md
}

// totals returns the bytes before and after, and the number of elements.
func (p *plan) totals() (before, after, elements int64) {
	for i := range p.tensors {
		t := &p.tensors[i]
		before, after, elements = before+t.in.Size, after+t.size(), elements+int64(t.in.Elements())
	}
	return before, after, elements
}
