package vocab

import (
	"slices"
	"unicode/utf8"
)

// Spelled returns the places in a stranger's text at which control tokens have to be kept from it, as EncodeOptions.Barriers has
// them: one inside each control token that the text spells, but for those in except, one before the text when a control token
// could end in it, and one after it when a control token could begin in it. They are offsets, rising; most texts have none.
func (v *Vocab) Spelled(text string, except []string) (at []int) {
	if text == "" {
		return nil
	}
	ends := v.controlEnds()
	if ends.any(ends.tails, func(n int) string { return text[:min(n, len(text))] }) {
		at = append(at, 0)
	}
	for i := range len(text) {
		for _, p := range v.marked.placesAt(nil, text, i, true) {
			k := &v.marked.list[p.marker]
			_, first := utf8.DecodeRuneInString(k.text)
			if k.attr.has(Control, Unknown) && first < len(k.text) && !slices.Contains(except, k.text) && (len(at) == 0 || at[len(at)-1] < i+first) {
				at = append(at, i+first)
			}
		}
	}
	if ends.any(ends.heads, func(n int) string { return text[max(0, len(text)-n):] }) {
		at = append(at, len(text))
	}
	return at
}

// ends are the beginnings and ends of the spellings of control tokens, without the whole ones.
type ends struct {
	heads, tails map[string]bool
	longest      int
}

func (v *Vocab) newEnds() *ends {
	e := &ends{heads: map[string]bool{}, tails: map[string]bool{}}
	for _, k := range v.marked.list {
		if !k.attr.has(Control, Unknown) {
			continue
		}
		for i := 1; i < len(k.text); i++ {
			if utf8.RuneStart(k.text[i]) {
				e.heads[k.text[:i]], e.tails[k.text[i:]] = true, true
			}
		}
		e.longest = max(e.longest, len(k.text))
	}
	return e
}

// any reports whether a piece of the text, of n bytes for some n, is in the set.
func (e *ends) any(set map[string]bool, piece func(n int) string) bool {
	for n := 1; n < e.longest; n++ {
		if set[piece(n)] {
			return true
		}
	}
	return false
}
