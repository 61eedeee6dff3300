package hf

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// join makes the tensors of which the checkpoint has parts, or that it has under other names, and lists them beside the rest.
func (f *Family) join(c *Config, all []*tensor) ([]*tensor, error) {
	if f.Join == nil {
		return all, nil
	}
	p := newPacks(c, all)
	made, err := f.Join(p)
	for _, x := range all {
		if !p.used[x.Name] {
			made = append(made, x)
		}
	}
	return made, err
}

// ending lists the names of the tensors that are left and have an end, in order.
func (p *packs) ending(end string) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(p.byName)) {
		if strings.HasSuffix(name, end) && !p.used[name] {
			out = append(out, name)
		}
	}
	return out
}

// pairs makes a tensor of every two whose names differ in their ends only.
func (p *packs) pairs(first, second, to string, make func(name string, a, b *tensor) (*tensor, error)) ([]*tensor, error) {
	var out []*tensor
	for _, name := range append(p.ending(first), p.ending(second)...) {
		if p.used[name] {
			continue
		}
		base := strings.TrimSuffix(strings.TrimSuffix(name, first), second)
		x, err := p.need(base+first, base+second)
		if err != nil {
			return nil, fmt.Errorf("tensor %q: its other half %w", name, err)
		}
		t, err := make(base+to, x[0], x[1])
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

// product multiplies two tensors value by value; dimensions of one do not count.
func product(name string, a, b *tensor) (*tensor, error) {
	n := elements(a.Shape)
	if n != elements(b.Shape) {
		return nil, fmt.Errorf("tensors %q and %q have shapes %v and %v, want as many values", a.Name, b.Name, a.Shape, b.Shape)
	}
	return &tensor{Name: name, Shape: []int{n}, decode: func(dst []float32, from int) error {
		factor := make([]float32, len(dst))
		if err := b.decode(factor, from); err != nil {
			return err
		}
		err := a.decode(dst, from)
		for i, x := range factor {
			dst[i] *= x
		}
		return err
	}}, nil
}

// beside makes a matrix whose rows are those of two, one after the other.
func beside(name string, a, b *tensor) (*tensor, error) {
	if len(a.Shape) != 2 || len(b.Shape) != 2 || a.Shape[0] != b.Shape[0] {
		return nil, fmt.Errorf("tensors %q and %q have shapes %v and %v, want matrices of as many rows", a.Name, b.Name, a.Shape, b.Shape)
	}
	left, width := a.Shape[1], a.Shape[1]+b.Shape[1]
	return &tensor{Name: name, Shape: []int{a.Shape[0], width}, decode: func(dst []float32, from int) error {
		for i := 0; i < len(dst); {
			src, at, end := a, (from+i)%width, left
			if at >= left {
				src, at, end = b, at-left, width-left
			}
			n := min(end-at, len(dst)-i)
			if err := src.decode(dst[i:i+n], (from+i)/width*end+at); err != nil {
				return err
			}
			i += n
		}
		return nil
	}}, nil
}

// below makes a matrix of the rows of several, one below the other.
func below(name string, parts []*tensor) (*tensor, error) {
	out := &tensor{Name: name, Shape: []int{0, 0}}
	for _, x := range parts {
		if len(x.Shape) != 2 || x.Shape[1] != parts[0].Shape[1] {
			return nil, fmt.Errorf("tensor %q has shape %v, want rows of %d values like %q", x.Name, x.Shape, parts[0].Shape[1], parts[0].Name)
		}
		out.Shape = []int{out.Shape[0] + x.Shape[0], x.Shape[1]}
	}
	out.decode = func(dst []float32, from int) error {
		for _, x := range parts {
			size := elements(x.Shape)
			if from >= size {
				from -= size
				continue
			}
			n := min(len(dst), size-from)
			if err := x.decode(dst[:n], from); err != nil {
				return err
			}
			if dst, from = dst[n:], 0; len(dst) == 0 {
				break
			}
		}
		return nil
	}
	return out, nil
}

// renamed is a tensor under another name.
func renamed(name string, x *tensor) *tensor {
	other := *x
	other.Name = name
	return &other
}

// tensor is the one whose name has an end; nil without one.
func (p *params) tensor(end string) *tensor {
	for _, x := range p.checkpoint {
		if strings.HasSuffix(x.Name, end) {
			return x
		}
	}
	return nil
}
