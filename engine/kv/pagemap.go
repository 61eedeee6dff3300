package kv

// PageState is what a page is for.
type PageState byte

// The states of a page.
const (
	PageFree   PageState = '.'
	PageCached PageState = 'c' // computed tokens that no sequence uses now
	PageUsed   PageState = 'u' // by one sequence
	PageShared PageState = 's' // by more than one
)

// Map writes the state of every page, by number, into dst, which grows as needed.
func (p *Pool) Map(dst []PageState) []PageState {
	dst = append(dst[:0], make([]PageState, p.total)...)
	for i := range dst {
		dst[i] = PageUsed // of a sequence that has not filled it, unless it is found below
	}
	for _, page := range p.free {
		dst[page] = PageFree
	}
	p.root.walk(func(n *node) {
		switch {
		case n.refs == 0:
			dst[n.page] = PageCached
		case n.refs > 1:
			dst[n.page] = PageShared
		}
	})
	return dst
}
