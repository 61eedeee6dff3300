package vocab

import "unicode/utf8"

// Stream turns tokens into text as they come. A character whose bytes are spread over several tokens is held back until it
// is whole, so that every string it returns is valid UTF-8 and together they are the pieces of the tokens; only bytes that
// cannot become a character are replaced, by U+FFFD.
//
// The space before the first token is kept: what is generated continues a text.
type Stream struct {
	v       *Vocab
	special bool
	held    []byte // the beginning of a character
}

// NewStream returns a stream; with special, control tokens show.
func (v *Vocab) NewStream(special bool) *Stream { return &Stream{v: v, special: special} }

// Push returns the text that t completes, which may be empty.
func (s *Stream) Push(t Token) string {
	s.held = append(s.held, s.v.Piece(t, s.special)...)
	whole := len(s.held) - unfinished(s.held)
	text := validUTF8(s.held[:whole])
	s.held = append(s.held[:0], s.held[whole:]...)
	return text
}

// Flush returns what is held back, at the end of generation: U+FFFD if it is the beginning of a character, else nothing.
func (s *Stream) Flush() string {
	text := validUTF8(s.held)
	s.held = s.held[:0]
	return text
}

// unfinished returns the length of a character that b ends in the middle of.
func unfinished(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if tail := b[len(b)-n:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}

// validUTF8 copies b with one U+FFFD for each character that is cut short, and one for every byte that is no part of any.
func validUTF8(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	var out []byte
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 && !utf8.FullRune(b[:1]) {
			for n < len(b) && !utf8.FullRune(b[:n+1]) {
				n++
			}
		}
		out = utf8.AppendRune(out, r)
		b = b[n:]
	}
	return string(out)
}
