package vocab

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Range is a part of a text, in bytes.
type Range struct{ From, To int }

// Locate says where in the text the tokens come from that Encode made of it with these options. The ranges are in order. A
// token that AddSpecial put there has an empty one. White space that a tokenizer drops belongs to no token; text that the
// vocabulary cannot spell belongs to the unknown tokens in its place.
func (v *Vocab) Locate(text string, tokens []Token, opt EncodeOptions) []Range {
	out := make([]Range, len(tokens))
	first, last := 0, len(tokens)
	if opt.AddSpecial && v.begin != None && first < last && tokens[0] == v.begin {
		first++
	}
	if opt.AddSpecial && v.end != None && first < last && tokens[last-1] == v.end {
		last--
	}
	l := locator{v: v, text: text, out: out[first:last]}
	for i, t := range tokens[first:last] {
		l.place(i, t)
	}
	l.settle(len(l.out), len(text))
	for i := last; i < len(out); i++ {
		out[i] = Range{len(text), len(text)}
	}
	return out
}

// locator goes through tokens and text side by side.
type locator struct {
	v    *Vocab
	text string
	out  []Range
	at   int // end of the last token that was found

	lost    int // tokens before the next one that were not found since: they share the text up to it
	unknown int // how many of them are the unknown token
}

// lookAhead bounds how much text is passed over to find a token again, and lookAheadUnknown how much more for each unknown
// token, which may stand for a word.
const (
	lookAhead        = 64
	lookAheadUnknown = 64
)

// place finds token i. After one that was not found, text is passed over until it is.
func (l *locator) place(i int, t Token) {
	if l.v.Kind(t) == Unknown {
		l.lost, l.unknown = l.lost+1, l.unknown+1
		return
	}
	piece, last := string(l.v.Piece(t, true)), l.at
	if l.lost > 0 {
		last = min(l.at+lookAhead+lookAheadUnknown*l.unknown, len(l.text))
	}
	for from := l.at; from <= last; from += l.step(from) {
		if begin, end, ok := l.match(from, piece); ok {
			l.settle(i, begin)
			l.out[i], l.at = Range{begin, end}, end
			return
		}
	}
	l.lost++
}

func (l *locator) step(from int) int {
	_, n := utf8.DecodeRuneInString(l.text[from:])
	return max(n, 1)
}

// settle gives the tokens before token i that were not found the text up to end.
func (l *locator) settle(i, end int) {
	gap := Range{l.at, end}
	for gap.From < gap.To && isSpaceAt(l.text, gap.From) {
		gap.From += l.step(gap.From)
	}
	gap.To = gap.From + len(strings.TrimRightFunc(l.text[gap.From:gap.To], unicode.IsSpace))
	for ; l.lost > 0; l.lost-- {
		l.out[i-l.lost] = gap
	}
	l.unknown = 0
}

func isSpaceAt(s string, i int) bool {
	r, _ := utf8.DecodeRuneInString(s[i:])
	return unicode.IsSpace(r)
}

// match reports where a piece stands that begins at from: as it is, without the space that a tokenizer puts before a word,
// or after white space that it drops.
func (l *locator) match(from int, piece string) (begin, end int, ok bool) {
	word, spaced := strings.CutPrefix(piece, " ")
	if _, marks := l.v.tok.(*wordPiece); marks {
		piece = word // the space is no text
	}
	for {
		if n, ok := l.spells(from, piece); ok {
			return from, from + n, true
		}
		if n, ok := l.spells(from, word); ok && spaced && word != "" {
			return from, from + n, true
		}
		if from == len(l.text) || !isSpaceAt(l.text, from) {
			return 0, 0, false
		}
		from += l.step(from)
	}
}

// spells reports how many bytes of the text at from the piece stands for. WordPiece writes some characters otherwise.
func (l *locator) spells(from int, piece string) (n int, ok bool) {
	if strings.HasPrefix(l.text[from:], piece) {
		return len(piece), true
	}
	w, normalizes := l.v.tok.(*wordPiece)
	if !normalizes || piece == "" {
		return 0, false
	}
	var written []byte
	for from+n < len(l.text) {
		r, size := decodeRune(l.text[from+n:])
		next := w.normalize(written, r)
		if !strings.HasPrefix(piece, string(next)) {
			break
		}
		written, n = next, n+size
	}
	return n, string(written) == piece
}
