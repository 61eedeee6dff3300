package arch

import (
	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// ChatGLM 3 and GLM-4-9B (arXiv:2406.12793): the plain decoder with rotary pairs (2i, 2i+1) on a part of each head, and the two
// matrices of SwiGLU in one tensor.

func newChatGLM(s *source) architecture {
	ffn := func(i int) blocks.FFN { return s.fusedGLU(i, graph.SiLU) }
	return s.decoder(s.rope(graph.RopeNorm, nil), ffn)
}

func init() { register("chatglm", newChatGLM) }
