package vocab

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/llamakit/llamakit/formats/gguf"
)

// plamo2 is the tokenizer of PLaMo 2: text is cut into the entries whose scores have the greatest sum, with scores rounded to
// 1/10000; a character that is no entry becomes its bytes, at a score below all others.
type plamo2 struct {
	v       *Vocab
	entries *prefixes
	bytes   [256]Token
}

// Costs are scores in 1/10000, the other way round.
const (
	plamoScale   = 1e4
	plamoUnknown = 10_000_000 // cost of a character that is no entry
)

// plamoCost is that of an entry; one whose score is no number, or as low as that of padding, is above all.
func plamoCost(score float32) float64 {
	if math.IsInf(float64(score), 0) || score != score {
		return math.MaxFloat64
	}
	return -math.Round(float64(score) * plamoScale)
}

// plamo2 sets the defaults of PLaMo 2 and makes the tokenizer.
func (l *loader) plamo2() error {
	v := l.v
	v.BOS, v.EOS, v.UNK, v.PAD = 1, 2, 0, 3
	p := &plamo2{v: v}
	for b := range p.bytes {
		p.bytes[b] = None
	}
	for i := range v.words {
		if b, ok := nameByte(v.words[i].text); ok && v.words[i].attr.has(Byte) {
			p.bytes[b] = Token(i)
		}
	}
	if b := slices.Index(p.bytes[:], None); b >= 0 {
		return fmt.Errorf("%s.tokens: no byte token %s: %w", keys, byteName(byte(b)), gguf.ErrCorrupt)
	}
	p.entries = newPrefixes(v, func(w *word) (string, bool) { return w.text, !w.attr.has(Byte) && plamoCost(w.score) < plamoUnknown })
	v.tok = p
	v.findNewline()
	return nil
}

// encode leaves out a byte order mark at the beginning, as llama.cpp does.
func (p *plamo2) encode(dst []Token, text string, _ bool) []Token {
	text = strings.TrimPrefix(sanitize(text), "\ufeff")
	sizes, tokens := p.best(text)
	for at := 0; at < len(text); at += sizes[at] {
		if tokens[at] != None {
			dst = append(dst, tokens[at])
			continue
		}
		for _, b := range []byte(text[at : at+sizes[at]]) {
			dst = append(dst, p.bytes[b])
		}
	}
	return dst
}

// best finds, from right to left, the entry with which the cheapest way to the end goes on at each character; of equals the
// longest. Where none is, the token is None and the size that of the character.
func (p *plamo2) best(text string) (sizes []int, tokens []Token) {
	sizes, tokens = make([]int, len(text)), make([]Token, len(text))
	costs := make([]int64, len(text)+1)
	for at := len(text) - 1; at >= 0; at-- {
		if text[at]&0xc0 == 0x80 {
			costs[at] = math.MaxInt32 << 20 // inside a character: no entry may end here
			continue
		}
		size := min(utf8Len(text[at]), len(text)-at)
		sizes[at], tokens[at], costs[at] = size, None, costs[at+size]+plamoUnknown
		p.entries.each(text[at:], func(t Token, n int) {
			cost := costs[at+n] + int64(plamoCost(p.v.words[t].score))
			if cost <= costs[at] {
				sizes[at], tokens[at], costs[at] = n, t, cost
			}
		})
	}
	return sizes, tokens
}

func (p *plamo2) spell(dst []byte, text string) []byte { return append(dst, text...) }
