package hf

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// rows is the number of rows of the embedding.
func (c *Conversion) rows() int {
	for i := range c.planned {
		if p := &c.planned[i]; p.rule.embed {
			return p.shape[1]
		}
	}
	return 0
}

// complete checks the tensors against the hyper-parameters, and adds those that follow from them. A checkpoint whose last
// shard is missing, and that has no index to say so, is found here.
func (c *Conversion) complete(path string, p *params) error {
	layers := p.count("block_count")
	if p.stored > 0 {
		layers = p.stored
	}
	for i := range c.planned {
		x := &c.planned[i]
		if n := x.order; n >= layers && n < placeEnd {
			return fmt.Errorf("%s: %w tensor %q: config.json has %d layers only", path, ErrUnsupported, x.from(), layers)
		}
		if strings.Contains(x.name, "_exps.") && len(x.shape) == 3 && x.shape[2] != p.count("expert_count") {
			return fmt.Errorf("%s: tensor %s has %d experts, config.json has %d; is a shard missing?", path, x.name, x.shape[2], p.count("expert_count"))
		}
	}
	if err := c.sameLayers(layers, p); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	var extra []planned
	for _, x := range p.extra {
		extra = append(extra, planned{name: x.name, shape: []int{len(x.values)}, values: x.values, order: placeExtra})
	}
	c.planned = append(extra, c.planned...)
	return nil
}

// count is a hyper-parameter that was written; 0 without it.
func (p *params) count(key string) int {
	v, _ := p.md.Get(p.arch + "." + key)
	n, _ := v.Int()
	return int(n)
}

// sameLayers wants the same tensors in every layer, where the family does not mix kinds of layers, and a norm at the end.
func (c *Conversion) sameLayers(layers int, p *params) error {
	kinds, has := map[string]bool{}, map[string]bool{}
	for i := range c.planned {
		has[c.planned[i].name] = true
		if rest, ok := strings.CutPrefix(c.planned[i].name, fmt.Sprintf("blk.%d.", c.planned[i].order)); ok {
			kinds[rest] = true
		}
	}
	if p.family.has("output_norm") && !has["output_norm.weight"] {
		return fmt.Errorf("the checkpoint has no tensor for output_norm.weight; is a shard missing?")
	}
	sorted := slices.Sorted(maps.Keys(kinds))
	if len(sorted) == 0 {
		return fmt.Errorf("the checkpoint has no layers; is a shard missing?")
	}
	if p.family.Mixed {
		return c.noGap(layers, p.empty)
	}
	for layer := range layers {
		for _, kind := range sorted {
			if name := fmt.Sprintf("blk.%d.%s", layer, kind); !has[name] {
				return fmt.Errorf("the checkpoint has no tensor for %s, which other layers have; is a shard missing?", name)
			}
		}
	}
	return nil
}

// noGap wants something of every layer that is not empty.
func (c *Conversion) noGap(layers int, empty []bool) error {
	has := map[int]bool{}
	for i := range c.planned {
		has[c.planned[i].order] = true
	}
	for layer := range layers {
		if !has[layer] && (layer >= len(empty) || !empty[layer]) {
			return missingLayer(layer)
		}
	}
	return nil
}

func missingLayer(layer int) error {
	return fmt.Errorf("the checkpoint has no tensor for layer %d; is a shard missing?", layer)
}

// from names where a tensor comes from.
func (p *planned) from() string {
	if len(p.parts) > 0 {
		return p.parts[0].Name
	}
	return p.name
}
