package arch

import (
	"fmt"

	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/formats/gguf"
)

// GPT-2 (Radford et al. 2019, Language Models are Unsupervised Multitask Learners) and StarCoder (arXiv:2305.06161): the plain
// decoder with LayerNorm and an MLP with GELU, biases everywhere, and learned position embeddings instead of rotary ones.
// StarCoder has one key head for all queries.

type gpt2 struct {
	*decoder
	positions *graph.Weight // (TrainContext rows of NEmbd)
}

func newGPT2(s *source) architecture {
	s.norm = s.layerNorm
	return &gpt2{s.decoder(nil, s.mlp(graph.GELU)), s.positions()}
}

// positions binds learned position embeddings. A sequence cannot be longer than there are.
func (s *source) positions() *graph.Weight {
	if s.Context > s.TrainContext {
		s.fail(fmt.Errorf("%w: a context of %d tokens; the model has learned %d positions", gguf.ErrUnsupported, s.Context, s.TrainContext))
	}
	return s.matrix("position_embd.weight", s.NEmbd, s.TrainContext)
}

func (m *gpt2) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	if i == 0 {
		x = b.Name(b.Add(x, b.EmbedPosition(m.positions)), "inpL")
	}
	return m.decoder.block(b, x, i)
}

func (m *gpt2) forward() *graph.Graph { return m.run(len(m.layers), m.block) }

func init() {
	register("gpt2", newGPT2)
	register("starcoder", newGPT2)
}
