package vocab

import (
	"strings"
	"unicode"
)

// blankless is the tokenizer "whitespace": white space separates and is dropped, and what is between is encoded by itself.
type blankless struct {
	*bpe
	lowercase bool
}

func (b *blankless) encode(dst []Token, text string, first bool) []Token {
	for _, field := range strings.FieldsFunc(sanitize(text), func(r rune) bool { return unicode.Is(unicode.White_Space, r) }) {
		if b.lowercase {
			field = lower(field)
		}
		dst = b.bpe.encode(dst, field, first)
	}
	return dst
}

// lower is strings.ToLower that leaves surrogates as they are.
func lower(s string) string {
	b := make([]byte, 0, len(s))
	for len(s) > 0 {
		r, n := decodeRune(s)
		b = appendRune(b, unicode.ToLower(r))
		s = s[n:]
	}
	return string(b)
}

// hybridDNA is the tokenizer "hybriddna": between <dna> and </dna> text is a sequence of bases, cut into groups of six with
// the last filled up with A. The entries of groups carry a mark in the file, so that they differ from words of the same
// letters; readers of the vocabulary do not see it.
type hybridDNA struct {
	*bpe
	open, close, oov Token
}

const (
	dnaOpen, dnaClose, dnaOOV = "<dna>", "</dna>", "<oov>"
	dnaMark                   = "\ue000"
	dnaGroup                  = 6
)

// newHybridDNA returns the plain tokenizer for a vocabulary that lacks the tokens of bases.
func newHybridDNA(b *bpe) tokenizer {
	h := &hybridDNA{bpe: b}
	for text, t := range map[string]*Token{dnaOpen: &h.open, dnaClose: &h.close, dnaOOV: &h.oov} {
		id, ok := b.v.ids[text]
		if !ok {
			return b
		}
		*t = id
	}
	for i := int(h.oov) + 1; i < len(b.v.words); i++ {
		if w := &b.v.words[i]; len(w.text) > len(dnaMark) {
			w.text = strings.TrimSuffix(w.text, dnaMark)
		}
	}
	return h
}

func (h *hybridDNA) encode(dst []Token, text string, first bool) []Token {
	for text != "" {
		before, rest, found := strings.Cut(text, dnaOpen)
		if before != "" {
			dst = h.bpe.encode(dst, before, first)
		}
		if !found {
			return dst
		}
		bases, after, closed := strings.Cut(rest, dnaClose)
		dst = h.groups(append(dst, h.open), bases)
		if closed {
			dst = append(dst, h.close)
		}
		text = after
	}
	return dst
}

// groups appends the tokens of a sequence of bases; a group that is no entry is <oov>.
func (h *hybridDNA) groups(dst []Token, bases string) []Token {
	bases = upperASCII(bases)
	for len(bases) > 0 {
		n := min(dnaGroup, len(bases))
		group := bases[:n] + strings.Repeat("A", dnaGroup-n)
		t, ok := h.v.ids[group+dnaMark]
		if !ok {
			t = h.oov
		}
		dst, bases = append(dst, t), bases[n:]
	}
	return dst
}

func upperASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'a' && c <= 'z' {
			b[i] = c + 'A' - 'a'
		}
	}
	return string(b)
}
