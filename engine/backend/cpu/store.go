package cpu

import (
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/engine/kv"
)

// store is the step that puts rows of keys, or of values, into the cache: where a layer keeps one a block of tokens, those that end
// a block.
type store struct {
	block *block
	x     *graph.Tensor
	turn  *turn // nil: not turned
	work  []storeScratch
}

type storeScratch struct {
	row   []float32 // turned
	acts  []byte
	fixed []int16 // of a head
}

// addStore adds the step.
func (p *program) addStore(b *block, x *graph.Tensor, turn *turn) {
	s := &store{block: b, x: x, turn: turn}
	for range p.crew.n {
		var w storeScratch
		if turn != nil {
			w.row, w.acts = p.floats(x.Width), p.bytes(turn.actBytes(x.Width))
		}
		if b.fixed != nil {
			w.fixed = take[int16](&p.scratch, b.dim)
		}
		s.work = append(s.work, w)
	}
	p.steps = append(p.steps, s)
}

func (s *store) parts(r *run) int { return chunks(r.rows(s.x), rowsAPart) }

func (s *store) do(r *run, worker, part int) {
	w := &s.work[worker]
	from, to := part*rowsAPart, min((part+1)*rowsAPart, r.rows(s.x))
	if s.block.fixed != nil {
		s.storeFixed(r, w, from, to)
		return
	}
	for i := from; i < to; i++ {
		if (int(r.pos[i])+1)%s.block.ratio == 0 {
			page, slot := s.place(r, i)
			s.block.store(page, slot, s.turned(w, r.row(s.x, i)))
		}
	}
}

// place is where row i of the batch goes.
func (s *store) place(r *run, i int) (page kv.Page, slot int) {
	return s.block.place(r.Spans[r.span[i]].Pages, int(r.pos[i])/s.block.ratio)
}

func (s *store) turned(w *storeScratch, x []float32) []float32 {
	if s.turn == nil {
		return x
	}
	s.turn.row(w.row, x, w.acts)
	return w.row
}

// storeFixed stores head by head, since a row has a word in each of many lines of its head's page.
func (s *store) storeFixed(r *run, w *storeScratch, from, to int) {
	for h := range s.block.heads {
		for i := from; i < to; i++ {
			page, slot := s.place(r, i)
			s.block.storeFixed(page, h, slot, r.row(s.x, i), w.fixed)
		}
	}
}
