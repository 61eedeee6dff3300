package vocab

import (
	"fmt"
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"

	"github.com/llamakit/llamakit/formats/gguf"
)

// bpe is byte-pair encoding: text is split into words, a word into bytes (or characters, see rawBytes), and the neighbours
// whose pair stands first in the list of merges are joined until none is left.
//
// Inside, a string that merges deal with is a symbol: the token of that spelling, or for one that is no token a number past
// the last token. So a merge is a lookup of two numbers, and the symbols that are left are the tokens.
type bpe struct {
	*preTokenizer
	v       *Vocab
	nfc     bool             // text is put into normal form C first
	extra   map[string]int32 // symbols that are no tokens
	merges  mergeTable
	symbols [256]int32   // of one byte
	spare   [256][]Token // what a byte becomes in a symbol that is no token
	works   sync.Pool    // of *work
}

// work is the memory of one call of encode.
type work struct {
	text  text
	a, b  []int
	word  []byte
	nodes []node
	queue queue
}

// bpe sets the defaults of byte-pair encoding and makes the tokenizer.
func (l *loader) bpe() error {
	v := l.v
	if v.Pre == "" {
		v.Pre = "default"
	}
	switch v.Model {
	case "gemma4":
		v.Pre = "gemma4"
	default:
		v.BOS, v.EOS = 11, 11
	}
	pre, ok := findPre(v.Pre)
	if !ok {
		return fmt.Errorf("%s.pre: no pre-tokenizer is called %q: %w", keys, gguf.Printable(v.Pre), gguf.ErrUnsupported)
	}
	if pre.noBOS {
		v.BOS = None
	}
	v.AddBOS, v.AddSEP, l.forceBOS = pre.addBOS, pre.addSEP, pre.forceBOS
	v.prefix = l.r.BoolOr("add_space_prefix", false)
	var merges []string
	if v.Pre != "kimi-k2" || l.r.Has("merges") {
		merges = l.r.Strs("merges")
	}
	if err := l.r.Err(); err != nil {
		return err
	}
	b := newBPE(v, pre, merges)
	b.nfc = l.r.BoolOr("normalizer.nfc", false)
	switch v.Model {
	case "whitespace":
		v.tok = &blankless{b, l.r.BoolOr("normalizer.lowercase", v.Pre != "whitespace")}
	case "hybriddna":
		v.tok = newHybridDNA(b)
	default:
		v.tok = b
	}
	v.findNewline()
	return l.r.Err()
}

// findNewline takes the first token of a line feed for it.
func (v *Vocab) findNewline() {
	if t := v.tok.encode(nil, "\n", true); len(t) > 0 {
		v.NL = t[0]
	}
}

// newBPE numbers the symbols. Merges may name strings that are no tokens, and may be malformed: then they do nothing, as in
// llama.cpp. Of a pair that occurs twice the first counts.
func newBPE(v *Vocab, pre *preTokenizer, merges []string) *bpe {
	b := &bpe{preTokenizer: pre, v: v, extra: map[string]int32{}}
	b.works.New = func() any { return new(work) }
	for i := range 256 {
		b.symbols[i] = b.symbol(byteSpelling(byte(i)))
		b.spare[i] = b.spareTokens(byte(i))
	}
	b.merges = newMergeTable(len(merges))
	var joined []byte
	for rank, m := range merges {
		left, right, ok := cutMerge(m)
		if !ok {
			continue
		}
		joined = append(append(joined[:0], left...), right...)
		b.merges.add(b.symbol(left), b.symbol(right), merge{rank: int32(rank), result: b.symbolOf(joined)})
	}
	return b
}

// cutMerge takes "left right" apart. A blank at the beginning belongs to left.
func cutMerge(m string) (left, right string, ok bool) {
	if len(m) < 2 {
		return "", "", false
	}
	i := strings.IndexByte(m[1:], ' ')
	if i < 0 {
		return "", "", false
	}
	return m[:i+1], m[i+2:], true
}

// symbol returns the symbol of s, a new one if need be.
func (b *bpe) symbol(s string) int32 {
	if t, ok := b.v.ids[s]; ok {
		return t
	}
	n, ok := b.extra[s]
	if !ok {
		n = int32(len(b.v.words) + len(b.extra))
		b.extra[strings.Clone(s)] = n // not a part of the list of merges, which may go
	}
	return n
}

// symbolOf is symbol for bytes; it makes a string only of a new one.
func (b *bpe) symbolOf(s []byte) int32 {
	if n := b.find(s); n >= 0 {
		return n
	}
	return b.symbol(string(s))
}

// find returns the symbol of s, or -1.
func (b *bpe) find(s []byte) int32 {
	if t, ok := b.v.ids[string(s)]; ok {
		return t
	}
	if n, ok := b.extra[string(s)]; ok {
		return n
	}
	return -1
}

// spareTokens returns the tokens of a byte that no token contains: <0xNN>, or the tokens of its spelling, byte by byte. There
// may be none; then the byte is lost, as in llama.cpp.
func (b *bpe) spareTokens(c byte) []Token {
	if b.rawBytes {
		if t, ok := b.v.ids[byteName(c)]; ok {
			return []Token{t}
		}
		return nil
	}
	var tokens []Token
	for _, c := range []byte(byteSpelling(c)) {
		if t, ok := b.v.ids[string([]byte{c})]; ok {
			tokens = append(tokens, t)
		}
	}
	return tokens
}

// maxKept is the length of a text whose buffers, some twenty times as large, are used again.
const maxKept = 1 << 18

func (b *bpe) encode(dst []Token, s string, _ bool) []Token {
	w := b.works.Get().(*work)
	if len(s) <= maxKept { // buffers of a long text are not kept
		defer b.works.Put(w)
	}
	s = sanitize(s)
	if b.nfc {
		s = norm.NFC.String(s)
	}
	if b.spaceMarks {
		s = escapeSpaces(s)
	}
	w.text.set(s)
	w.a, w.b = splitAll(&w.text, b.passes, w.a, w.b)
	from := 0
	for _, to := range w.a {
		dst = b.word(dst, w.text.bytes(from, to), w)
		from = to
	}
	w.text.s = "" // do not keep the caller's text
	return dst
}

// word encodes one word.
func (b *bpe) word(dst []Token, s string, w *work) []Token {
	if b.ignoreMerges || b.wholeBreaks && strings.Trim(s, "\n") == "" {
		if t, ok := b.whole(s, w); ok {
			return append(dst, t)
		}
	}
	w.nodes = w.nodes[:0]
	if b.rawBytes {
		w.nodes = b.characters(w.nodes, s)
	} else {
		for i := range len(s) {
			w.nodes = append(w.nodes, node{symbol: b.symbols[s[i]], from: int32(i), to: int32(i + 1)})
		}
	}
	w.nodes = b.merges.apply(w.nodes, &w.queue)
	for _, n := range w.nodes {
		if n.symbol >= 0 && int(n.symbol) < len(b.v.words) {
			dst = append(dst, n.symbol)
			continue
		}
		for _, c := range []byte(s[n.from:n.to]) {
			dst = append(dst, b.spare[c]...)
		}
	}
	return dst
}

// whole returns the token that is the word.
func (b *bpe) whole(s string, w *work) (Token, bool) {
	w.word = w.word[:0]
	if b.rawBytes {
		w.word = append(w.word, s...)
	} else {
		for i := range len(s) {
			w.word = append(w.word, byteSpelling(s[i])...)
		}
	}
	t, ok := b.v.ids[string(w.word)]
	return t, ok
}

// characters appends a node for each character of s.
func (b *bpe) characters(nodes []node, s string) []node {
	for i := 0; i < len(s); {
		_, n := decodeRune(s[i:])
		nodes = append(nodes, node{symbol: b.find([]byte(s[i : i+n])), from: int32(i), to: int32(i + n)})
		i += n
	}
	return nodes
}

func (b *bpe) spell(dst []byte, s string) []byte {
	if b.spaceMarks {
		return append(dst, unescapeSpaces(s)...)
	}
	return appendBytes(dst, s)
}
