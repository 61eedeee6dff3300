package cpu

import (
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/engine/kv"
)

// store is the step that puts rows of keys, and of values, into the cache: where a layer keeps one a block of tokens, those that end
// a block.
type store struct {
	cache        *layerCache
	k, v         *graph.Tensor // v may be nil
	turnK, turnV *turn         // nil: not turned
	work         []storeScratch
}

type storeScratch struct {
	row   []float32 // turned
	acts  []byte
	fixed []int16 // of a head
}

// addStore adds the step. Turned keys need turned queries.
func (p *program) addStore(c *layerCache, k, v *graph.Tensor, turned bool) {
	s := &store{cache: c, k: k, v: v}
	if turned {
		s.turnK, s.turnV = p.turnFor(&c.k), p.turnFor(&c.v)
	}
	for range p.crew.n {
		s.work = append(s.work, storeScratch{row: p.floats(max(s.width(s.turnK, k), s.width(s.turnV, v))),
			acts:  p.bytes(max(s.turnK.actBytes(s.width(s.turnK, k)), s.turnV.actBytes(s.width(s.turnV, v)))),
			fixed: take[int16](&p.scratch, max(c.k.fixedDim(), c.v.fixedDim()))})
	}
	p.steps = append(p.steps, s)
}

// width is the columns of x, if they are turned.
func (s *store) width(t *turn, x *graph.Tensor) int {
	if t == nil || x == nil {
		return 0
	}
	return x.Width
}

func (s *store) parts(r *run) int { return chunks(r.rows(s.k), rowsAPart) }

func (s *store) do(r *run, worker, part int) {
	if s.cache.k.fixed != nil {
		s.doFixed(r, worker, part)
		return
	}
	for i := part * rowsAPart; i < min((part+1)*rowsAPart, r.rows(s.k)); i++ {
		pos := int(r.pos[i])
		if (pos+1)%s.cache.k.ratio != 0 {
			continue
		}
		page, slot := s.cache.k.place(r.Spans[r.span[i]].Pages, pos/s.cache.k.ratio)
		w := &s.work[worker]
		w.put(&s.cache.k, s.turnK, page, slot, r.row(s.k, i))
		if s.v != nil {
			w.put(&s.cache.v, s.turnV, page, slot, r.row(s.v, i))
		}
	}
}

// doFixed goes head by head, since a head's keys in a page have a word in each of many lines of the cache.
func (s *store) doFixed(r *run, worker, part int) {
	row := s.work[worker].fixed
	for h := range s.cache.HeadsKV {
		for i := part * rowsAPart; i < min((part+1)*rowsAPart, r.rows(s.k)); i++ {
			page, slot := s.cache.k.place(r.Spans[r.span[i]].Pages, int(r.pos[i]))
			s.cache.k.storeFixed(page, h, slot, r.row(s.k, i), row)
			s.cache.v.storeFixed(page, h, slot, r.row(s.v, i), row)
		}
	}
}

func (w *storeScratch) put(b *block, t *turn, page kv.Page, slot int, x []float32) {
	if t != nil {
		t.row(w.row[:len(x)], x, w.acts)
		x = w.row[:len(x)]
	}
	b.store(page, slot, x)
}
