package hf

// deciBlock is what one layer of a model is left with that was cut by neural architecture search (Bercovich et al., Puzzle).
type deciBlock struct{ heads, keys, ff int }

// deciBlocks reads the layers; nil where all have attention and a feed-forward network.
func deciBlocks(c *Config) []deciBlock {
	list, _ := c.values["block_configs"].([]any)
	var out []deciBlock
	for i := range list {
		block, _ := list[i].(map[string]any)
		one := &Config{path: c.path, values: block}
		attention, ffn := one.in("attention"), one.in("ffn")
		var b deciBlock
		switch group := attention.IntOr(0, "n_heads_in_group"); {
		case group > 0:
			b.heads, b.keys = headsQ(c), headsQ(c)/group
		case attention.Bool(false, "replace_with_linear"): // one matrix in place of attention
			b.heads = headsQ(c)
		}
		if ffn.Has("ffn_mult") {
			b.ff = roundUp(int(2*ffn.Float("ffn_mult")*float64(c.Int("hidden_size"))/3), 256)
		}
		for _, part := range []*Config{attention, ffn} {
			if part.err != nil {
				c.fail("block_configs: layer %d: %v", i, part.err)
			}
		}
		out = append(out, b)
	}
	return out
}

func roundUp(n, multiple int) int { return ceil(n, multiple) * multiple }

// deciKeys pairs keys by the heads of the layer.
func deciKeys(c *Config, layer int) rule {
	heads := headsK
	if blocks := deciBlocks(c); layer < len(blocks) {
		heads = func(*Config) int { return blocks[layer].keys }
	} else if list := c.ints("num_key_value_heads_per_layer"); layer < len(list) {
		heads = func(*Config) int { return list[layer] }
	}
	return rule{to: "blk.{}.attn_k", rows: rotary(heads)}
}

func deciParams(p *params) {
	blocks, perLayer := deciBlocks(p.Config), p.ints("num_key_value_heads_per_layer")
	if blocks == nil {
		llamaParams(p)
		if len(perLayer) > 0 {
			p.numbers("attention.head_count_kv", perLayer)
		}
		return
	}
	if n := p.Int(layerKeys...); n != len(blocks) {
		p.fail("block_configs has %d entries, num_hidden_layers is %d", len(blocks), n)
	}
	p.setDefault("intermediate_size", 0)
	p.setDefault("num_key_value_heads", float64(headsQ(p.Config)))
	llamaParams(p)
	var heads, keys, ff []int
	for _, b := range blocks {
		heads, keys, ff = append(heads, b.heads), append(keys, b.keys), append(ff, b.ff)
		p.empty = append(p.empty, b == deciBlock{})
	}
	p.numbers("attention.head_count", heads)
	p.numbers("attention.head_count_kv", keys)
	p.numbers("feed_forward_length", ff)
	p.u32("attention.key_length", p.headDim())
	p.u32("attention.value_length", p.headDim())
}
