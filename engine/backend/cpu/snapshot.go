package cpu

import "github.com/llamakit/llamakit/engine/kv"

// TokenBytes is what the cache holds of one token; see backend.Snapshots.
func (p *program) TokenBytes() int {
	n := 0
	p.cache.each(func(b *block) { n += b.heads * b.row })
	return n
}

// ReadPage copies the first tokens of a page to dst.
func (p *program) ReadPage(dst []byte, page kv.Page, tokens int) {
	p.cache.each(func(b *block) {
		for h := range b.heads {
			dst = dst[copy(dst, b.head(page, h)[:tokens*b.row]):]
		}
	})
}

// WritePage sets the first tokens of a page to what ReadPage gave.
func (p *program) WritePage(page kv.Page, tokens int, src []byte) {
	p.cache.each(func(b *block) {
		for h := range b.heads {
			src = src[copy(b.head(page, h)[:tokens*b.row], src):]
		}
	})
}

// StateBytes is the size of a recurrent state; 0: the model has none.
func (p *program) StateBytes() int {
	n := 0
	for _, size := range p.states.size {
		n += 4 * size
	}
	return n
}

// ReadState copies a recurrent state to dst.
func (p *program) ReadState(dst []byte, slot kv.Slot) {
	for i, n := range p.states.size {
		dst = dst[copy(dst, float32Bytes(p.states.data[i][int(slot)*n:int(slot+1)*n])):]
	}
}

// WriteState sets a recurrent state to what ReadState gave.
func (p *program) WriteState(slot kv.Slot, src []byte) {
	for i, n := range p.states.size {
		src = src[copy(float32Bytes(p.states.data[i][int(slot)*n:int(slot+1)*n]), src):]
	}
}

// each visits keys and values of all layers.
func (c *cache) each(visit func(b *block)) {
	for i := range c.layers {
		visit(&c.layers[i].k)
		visit(&c.layers[i].v)
	}
}
