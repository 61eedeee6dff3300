package rx

type life uint8

const (
	unknown life = iota
	alive
	dead
)

// searchLimit bounds the search for an end, in states. Beyond it an expression counts as dead: that can only refuse a text
// that should be accepted, never the reverse.
const searchLimit = 20_000

// Alive reports whether e matches any text at all. Plain expressions do unless they are Nothing; with intersections and
// complements an end has to be searched.
func (a *Arena) Alive(e ID) bool {
	if e == Nothing {
		return false
	}
	if n := &a.nodes[e]; n.plain || n.nullable || n.free > 0 {
		return true
	}
	if a.life[e] == unknown {
		a.search(e)
	}
	return a.life[e] == alive
}

// search walks from e until it finds an end, and notes what it learnt of the states on the way.
func (a *Arena) search(e ID) {
	from := map[ID]ID{e: e}
	todo := []ID{e}
	for len(todo) > 0 && len(from) < searchLimit {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for c := len(a.classes.first) - 1; c >= 0; c-- {
			d := a.derive(s, a.classes.first[c])
			if _, seen := from[d]; seen || d == Nothing || a.life[d] == dead {
				continue
			}
			if n := &a.nodes[d]; n.plain || n.nullable || n.free > 0 || a.life[d] == alive {
				for a.life[s] = alive; s != from[s]; a.life[s] = alive {
					s = from[s]
				}
				return
			}
			from[d] = s
			todo = append(todo, d)
		}
	}
	if len(todo) > 0 {
		a.life[e] = dead
		return
	}
	for s := range from {
		a.life[s] = dead
	}
}

// Disjoint reports whether x and y surely have no text in common.
func (a *Arena) Disjoint(x, y ID) bool { return !a.Alive(a.And(x, y)) }
