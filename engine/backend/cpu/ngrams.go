package cpu

import (
	"github.com/llamakit/llamakit/engine/backend"
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/formats/quant"
)

// ngrams is the step of graph.NGrams. Its state has the tokens before the next one, the newest first.
type ngrams struct {
	op  *graph.NGrams
	mem *states
}

func (p *program) addNGrams(op *graph.NGrams) {
	s := &ngrams{op, p.states}
	p.steps = append(p.steps, &recurrence{1, s.run})
}

func (s *ngrams) run(r *run, _ int, span *backend.Span, _ int) {
	past := s.mem.of(s.op.State, span, 0, s.op.Longest-1)
	if span.Past == 0 {
		for i := range past {
			past[i] = float32(s.op.Separator)
		}
	}
	for i := span.Row; i < span.Row+span.N; i++ {
		s.lookUp(r.row(s.op.Dst, i), r.Tokens[i], past)
		copy(past[1:], past)
		past[0] = float32(r.Tokens[i])
	}
}

// lookUp writes the rows of the n-grams that end with a token.
func (s *ngrams) lookUp(dst []float32, token int32, past []float32) {
	width := s.op.W.In
	hash := uint64(token) * uint64(s.op.Multipliers[0])
	separated := false
	for n, t := range past {
		separated = separated || int32(t) == s.op.Separator
		if separated {
			t = float32(s.op.Separator)
		}
		hash ^= uint64(int32(t)) * uint64(s.op.Multipliers[n+1])
		for h := range s.op.Heads {
			i := n*s.op.Heads + h
			row := s.op.Offsets[i] + int64(hash%uint64(s.op.Rows[i]))
			quant.Decode(s.op.W.Type, dst[i*width:(i+1)*width], s.op.W.Row(int(row)))
		}
	}
}
