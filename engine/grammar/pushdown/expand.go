package pushdown

import "github.com/llamakit/llamakit/engine/grammar/rx"

// expand adds the threads of e followed by then. It stops early when the work is too much, which finish reports.
func (b *Builder) expand(e Expr, then *stacks) {
	v := visit{e, then}
	if b.work++; b.work > maxWork || b.seen[v] {
		return
	}
	b.seen[v] = true
	switch n := &b.nodes[e]; n.kind {
	case kindEmpty:
		b.pop(then)
	case kindTerm:
		b.add(n.term, then)
	case kindCat:
		b.expand(n.a, b.push(n.b, then))
	case kindAlt:
		for _, x := range n.list {
			b.expand(x, then)
		}
	case kindRepeat:
		if n.min == 0 {
			b.pop(then)
		}
		rest := int(n.max)
		if n.max != rx.Unbounded {
			rest--
		}
		body, again := n.a, b.Repeat(n.a, int(max(n.min-1, 0)), rest) // may move b.nodes
		b.expand(body, b.push(again, then))
	case kindCall:
		b.expand(b.bodies[n.rule], then)
	case kindLazy:
		b.expand(b.expanded(e), then)
	}
}

// pop goes on with what follows, or ends.
func (b *Builder) pop(s *stacks) {
	if s.end {
		b.final = true
	}
	for _, f := range s.frames {
		b.expand(f.next, f.below)
	}
}

func (b *Builder) expanded(e Expr) Expr {
	if b.nodes[e].expanded == 0 {
		l := b.nodes[e].lazy
		x := l.source.Expand(b, l.at)
		if x == Nothing {
			return Nothing
		}
		b.nodes[e].expanded = x
	}
	return b.nodes[e].expanded
}
