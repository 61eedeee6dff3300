package hf

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
)

// planned says where a tensor's values come from: tensors of the checkpoint one after another, or values.
type planned struct {
	name   string
	shape  []int // GGUF's order
	parts  []*tensor
	values []float32
	rule   *rule
	view   view // of each part
	order  int  // in the file
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
	heads  []*tensor // output matrices: whether they are needed shows at the end
	embed  *tensor
	layers int // that the model has; those beyond predict more than one token at a time
	beyond int // tensors of such layers
}

// stack is the matrices of experts that become one tensor.
type stack struct {
	planned
	experts map[int]*tensor
}

// plan lists the tensors that come from the checkpoint.
func (c *Conversion) plan(f *Folder, family *Family, noDrafts bool) error {
	t := &tensorPlan{folder: f, family: family, c: c, stacks: map[string]*stack{}, layers: placeEnd}
	all, err := f.unpacked()
	if err != nil {
		return err
	}
	c.checkpoint = all
	if all, err = family.join(f.Config, all); err != nil {
		return fmt.Errorf("%s: %w", f.Path, err)
	}
	t.findDrafts(all, !noDrafts)
	for _, x := range all {
		if err := t.add(x); err != nil {
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
	if t.beyond > 0 {
		c.note("%d tensors of layers that predict further tokens are left out", t.beyond)
	}
	c.addScales()
	sort.SliceStable(c.planned, func(i, j int) bool { return c.planned[i].order < c.planned[j].order })
	return f.Config.Err()
}

// add plans one tensor of the checkpoint. Experts are gathered in stacks, by the name of the result.
func (t *tensorPlan) add(x *tensor) error {
	if t.family.skips(x.Name) {
		return nil
	}
	key, numbers, suffix := canonicalName(x.Name)
	if strings.HasPrefix(key, "mtp.") || strings.HasPrefix(key, "model.mtp.") || isLayer(key) && numbers[0] >= t.layers {
		t.beyond++
		return nil
	}
	r, ok := t.family.rule(key)
	if !ok {
		return fmt.Errorf("%w tensor %q: no rule of architecture %s names it", ErrUnsupported, x.Name, t.family.Arch)
	}
	if len(numbers) > 0 {
		r = r.of(t.folder.Config, numbers[0])
	}
	switch {
	case r.to == "":
		return nil
	case r.head:
		t.heads = append(t.heads, x)
		return nil
	case r.embed && len(x.Shape) != 2:
		return fmt.Errorf("tensor %q has shape %v, want rows of embeddings", x.Name, x.Shape)
	case r.embed:
		t.embed = x
	}
	for i := range append([]rule{*r}, r.also...) {
		one := r
		if i > 0 {
			one = &r.also[i-1]
		}
		if err := t.place(x, one, numbers, suffix); err != nil {
			return err
		}
	}
	return nil
}

// isLayer says of a name without numbers that its first number is that of a layer.
func isLayer(key string) bool { return strings.Contains(key, "layers.{}.") }

// place plans what one rule makes of a tensor.
func (t *tensorPlan) place(x *tensor, r *rule, numbers []int, suffix string) error {
	if r.suffix != "" || r.bare {
		suffix = r.suffix
	}
	if r.layer != nil && len(numbers) > 0 {
		numbers = append([]int{r.layer(t.folder.Config, numbers[0])}, numbers[1:]...)
	}
	p := planned{name: layerName(r.to, numbers) + suffix, rule: r, order: order(numbers, r)}
	var err error
	if p.view, err = see(t.folder.Config, r, x.Shape, suffix); err != nil {
		return fmt.Errorf("tensor %q: %w", x.Name, err)
	}
	p.shape = p.view.shape(t.folder.Config, r)
	if len(numbers) > 1 {
		return t.stack(p, numbers[1], x)
	}
	p.parts = []*tensor{x}
	t.c.planned = append(t.c.planned, p)
	return nil
}

// stack puts a matrix among its fellows.
func (t *tensorPlan) stack(p planned, expert int, x *tensor) error {
	s := t.stacks[p.name]
	if s == nil {
		s = &stack{planned: p, experts: map[int]*tensor{}}
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
	var first *tensor
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

// output plans the output matrix. It is left out where it is the embedding: where it shares its data or has the same.
func (t *tensorPlan) output() error {
	if t.embed == nil {
		return fmt.Errorf("the checkpoint has no token embedding; is a shard missing?")
	}
	tie, said := t.folder.Config.values["tie_word_embeddings"].(bool)
	if said && !tie && len(t.heads) == 0 && t.family.has("output") {
		return fmt.Errorf("config.json says tie_word_embeddings false, but the checkpoint has no output matrix; is a shard missing?")
	}
	for _, x := range t.heads {
		key, _, suffix := canonicalName(x.Name)
		r, _ := t.family.rule(key)
		switch {
		case t.sameAsEmbedding(x) && r.scale == nil:
			t.c.note("%s equals the embedding and is left out", x.Name)
		case tie && suffix == ".weight":
			return fmt.Errorf("tensor %q differs from the embedding %q, but config.json has tie_word_embeddings; set that to false to keep both",
				x.Name, t.embed.Name)
		default:
			if err := t.place(x, r, nil, suffix); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *tensorPlan) sameAsEmbedding(x *tensor) bool {
	return x.data != nil && x.DType == t.embed.DType && slices.Equal(x.Shape, t.embed.Shape) && string(x.data) == string(t.embed.data)
}

// order sorts the embedding first, then the layers, then the rest.
func order(numbers []int, r *rule) int {
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

// rule finds the rule for a name without numbers. Classes without an output matrix leave out the beginning of names.
func (f *Family) rule(key string) (*rule, bool) {
	for _, prefix := range []string{"", "model.", "transformer."} {
		if r, ok := f.Rules[prefix+key]; ok {
			return &r, true
		}
	}
	return nil, false
}

// has says whether the family gives a tensor of that name, without layer and suffix.
func (f *Family) has(name string) bool {
	for _, r := range f.Rules {
		if r.to == name {
			return true
		}
	}
	return false
}

// skips says that the family leaves a tensor out.
func (f *Family) skips(name string) bool {
	return slices.ContainsFunc(f.Skip, func(s string) bool { return strings.HasPrefix(name, s) }) ||
		slices.ContainsFunc(f.Ends, func(s string) bool { return strings.HasSuffix(name, s) })
}
