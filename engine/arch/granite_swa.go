package arch

import "github.com/llamakit/llamakit/engine/graph"

// Granite with sliding windows (GraniteSWAForCausalLM): granite in which most layers slide, attention has sinks, and
// attention.rope_pattern says which layers are rotated.

type graniteSWA struct {
	*granite
	windows []int       // by layer; 0: none
	rotated []bool      // by layer
	sinks   [][]float32 // by layer; (NHead), nil: none
}

func newGraniteSWA(s *source) architecture {
	m := &graniteSWA{granite: s.granite(), windows: s.windows(4), rotated: s.ropePattern()}
	for i := range s.NLayer {
		m.sinks = append(m.sinks, s.vectorOr(name(i, "attn_sinks.weight"), s.NHead))
	}
	return m
}

// ropePattern says which layers are rotated: an array of flags, or one for all; without the key, all.
func (s *source) ropePattern() []bool {
	v, ok := s.file.Metadata.Get(s.arch + ".attention.rope_pattern")
	flags, isArray := flagSlice(v)
	n, isNumber := v.Int()
	out := make([]bool, s.NLayer)
	for i := range out {
		out[i] = !ok || isArray && i < len(flags) && flags[i] || isNumber && n != 0
	}
	return out
}

func (m *graniteSWA) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	rope := m.rope
	if !m.rotated[i] {
		rope = nil
	}
	spec := m.attn
	spec.Window, spec.Sinks = m.windows[i], m.sinks[i]
	return m.layer(b, x, i, rope, spec)
}

func (m *graniteSWA) forward() *graph.Graph { return m.record(m.block) }

func init() { register("granite_swa", newGraniteSWA) }
