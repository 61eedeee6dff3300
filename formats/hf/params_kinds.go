package hf

import "github.com/llamakit/llamakit/formats/gguf"

func (p *params) bool(key string, b bool)    { p.set(key, gguf.Bool(b)) }
func (p *params) bools(key string, b []bool) { p.set(key, gguf.Bools(b)) }

func (p *params) text(key, s string) { p.set(key, gguf.String(s)) }

// numbers writes a number a layer.
func (p *params) numbers(key string, n []int) {
	out := make([]uint32, len(n))
	for i, x := range n {
		out[i] = uint32(x)
	}
	p.set(key, gguf.Uint32s(out))
}

// optional writes an integer where config.json has one of the keys.
func (p *params) optional(key string, from ...string) {
	if p.Has(from...) {
		p.u32(key, p.Int(from...))
	}
}

// optionalFloat writes a number where config.json has one of the keys.
func (p *params) optionalFloat(key string, from ...string) {
	if p.Has(from...) {
		p.f32(key, p.Float(from...))
	}
}

// optionalBool writes a truth value where config.json has one of the keys.
func (p *params) optionalBool(key string, from ...string) {
	for _, k := range from {
		if b, ok := p.values[k].(bool); ok {
			p.bool(key, b)
			return
		}
	}
}

// gatings are the scores of routers, by their number in GGUF.
var gatings = map[string]int{"softmax": 1, "sigmoid": 2, "sqrtsoftplus": 4}

// moe writes what mixtures of experts have.
func (p *params) moe() {
	p.optional("expert_feed_forward_length", "moe_intermediate_size")
	p.optional("expert_shared_count", "n_shared_experts", "num_shared_experts")
	p.optional("expert_shared_feed_forward_length", "shared_expert_intermediate_size", "moe_shared_expert_intermediate_size")
	p.optional("leading_dense_block_count", "first_k_dense_replace", "num_dense_layers")
	p.optionalFloat("expert_weights_scale", "routed_scaling_factor", "router_scaling_factor", "route_scale")
	p.optionalBool("expert_weights_norm", "norm_topk_prob", "route_norm")
}

// gating writes how a router turns logits to weights.
func (p *params) gating() {
	for _, key := range []string{"score_function", "scoring_func", "score_func", "moe_router_activation", "moe_router_activation_func", "expert_selection_fn", "router_score_func"} {
		if kind := p.Str(key); kind != "" {
			number, ok := gatings[kind]
			if !ok {
				p.fail("%s %q is not known", key, kind)
			}
			p.u32("expert_gating_func", number)
			return
		}
	}
}

// maxLayers bounds what config.json can claim.
const maxLayers = 1 << 12

// layers is the number of layers, without those that predict further tokens.
func (p *params) layers() int { return max(0, min(p.Int(layerKeys...), maxLayers)) }

// layerKinds says of each layer whether layer_types gives it that name; those that predict further tokens have none.
func (p *params) layerKinds(kind string) []bool {
	types := p.strs("layer_types")
	if n := p.Int(layerKeys...); len(types) != n {
		p.fail("layer_types has %d entries, num_hidden_layers is %d", len(types), n)
	}
	out := make([]bool, len(types)+p.drafts)
	for i, t := range types {
		out[i] = t == kind
	}
	return out
}

// sliding writes the window of attention, and the layers that have one where layer_types tells them.
func (p *params) sliding() {
	if !p.Has("sliding_window") {
		return
	}
	p.u32("attention.sliding_window", p.Int("sliding_window"))
	if p.Has("layer_types") {
		p.bools("attention.sliding_window_pattern", p.layerKinds("sliding_attention"))
	}
}

// rotated writes how many values of a head are rotated: the part that config.json tells, or that of most such models.
func (p *params) rotated(part float64) {
	r := p.rope()
	p.u32("rope.dimension_count", int(r.FloatOr(part, "partial_rotary_factor")*float64(p.headDim())))
	p.keep(r)
}

// everyLayer is a number for layers of a kind, and another for the rest.
func everyLayer(kinds []bool, yes, no int) []int {
	out := make([]int, len(kinds))
	for i, k := range kinds {
		out[i] = no
		if k {
			out[i] = yes
		}
	}
	return out
}

// noScaling says that angles are not stretched, whatever else config.json has.
func (p *params) noScaling() { p.set("rope.scaling.type", gguf.String("none")) }

// sections writes how many pairs turn with time, height and width.
func (p *params) sections() {
	r := p.rope()
	s := r.ints("mrope_section")
	p.keep(r)
	if len(s) == 0 {
		return
	}
	p.rotarySections(s...)
}

// rotarySections writes four of them.
func (p *params) rotarySections(s ...int) {
	out := make([]int32, 4)
	for i, n := range s[:min(len(s), 4)] {
		out[i] = int32(n)
	}
	p.set("rope.dimension_sections", gguf.Int32s(out))
}
