package vocab

import (
	"cmp"
	"iter"
	"slices"
	"sort"
)

// markers finds special tokens in a text.
//
// The tokens are taken in order of length, the longest first, and each takes every place where it stands in what the ones
// before it left over. That is not the same as taking the longest at each place from left to right, so the places are
// collected first, in one walk over the text, and then handed out in that order. Time is linear in the text and the places,
// whatever the number of tokens.
type markers struct {
	list   []marker    // in the order in which they are taken: the longest first, then by number
	sorted []uint32    // indices of list, by text
	first  [256][2]int // the range of sorted that begins with a byte
}

// A marker is a special token.
type marker struct {
	text  string
	token Token
	attr  attr
}

// A part is a piece of text, or a special token in it.
type part struct {
	text  string
	token Token // None for text
}

// A place is where a marker, an index of list, stands.
type place struct{ marker, from uint32 }

func newMarkers(v *Vocab) *markers {
	m := &markers{}
	for i, w := range v.words {
		if w.attr.has(Control, UserDefined, Unknown) {
			m.list = append(m.list, marker{text: w.text, token: Token(i), attr: w.attr})
		}
	}
	slices.SortStableFunc(m.list, func(a, b marker) int { return cmp.Compare(len(b.text), len(a.text)) })
	for i := range m.list {
		m.sorted = append(m.sorted, uint32(i))
	}
	slices.SortFunc(m.sorted, func(a, b uint32) int { return cmp.Compare(m.list[a].text, m.list[b].text) })
	for b := range m.first {
		m.first[b] = m.narrow([2]int{0, len(m.sorted)}, 0, byte(b))
	}
	return m
}

// narrow returns the part of the range r of sorted, whose texts agree in the bytes before depth, that has b there.
func (m *markers) narrow(r [2]int, depth int, b byte) [2]int {
	at := func(i int) byte { return m.list[m.sorted[r[0]+i]].text[depth] }
	n := r[1] - r[0]
	from := sort.Search(n, func(i int) bool { return at(i) >= b })
	to := from + sort.Search(n-from, func(i int) bool { return at(from+i) > b })
	return [2]int{r[0] + from, r[0] + to}
}

// split walks the parts of text. Control and unknown tokens are looked for only with special, and not across barriers.
func (m *markers) split(text string, special bool, barriers []int) iter.Seq[part] {
	return func(yield func(part) bool) {
		places := m.within(m.places(text, special), barriers)
		if len(places) == 0 {
			if text != "" {
				yield(part{text, None})
			}
			return
		}
		plan := m.choose(text, places)
		for i := 0; i < len(text); {
			from := i
			for i < len(text) && plan[i] == free {
				i++
			}
			if from < i && !yield(part{text[from:i], None}) {
				return
			}
			for i < len(text) && plan[i] == gone {
				i++
			}
			if i < len(text) && plan[i] >= begins {
				k := &m.list[plan[i]-begins]
				if !yield(part{token: k.token}) {
					return
				}
				i += len(k.text)
			}
		}
	}
}

// within leaves out the control tokens that reach over a barrier.
func (m *markers) within(places []place, barriers []int) []place {
	if len(barriers) == 0 {
		return places
	}
	return slices.DeleteFunc(places, func(p place) bool {
		k, from := &m.list[p.marker], int(p.from)
		i, _ := slices.BinarySearch(barriers, from+1)
		return k.attr.has(Control, Unknown) && i < len(barriers) && barriers[i] < from+len(k.text)
	})
}

// places lists where special tokens stand, in the order of the list and then from left to right.
func (m *markers) places(text string, special bool) []place {
	var found []place
	for i := range len(text) {
		if m.first[text[i]][0] < m.first[text[i]][1] {
			found = m.placesAt(found, text, i, special)
		}
	}
	if len(found) < 2 {
		return found
	}
	next := make([]int, len(m.list)+1) // counting sort: where the next place of a marker goes
	for _, p := range found {
		next[p.marker+1]++
	}
	for i := range m.list {
		next[i+1] += next[i]
	}
	sorted := make([]place, len(found))
	for _, p := range found {
		sorted[next[p.marker]] = p
		next[p.marker]++
	}
	return sorted
}

// placesAt appends the tokens that stand at text[i:].
func (m *markers) placesAt(found []place, text string, i int, special bool) []place {
	r := m.first[text[i]]
	for depth := 1; r[0] < r[1]; depth++ {
		if k := &m.list[m.sorted[r[0]]]; len(k.text) == depth { // the shortest sorts before what it begins
			if special || !k.attr.has(Control, Unknown) {
				found = append(found, place{m.sorted[r[0]], uint32(i)})
			}
			r[0]++
		}
		if i+depth >= len(text) {
			break
		}
		r = m.narrow(r, depth, text[i+depth])
	}
	return found
}

// What a plan says of a byte.
const (
	free   = iota // it is text
	gone          // it is part of a special token, or white space that one swallowed
	begins        // with the index of a marker added: that token begins here
)

// choose hands out the places and returns the plan of the text. Nothing shorter is given before a place, so that it is free
// when its ends are.
func (m *markers) choose(text string, places []place) (plan []uint32) {
	plan = make([]uint32, len(text))
	for _, p := range places {
		k := &m.list[p.marker]
		from, to := int(p.from), int(p.from)+len(k.text)
		if plan[from] != free || plan[to-1] != free {
			continue
		}
		for i := from; i < to; i++ {
			plan[i] = gone
		}
		plan[from] = begins + p.marker
		if k.attr&attrLStrip != 0 {
			for i := from - 1; i >= 0 && plan[i] == free && isCSpace(text[i]); i-- {
				plan[i] = gone
			}
		}
		if k.attr&attrRStrip != 0 {
			for i := to; i < len(text) && plan[i] == free && isCSpace(text[i]); i++ {
				plan[i] = gone
			}
		}
	}
	return plan
}

// isCSpace is C's isspace.
func isCSpace(b byte) bool { return b == ' ' || b >= '\t' && b <= '\r' }
