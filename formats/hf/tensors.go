package hf

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/llamakit/llamakit/formats/safetensors"
)

// planned says where a tensor's values come from: tensors of the checkpoint one after another, or values.
type planned struct {
	name   string
	shape  []int // GGUF's order
	parts  []*safetensors.Tensor
	values []float32
	rule   rule
	heads  int // that the rows belong to, where rule.heads is set
	half   int // 1 or 2: the first or second half of the rows of each matrix; 0: all
	order  int // in the file
}

// Places in the file, beside the numbers of layers.
const (
	placeExtra = -2
	placeEmbed = -1
	placeEnd   = 1 << 30
)

// tensorPlan gathers the tensors of the output.
type tensorPlan struct {
	folder *Folder
	family *Family
	c      *Conversion
	stacks map[string]*stack
	heads  []*safetensors.Tensor // output matrices: whether they are needed shows at the end
	embed  *safetensors.Tensor
}

// stack is the matrices of experts that become one tensor.
type stack struct {
	planned
	experts map[int]*safetensors.Tensor
}

// plan lists the tensors that come from the checkpoint.
func (c *Conversion) plan(f *Folder, family *Family) error {
	t := &tensorPlan{folder: f, family: family, c: c, stacks: map[string]*stack{}}
	all := f.tensors.Tensors()
	for i := range all {
		if err := t.add(&all[i]); err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.stacks)) {
		if err := t.stacks[name].gather(); err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
		c.planned = append(c.planned, t.stacks[name].planned)
	}
	if err := t.output(); err != nil {
		return fmt.Errorf("%s: %w", f.Path, err)
	}
	sort.SliceStable(c.planned, func(i, j int) bool { return c.planned[i].order < c.planned[j].order })
	return f.Config.Err()
}

// add plans one tensor of the checkpoint. Experts are gathered in stacks, by the name of the result.
func (t *tensorPlan) add(x *safetensors.Tensor) error {
	for _, s := range t.family.Skip {
		if strings.HasPrefix(x.Name, s) {
			return nil
		}
	}
	key, numbers, suffix := canonicalName(x.Name)
	r, ok := t.family.Rules[key]
	switch {
	case !ok:
		return fmt.Errorf("%w tensor %q: no rule of architecture %s names it", ErrUnsupported, x.Name, t.family.Arch)
	case r.to == "":
		return nil
	case r.head:
		t.heads = append(t.heads, x)
		return nil
	case len(x.Shape) == 0 || len(x.Shape) > 3:
		return fmt.Errorf("tensor %q has shape %v, want 1 to 3 dimensions", x.Name, x.Shape)
	case r.embed && len(x.Shape) != 2:
		return fmt.Errorf("tensor %q has shape %v, want rows of embeddings", x.Name, x.Shape)
	case r.embed:
		t.embed = x
	}
	if r.suffix != "" {
		suffix = r.suffix
	}
	p := planned{name: layerName(r.to, numbers) + suffix, shape: reversed(x.Shape), rule: r, order: order(numbers, r)}
	if r.heads != nil {
		p.heads = r.heads(t.folder.Config)
	}
	switch {
	case len(numbers) > 1:
		return t.stack(p, numbers[1], x)
	case r.second != "":
		return t.split(p, layerName(r.second, numbers)+suffix, x)
	}
	p.parts = []*safetensors.Tensor{x}
	t.c.planned = append(t.c.planned, p)
	return nil
}

// stack puts a matrix among its fellows.
func (t *tensorPlan) stack(p planned, expert int, x *safetensors.Tensor) error {
	s := t.stacks[p.name]
	if s == nil {
		s = &stack{planned: p, experts: map[int]*safetensors.Tensor{}}
		t.stacks[p.name] = s
	}
	if s.experts[expert] != nil {
		return fmt.Errorf("tensors %q and %q are the same expert", s.experts[expert].Name, x.Name)
	}
	s.experts[expert] = x
	return nil
}

// gather says which expert is missing or has another shape, and lists them in order.
func (s *stack) gather() error {
	var first *safetensors.Tensor
	for i := range len(s.experts) {
		x := s.experts[i]
		if x == nil {
			return fmt.Errorf("tensor %s: expert %d is missing, %d others are there; is a shard missing?", s.name, i, len(s.experts))
		}
		if i == 0 {
			first = x
		}
		if !slices.Equal(x.Shape, first.Shape) {
			return fmt.Errorf("tensor %q has shape %v, other experts %v", x.Name, x.Shape, first.Shape)
		}
		s.parts = append(s.parts, x)
	}
	s.shape = append(s.shape, len(s.parts))
	return nil
}

// split plans the two halves of the rows of each matrix as tensors of their own.
func (t *tensorPlan) split(p planned, second string, x *safetensors.Tensor) error {
	if len(p.shape) < 2 || p.shape[1]%2 != 0 {
		return fmt.Errorf("tensor %q has shape %v, whose rows cannot be halved", x.Name, x.Shape)
	}
	p.shape[1] /= 2
	p.parts = []*safetensors.Tensor{x}
	for i, name := range []string{p.name, second} {
		p.name, p.half = name, i+1
		t.c.planned = append(t.c.planned, p)
	}
	return nil
}

// output plans the output matrix. It is left out where it is the embedding: where it shares its data or has the same.
func (t *tensorPlan) output() error {
	if t.embed == nil {
		return fmt.Errorf("the checkpoint has no token embedding; is a shard missing?")
	}
	tie, said := t.folder.Config.values["tie_word_embeddings"].(bool)
	if said && !tie && len(t.heads) == 0 && t.family.hasHead() {
		return fmt.Errorf("config.json says tie_word_embeddings false, but the checkpoint has no output matrix; is a shard missing?")
	}
	for _, x := range t.heads {
		key, _, suffix := canonicalName(x.Name)
		switch {
		case t.sameAsEmbedding(x):
			t.c.note("%s equals the embedding and is left out", x.Name)
		case tie && suffix == ".weight":
			return fmt.Errorf("tensor %q differs from the embedding %q, but config.json has tie_word_embeddings; set that to false to keep both",
				x.Name, t.embed.Name)
		default:
			r := t.family.Rules[key]
			t.c.planned = append(t.c.planned, planned{name: r.to + suffix, shape: reversed(x.Shape), rule: r, order: placeEnd,
				parts: []*safetensors.Tensor{x}})
		}
	}
	return nil
}

func (t *tensorPlan) sameAsEmbedding(x *safetensors.Tensor) bool {
	return x.DType == t.embed.DType && slices.Equal(x.Shape, t.embed.Shape) &&
		string(t.folder.tensors.Bytes(x)) == string(t.folder.tensors.Bytes(t.embed))
}

// order sorts the embedding first, then the layers, then the rest.
func order(numbers []int, r rule) int {
	switch {
	case r.embed:
		return placeEmbed
	case len(numbers) > 0:
		return numbers[0]
	}
	return placeEnd
}

func layerName(name string, numbers []int) string {
	if len(numbers) == 0 {
		return name
	}
	return strings.Replace(name, "{}", fmt.Sprint(numbers[0]), 1)
}

func reversed(shape []int) []int {
	out := slices.Clone(shape)
	slices.Reverse(out)
	return out
}

// hasHead says whether the family knows an output matrix of its own.
func (f *Family) hasHead() bool {
	for _, r := range f.Rules {
		if r.head {
			return true
		}
	}
	return false
}
