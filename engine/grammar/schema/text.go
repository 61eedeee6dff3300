package schema

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/llamakit/llamakit/engine/grammar/rx"
)

// text is the languages of the characters of JSON strings, without quotes, or of texts that are written as they are.
type text struct {
	*rx.Arena
	style Style
	char  rx.ID           // a character in any spelling
	any   rx.ID           // any number of those
	own   rx.ID           // any number of characters in their one spelling of set
	nots  map[rx.ID]rx.ID // what not was asked for
}

// everyRune is what a string may consist of. Surrogates have no UTF-8 form and drop out there.
var everyRune = rx.Runes(nil).Not()

var shortEscapes = []struct {
	r rune
	c byte
}{{'"', '"'}, {'\\', '\\'}, {'\b', 'b'}, {'\f', 'f'}, {'\n', 'n'}, {'\r', 'r'}, {'\t', 't'}}

func newText(a *rx.Arena, s Style) *text {
	t := &text{Arena: a, style: s, nots: make(map[rx.ID]rx.ID)}
	if s.raw() {
		t.char = t.set(everyRune)
		t.any = a.Star(t.char)
		t.own = t.any
		return t
	}
	hex := func(lo, hi string) rx.ID { return t.hex(lo, hi) }
	surrogates := a.Cat(a.Literal(`\u`), hex("d800", "dbff"), a.Literal(`\u`), hex("dc00", "dfff"))
	escapes := a.Alt(a.Cat(a.Literal(`\u`), a.Alt(hex("0000", "d7ff"), hex("e000", "ffff"))), a.Literal(`\/`), surrogates)
	t.char = a.Alt(t.set(everyRune), escapes)
	a.MarkFree(t.char)
	t.any = a.Star(t.char)
	t.own = a.Star(t.set(everyRune))
	return t
}

// set matches one character of s, escaped only where it must be. The spelling is the only one, so that complements are
// those of the characters.
func (t *text) set(s rx.Runes) rx.ID {
	if t.style.raw() {
		return t.plain(t.Runes(s), s)
	}
	raw := s.And(rx.NewRunes(rx.RuneRange{Lo: 0, Hi: 0x1f}, rx.RuneRange{Lo: '"', Hi: '"'}, rx.RuneRange{Lo: '\\', Hi: '\\'}).Not())
	list := []rx.ID{t.Runes(raw)}
	for _, e := range shortEscapes {
		if s.Has(e.r) {
			list = append(list, t.Literal(string([]byte{'\\', e.c})))
		}
	}
	for r := rune(0); r < 0x20; r++ {
		if s.Has(r) && !strings.ContainsRune("\b\f\n\r\t", r) {
			list = append(list, t.Literal(fmt.Sprintf(`\u%04x`, r)))
		}
	}
	return t.plain(t.Alt(list...), s)
}

// plain is e, one character of s, of which it is noted whether all plain ones are among them.
func (t *text) plain(e rx.ID, s rx.Runes) rx.ID {
	if len(rx.Plain.And(s.Not())) == 0 {
		t.MarkFree(e)
	}
	return e
}

// hex matches four hexadecimal digits from lo to hi, in either case.
func (t *text) hex(lo, hi string) rx.ID {
	if lo == "" {
		return rx.Empty
	}
	if lo[0] == hi[0] {
		return t.Cat(t.hexDigits(lo[0], lo[0]), t.hex(lo[1:], hi[1:]))
	}
	least, most := strings.Repeat("0", len(lo)-1), strings.Repeat("f", len(lo)-1)
	return t.Alt(
		t.Cat(t.hexDigits(lo[0], lo[0]), t.hex(lo[1:], most)),
		t.Cat(t.hexDigits(lo[0]+1, hi[0]-1), t.hex(least, most)),
		t.Cat(t.hexDigits(hi[0], hi[0]), t.hex(least, hi[1:])))
}

func (t *text) hexDigits(lo, hi byte) rx.ID {
	var s rx.Set
	for c := int(lo); c <= int(hi); c++ {
		switch {
		case c <= '9', c >= 'a':
			s.Add(byte(c), byte(c))
			if c >= 'a' {
				s.Add(byte(c)-32, byte(c)-32)
			}
		}
	}
	return t.Set(s)
}

// literals matches the strings of the list.
func (t *text) literals(list []string) rx.ID {
	spelt := make([]string, len(list))
	for i, s := range list {
		spelt[i] = t.spelling(s)
	}
	return t.Literals(spelt)
}

// spelling is the one spelling of s that set has.
func (t *text) spelling(s string) string {
	if t.style.raw() {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		writeRune(&b, r)
	}
	return b.String()
}

func writeRune(b *strings.Builder, r rune) {
	for _, e := range shortEscapes {
		if e.r == r {
			b.Write([]byte{'\\', e.c})
			return
		}
	}
	if r < 0x20 {
		fmt.Fprintf(b, `\u%04x`, r)
		return
	}
	b.WriteString(string(utf8.AppendRune(nil, r)))
}

// not returns the strings that are not in e.
func (t *text) not(e rx.ID) rx.ID {
	if original, ok := t.nots[e]; ok {
		return t.And(t.own, original)
	}
	n := t.And(t.own, t.Not(e))
	t.nots[n] = e
	return n
}

// and intersects; the language of all strings is its neutral element.
func (t *text) and(x, y rx.ID) rx.ID {
	switch {
	case x == t.any:
		return y
	case y == t.any:
		return x
	}
	return t.And(x, y)
}

// quoted matches e as a value.
func (t *text) quoted(e rx.ID) rx.ID {
	if q := t.style.Quote; q != "" {
		return t.Cat(t.Literal(q), t.Without(e, q), t.Literal(q))
	}
	quote := t.Byte('"')
	return t.Cat(quote, e, quote)
}
