package arch

import (
	"math"

	"github.com/llamakit/llamakit/engine/graph"
)

// Qwen3-TTS, the talker (arXiv:2601.15621): qwen3 over a vocabulary of text tokens and, after them, the codes of speech. Codes alone
// come out: the output matrix has no rows for the others, whose logits are minus infinity.

type qwen3TTS struct {
	*qwen3
	vocab int
}

func newQwen3TTS(s *source) architecture {
	if out, ok := s.file.Tensor("output.weight"); ok && len(out.Shape) == 2 && out.Shape[1] < s.NVocab {
		s.NOutput = out.Shape[1]
	}
	return &qwen3TTS{s.qwen3(s.swiGLU(unscaled)), s.NVocab}
}

func (m *qwen3TTS) forward() *graph.Graph {
	b := &graph.Builder{}
	x := b.Name(b.Embed(m.embd), "inp_embd")
	for i := range m.layers {
		b.SetLayer(i)
		x = m.block(b, x, i)
	}
	hidden, codes := m.finish(b, x)
	if codes.Width == m.vocab {
		return b.Finish(hidden, codes)
	}
	return b.Finish(hidden, b.Name(b.Pad(codes, m.vocab, float32(math.Inf(-1))), "result_output_padded"))
}

func init() { register("qwen3tts", newQwen3TTS) }
