package cpu

import (
	"github.com/llamakit/llamakit/engine/backend"
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/engine/kv"
)

// states is the memory of recurrent layers: for each op that keeps a state, one array with a state a slot. Its ops work on the
// rows of one sequence in order, reading and writing the slot of the span, and cut their work by channels or heads, which do
// not see one another.
type states struct {
	size []int // values a slot, by op
	data [][]float32
}

func newStates(list []graph.State, slots int, m *memory) *states {
	s := &states{}
	for _, l := range list {
		s.size = append(s.size, l.Size)
		s.data = append(s.data, take[float32](m, l.Size*slots))
	}
	return s
}

// of returns the values [from, to) that op i keeps for the sequence of a span. Before the first token they are zeros.
func (s *states) of(i int, span *backend.Span, from, to int) []float32 {
	at := int(span.State) * s.size[i]
	state := s.data[i][at+from : at+to : at+to]
	if span.Past == 0 {
		clear(state)
	}
	return state
}

func (s *states) copy(c kv.StateCopy) {
	for i, n := range s.size {
		copy(s.data[i][int(c.To)*n:int(c.To+1)*n], s.data[i][int(c.From)*n:])
	}
}

// recurrence is a step that goes through each sequence's rows in order. A part is one block of channels of one span.
type recurrence struct {
	blocks int
	run    func(r *run, worker int, span *backend.Span, block int)
}

func (s *recurrence) parts(r *run) int { return len(r.Spans) * s.blocks }

func (s *recurrence) do(r *run, worker, part int) {
	s.run(r, worker, &r.Spans[part/s.blocks], part%s.blocks)
}

// perWorker allocates n values of scratch memory for each worker.
func (p *program) perWorker(n int) [][]float32 {
	var out [][]float32
	for range p.crew.n {
		out = append(out, p.floats(n))
	}
	return out
}
