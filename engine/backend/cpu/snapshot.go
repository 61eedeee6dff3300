package cpu

import "github.com/llamakit/llamakit/engine/kv"

// PageBytes is the size of a page in all layers; see backend.Snapshots.
func (p *program) PageBytes() int {
	n := 0
	p.cache.each(func(b *block) { n += b.heads * b.slots * b.row })
	return n
}

// ReadPage copies the first tokens of a page to their places in dst.
func (p *program) ReadPage(dst []byte, page kv.Page, tokens int) {
	p.cache.each(func(b *block) {
		for h := range b.heads {
			b.readRows(dst, page, h, b.rows(tokens))
			dst = dst[b.slots*b.row:]
		}
	})
}

// WritePage sets the first tokens of a page to what ReadPage gave.
func (p *program) WritePage(page kv.Page, tokens int, src []byte) {
	p.cache.each(func(b *block) {
		for h := range b.heads {
			b.writeRows(page, h, b.rows(tokens), src)
			src = src[b.slots*b.row:]
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
