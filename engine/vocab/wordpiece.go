package vocab

import (
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// wordPiece is BERT's tokenizer: text is cleaned and split into words, and a word is cut from left to right into the longest
// entries, or becomes the unknown token as a whole. The converter spells the beginning of a word with U+2581 and its
// continuations without BERT's "##".
type wordPiece struct {
	v            *Vocab
	lowercase    bool
	stripAccents bool
}

// wordPiece sets the defaults of BERT and makes the tokenizer.
func (l *loader) wordPiece() error {
	v := l.v
	v.BOS, v.UNK, v.SEP, v.PAD, v.MASK = 101, 100, 102, 0, 103
	v.AddBOS, v.AddSEP = true, true
	v.prefix = l.r.BoolOr("add_space_prefix", false)
	w := &wordPiece{v: v}
	w.lowercase = l.r.BoolOr("normalizer.lowercase", true)
	w.stripAccents = l.r.BoolOr("normalizer.strip_accents", w.lowercase)
	v.tok, v.NL = w, v.PAD
	return l.r.Err()
}

func (w *wordPiece) encode(dst []Token, text string, _ bool) []Token {
	w.words(text, func(word []byte) { dst = w.word(dst, word) })
	return dst
}

// word appends the pieces of a word, or the unknown token.
func (w *wordPiece) word(dst []Token, s []byte) []Token {
	n := len(dst)
	for i := 0; i < len(s); {
		t, size := w.longest(s[i:])
		if size == 0 {
			return appendToken(dst[:n], w.v.UNK)
		}
		dst = append(dst, t)
		i += size
	}
	return dst
}

// longest returns the longest entry that s begins with, and its length in bytes.
func (w *wordPiece) longest(s []byte) (Token, int) {
	for n := min(len(s), w.v.longest); n > 0; n-- {
		if t, ok := w.v.ids[string(s[:n])]; ok {
			return t, n
		}
	}
	return None, 0
}

// words normalizes text, splits it at white space and around punctuation and Chinese characters, and yields each word with
// the mark before it. The bytes are reused for the next one.
func (w *wordPiece) words(text string, yield func([]byte)) {
	word := []byte(spaceMark)
	end := func() {
		if len(word) > len(spaceMark) {
			yield(word)
			word = word[:len(spaceMark)]
		}
	}
	table := classTable()
	for len(text) > 0 {
		r, n := decodeRune(text)
		text = text[n:]
		r = w.base(r)
		c := table[r]
		switch {
		case c == space:
			end()
			continue
		case w.drops(r, c):
			continue
		}
		alone := c == punct || c == symbol && r < 0x7f || isBERTChinese(r)
		if alone {
			end()
		}
		word = appendRune(word, w.lower(r))
		if alone {
			end()
		}
	}
	end()
}

// base takes the accents off, where the model wants it.
func (w *wordPiece) base(r rune) rune {
	if w.stripAccents {
		return baseRune(r)
	}
	return r
}

// drops reports whether a character of class c leaves nothing behind.
func (w *wordPiece) drops(r rune, c class) bool {
	return r == 0 || r == unicode.ReplacementChar || w.stripAccents && c == mark ||
		c == other && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs)
}

func (w *wordPiece) lower(r rune) rune {
	if w.lowercase {
		return unicode.ToLower(r)
	}
	return r
}

// normalize appends what words keeps of a character that is no white space.
func (w *wordPiece) normalize(dst []byte, r rune) []byte {
	r = w.base(r)
	if w.drops(r, classTable()[r]) {
		return dst
	}
	return appendRune(dst, w.lower(r))
}

// baseRune returns the first character of the canonical decomposition, which is the letter under the accents.
func baseRune(r rune) rune {
	if r < 0xc0 {
		return r
	}
	d, _ := decodeRune(norm.NFD.String(string(appendRune(nil, r))))
	return d
}

// isBERTChinese reports whether r is in the blocks that BERT's tokenizer takes for Chinese; the gap in the fifth is its own.
func isBERTChinese(r rune) bool {
	switch {
	case r < 0x3400:
		return false
	case r <= 0x4dbf, r >= 0x4e00 && r <= 0x9fff, r >= 0xf900 && r <= 0xfaff:
		return true
	}
	return r >= 0x20000 && r <= 0x2a6df || r >= 0x2a700 && r <= 0x2b73f || r >= 0x2b740 && r <= 0x2b81f ||
		r >= 0x2b920 && r <= 0x2ceaf || r >= 0x2f800 && r <= 0x2fa1f
}

// spell undoes the mark of a word's beginning.
func (w *wordPiece) spell(dst []byte, text string) []byte {
	return append(dst, unescapeSpaces(text)...)
}
