package rx

type life uint8

const (
	unknown life = iota
	alive
	dead
)

// Limits of the searches for an end, in derivatives. Beyond them an expression counts as dead, and TooLarge says so: that
// can only refuse a text that should be accepted, never the reverse.
const (
	searchLimit = 50_000  // of one search
	searchTotal = 500_000 // of all
)

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

// visit is a state on the way of a search, and the class of bytes to try next.
type visit struct {
	e    ID
	next int
}

// search walks from e, depth first, until it finds an end, and notes what it learnt of the states on the way.
func (a *Arena) search(e ID) {
	path := []visit{{e: e}}
	seen := map[ID]bool{e: true}
	for steps := 0; len(path) > 0; steps++ {
		if steps == searchLimit || a.searched == searchTotal {
			a.life[e], a.tooLarge = dead, true
			return
		}
		v := &path[len(path)-1]
		if v.next == len(a.classes.first) {
			path = path[:len(path)-1]
			continue
		}
		a.searched++
		d := a.derive(v.e, a.classes.first[v.next])
		v.next++
		if d == Nothing || seen[d] || a.life[d] == dead {
			continue
		}
		if n := &a.nodes[d]; n.plain || n.nullable || n.free > 0 || a.life[d] == alive {
			for _, v := range path {
				a.life[v.e] = alive
			}
			return
		}
		seen[d] = true
		path = append(path, visit{e: d})
	}
	for s := range seen {
		a.life[s] = dead
	}
}
