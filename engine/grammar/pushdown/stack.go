package pushdown

import (
	"encoding/binary"
	"slices"
)

// stacks is a set of stacks, as a tree read from the top. Equal sets are the same pointer.
type stacks struct {
	id     int32
	end    bool    // the empty stack is one of them: the text may end
	frames []frame // by rising next
}

// frame is the stacks with next on top.
type frame struct {
	next  Expr
	below *stacks
}

// push returns the stacks of below with next on top.
func (m *machine) push(next Expr, below *stacks) *stacks {
	if next == Empty {
		return below
	}
	return m.internStacks(false, []frame{{next, below}})
}

// union returns the stacks that are in x or in y.
func (m *machine) union(x, y *stacks) *stacks {
	if x == y {
		return x
	}
	if x.id > y.id {
		x, y = y, x
	}
	pair := [2]int32{x.id, y.id}
	if u, ok := m.unions[pair]; ok {
		return u
	}
	m.work++
	var out []frame
	i, j := 0, 0
	for i < len(x.frames) && j < len(y.frames) {
		switch f, g := x.frames[i], y.frames[j]; {
		case f.next < g.next:
			out = append(out, f)
			i++
		case f.next > g.next:
			out = append(out, g)
			j++
		default:
			out = append(out, frame{f.next, m.union(f.below, g.below)})
			i, j = i+1, j+1
		}
	}
	out = append(append(out, x.frames[i:]...), y.frames[j:]...)
	u := m.internStacks(x.end || y.end, out)
	m.unions[pair] = u
	return u
}

func (m *machine) internStacks(end bool, frames []frame) *stacks {
	k := m.key[:0]
	if end {
		k = append(k, 1)
	}
	for _, f := range frames {
		k = binary.LittleEndian.AppendUint32(k, uint32(f.next))
		k = binary.LittleEndian.AppendUint32(k, uint32(f.below.id))
	}
	m.key = k
	s, ok := m.stacks[string(k)]
	if !ok {
		m.lastID++
		s = &stacks{id: m.lastID, end: end, frames: slices.Clone(frames)}
		m.stacks[string(k)] = s
	}
	return s
}
