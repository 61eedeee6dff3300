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
	list  []marker    // sorted by text
	first [256][2]int // the range of list that begins with a byte
}

// A marker is a special token.
type marker struct {
	text  string
	token Token
	attr  attr
	order int // the longest first, then by number
}

// A part is a piece of text, or a special token in it.
type part struct {
	text  string
	token Token // None for text
}

// A place is one where a special token stands, at byte from.
type place struct {
	*marker
	from int
}

func (p place) to() int { return p.from + len(p.text) }

func newMarkers(v *Vocab) *markers {
	m := &markers{}
	for i, w := range v.words {
		if w.attr.has(Control, UserDefined, Unknown) {
			m.list = append(m.list, marker{text: w.text, token: Token(i), attr: w.attr})
		}
	}
	slices.SortStableFunc(m.list, func(a, b marker) int { return cmp.Compare(len(b.text), len(a.text)) })
	for i := range m.list {
		m.list[i].order = i
	}
	slices.SortFunc(m.list, func(a, b marker) int { return cmp.Compare(a.text, b.text) })
	for b := range m.first {
		m.first[b] = narrow(m.list, 0, len(m.list), 0, byte(b))
	}
	return m
}

// narrow returns the part of list[lo:hi], whose texts agree in the bytes before depth, that has b there.
func narrow(list []marker, lo, hi, depth int, b byte) [2]int {
	from := lo + sort.Search(hi-lo, func(i int) bool { return list[lo+i].text[depth] >= b })
	to := from + sort.Search(hi-from, func(i int) bool { return list[from+i].text[depth] > b })
	return [2]int{from, to}
}

// split walks the parts of text. Control and unknown tokens are looked for only with special.
func (m *markers) split(text string, special bool) iter.Seq[part] {
	return func(yield func(part) bool) {
		taken, chosen := m.choose(text, m.places(text, special))
		at := 0
		for _, p := range chosen {
			for at < p.from && taken[at] { // white space that a token swallowed
				at++
			}
			end := p.from
			for end > at && taken[end-1] {
				end--
			}
			if at < end && !yield(part{text[at:end], None}) {
				return
			}
			if !yield(part{token: p.token}) {
				return
			}
			at = p.to()
		}
		for at < len(text) && taken != nil && taken[at] {
			at++
		}
		if at < len(text) {
			yield(part{text[at:], None})
		}
	}
}

// places lists where special tokens stand, by order and then from left to right.
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
	next := make([]int, len(m.list)+1) // counting sort: where the next place of an order goes
	for _, p := range found {
		next[p.order+1]++
	}
	for i := range m.list {
		next[i+1] += next[i]
	}
	sorted := make([]place, len(found))
	for _, p := range found {
		sorted[next[p.order]] = p
		next[p.order]++
	}
	return sorted
}

// placesAt appends the tokens that stand at text[i:].
func (m *markers) placesAt(found []place, text string, i int, special bool) []place {
	r := m.first[text[i]]
	for depth := 1; r[0] < r[1]; depth++ {
		k := &m.list[r[0]]
		if len(k.text) == depth { // the shortest sorts before what it begins
			if special || !k.attr.has(Control, Unknown) {
				found = append(found, place{k, i})
			}
			r[0]++
		}
		if i+depth >= len(text) {
			break
		}
		r = narrow(m.list, r[0], r[1], depth, text[i+depth])
	}
	return found
}

// choose hands out the places and returns which bytes are gone and the places that were given, from left to right. Nothing
// shorter than a place is given before it, so a place is free when its ends are.
func (m *markers) choose(text string, places []place) (taken []bool, chosen []place) {
	if len(places) == 0 {
		return nil, nil
	}
	taken = make([]bool, len(text))
	for _, p := range places {
		if taken[p.from] || taken[p.to()-1] {
			continue
		}
		for i := p.from; i < p.to(); i++ {
			taken[i] = true
		}
		chosen = append(chosen, p)
		if p.attr&attrLStrip != 0 {
			for i := p.from - 1; i >= 0 && !taken[i] && isCSpace(text[i]); i-- {
				taken[i] = true
			}
		}
		if p.attr&attrRStrip != 0 {
			for i := p.to(); i < len(text) && !taken[i] && isCSpace(text[i]); i++ {
				taken[i] = true
			}
		}
	}
	slices.SortFunc(chosen, func(a, b place) int { return cmp.Compare(a.from, b.from) })
	return taken, chosen
}

// isCSpace is C's isspace.
func isCSpace(b byte) bool { return b == ' ' || b >= '\t' && b <= '\r' }
