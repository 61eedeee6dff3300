package schema

import "github.com/llamakit/llamakit/engine/grammar/rx"

// Style says how values are written that are no JSON but have its structure: the arguments of calls in the formats of some
// models. The zero value is JSON.
type Style struct {
	Null, True, False string // "": as in JSON

	// Quote stands before and after a text, which is then written as it is and cannot contain it. Names of members have no quotes
	// where they are of letters, digits and _ - $ and points. "": texts and names are written as in JSON.
	Quote string

	verbatim bool // texts are written as they are: the values of Arguments.Verbatim
}

// raw reports that texts have no escapes.
func (s *Style) raw() bool { return s.Quote != "" || s.verbatim }

// bare is the characters of names without quotes.
var bare = rx.NewRunes(rx.RuneRange{Lo: 'a', Hi: 'z'}, rx.RuneRange{Lo: 'A', Hi: 'Z'}, rx.RuneRange{Lo: '0', Hi: '9'}, rx.RuneRange{Lo: '_', Hi: '_'},
	rx.RuneRange{Lo: '-', Hi: '-'}, rx.RuneRange{Lo: '$', Hi: '$'}, rx.RuneRange{Lo: '.', Hi: '.'})

// named is how names are written, without what layout has around them.
func (t *text) named(names rx.ID) rx.ID {
	if t.style.Quote == "" {
		return names
	}
	plain := t.Repeat(t.Runes(bare), 1, rx.Unbounded)
	return t.Alt(t.And(names, plain), t.quoted(t.And(names, t.Not(plain))))
}

// styled is the layout of JSON, as the style has it.
func (s *Style) styled(a *rx.Arena, l layout) layout {
	if s.Quote != "" {
		l.beforeName, l.afterName = rx.Empty, a.Byte(':')
	}
	return l
}

// Bare reports that a name is written without quotes.
func Bare(name string) bool {
	for _, r := range name {
		if !bare.Has(r) {
			return false
		}
	}
	return name != ""
}
