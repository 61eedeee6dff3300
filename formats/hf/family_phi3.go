package hf

import "math"

func init() {
	register(&Family{Arch: "phi3", Classes: []string{"Phi3ForCausalLM"}, Params: phi3Params, Extra: phi3Longrope,
		Rules: rules(decoderRules, map[string]rule{
			layer + "self_attn.qkv_proj": {to: "blk.{}.attn_qkv"},
			layer + "mlp.gate_up_proj":   {to: "blk.{}.ffn_up"},
		})})
}

// phi3Params has no rope.scaling.type: the two sets of divisors say all.
func phi3Params(p *params) {
	p.usual()
	p.md.Delete(p.arch + ".rope.scaling.type")
	p.u32("rope.dimension_count", p.phi3RotaryDims())
	r := p.rope()
	p.u32("rope.scaling.original_context_length", r.IntOr(p.Int("max_position_embeddings"), "original_max_position_embeddings"))
	p.u32("attention.sliding_window", p.IntOr(0, "sliding_window"))
	p.keep(r)
}

// phi3RotaryDims is how many values of a head are rotated.
func (p *params) phi3RotaryDims() int {
	r := p.rope()
	dims := int(r.FloatOr(1, "partial_rotary_factor")*float64(p.Int("hidden_size"))) / max(1, headsQ(p.Config))
	p.keep(r)
	return dims
}

// phi3Longrope adds longrope's two sets of divisors, and the factor of cosines and sines that goes with them.
func phi3Longrope(p *params) {
	r := p.rope()
	long, short := r.floats("long_factor"), r.floats("short_factor")
	p.keep(r)
	if len(long) == 0 {
		return
	}
	if want := p.phi3RotaryDims() / 2; len(long) != want || len(short) != want {
		p.fail("long_factor has %d numbers and short_factor %d, want %d", len(long), len(short), want)
	}
	p.f32("rope.scaling.attn_factor", p.longropeFactor(r))
	p.keep(r)
	p.add("rope_factors_long.weight", long)
	p.add("rope_factors_short.weight", short)
}

// longropeFactor makes up for the longer context: by LongRoPE's rule, or by YaRN's.
func (p *params) longropeFactor(r *Config) float64 {
	longest := float64(p.Int("max_position_embeddings"))
	original := r.FloatOr(longest, "original_max_position_embeddings")
	scale := longest / original
	switch kind := r.Str("rope_type"); kind {
	case "su", "longrope":
		if scale > 1 {
			return math.Sqrt(1 + math.Log(scale)/math.Log(original))
		}
	case "yarn":
		if scale > 1 {
			return 0.1*math.Log(scale) + 1
		}
	default:
		p.fail("rope_type %q with long_factor is not known", kind)
	}
	return 1
}
