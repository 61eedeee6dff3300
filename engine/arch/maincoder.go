package arch

import "github.com/llamakit/llamakit/engine/graph"

// Maincoder (model card of Maincode/Maincoder-1B): hunyuan, norms after the rotation, with rotary pairs (2i, 2i+1).

type maincoder struct{ *hunyuan }

func newMaincoder(s *source) architecture {
	return &maincoder{s.hunyuan(s.rope(graph.RopeNorm, nil), s.swiGLU(unscaled))}
}

func init() { register("maincoder", newMaincoder) }
