package grammar

import "github.com/llamakit/llamakit/engine/grammar/pushdown"

// Limits of a mask, and of the masks that a grammar remembers.
const (
	maxSteps    = 300_000  // of the automaton that were not known
	maxRemember = 64 << 20 // bytes
)

// tokens is the mask of a state without the end: a base that belongs to the vocabulary, and what is beside it.
type tokens struct {
	v    *Vocabulary
	base Mask
	more []Token
	next *tokens // for another vocabulary
}

func (g *Grammar) mask(s *pushdown.State, v *Vocabulary, dst Mask) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	known, _ := s.Masks.(*tokens)
	for t := known; t != nil; t = t.next {
		if t.v == v {
			t.write(dst)
			return nil
		}
	}
	t := &tokens{v: v, next: known}
	if err := g.walk(s, t); err != nil {
		return err
	}
	if err := g.walkTokens(s, t); err != nil {
		return err
	}
	if len(t.more) > v.size/32 { // a bit set is smaller
		full := NewMask(v.size)
		t.write(full)
		t.base, t.more = full, nil
		g.remember += len(full) * 8
	}
	if g.remember += cap(t.more) * 4; g.remember > maxRemember {
		g.builder.Forget()
		g.remember = 0
	}
	s.Masks = t
	t.write(dst)
	return nil
}

func (t *tokens) write(dst Mask) {
	copy(dst, t.base)
	for _, id := range t.more {
		dst.Add(id)
	}
}

// walk goes through the trie with the automaton from s. Subtrees of plain characters are in the base, or else need
// no walk where a state takes any of them.
func (g *Grammar) walk(s *pushdown.State, t *tokens) error {
	free := uint8(min(s.Free(), maxPlain))
	nodes := t.v.trie(int(free))
	t.base = t.v.plain[free]
	limit := g.builder.Steps() + maxSteps
	path := make([]*pushdown.State, 1, 64)
	path[0] = s
	for i := int32(0); int(i) < len(nodes); {
		n := &nodes[i]
		if n.plain <= free || n.char == pushdown.TokenByte {
			i = n.end
			continue
		}
		next, err := g.builder.Step(path[n.depth], n.char)
		switch {
		case err != nil:
			return err
		case next == nil:
			i = n.end
			continue
		case g.builder.Steps() > limit:
			return pushdown.ErrTooComplex
		case int(n.ahead) <= min(next.Free(), maxPlain):
			t.add(n.from, n.last)
			i = n.end
			continue
		}
		t.add(n.from, n.own)
		path = append(path[:n.depth+1], next)
		i++
	}
	return nil
}

// add adds the tokens from one place of the order up to another.
func (t *tokens) add(from, to int32) {
	t.more = append(t.more, t.v.order[from:to]...)
}
