package grammar

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/llamakit/llamakit/engine/grammar/rx"
)

// Tokens is what a Vocabulary is made of; vocab.Vocab is one.
type Tokens interface {
	Size() int
	Piece(t Token, special bool) []byte
	IsEOG(t Token) bool
}

// Vocabulary is the texts of all tokens in a form that masks are quickly made from. It does not change and can be
// shared by goroutines.
type Vocabulary struct {
	size   int
	ends   []Token  // that end generation
	pieces [][]byte // by token; nil for those that stand for no text
	order  []Token  // with text, in the order of their texts
	chars  []uint8  // by token: the characters when all are plain, else notPlain
	plain  []Mask   // [n]: the tokens of at most n plain characters
	tries  []trie   // by rising least
}

// trie is the texts of the tokens that are not plain, or longer than least characters.
type trie struct {
	least int
	nodes []node
}

// leasts are chosen so that a walk meets few tokens that it does not need.
var leasts = []int{0, 3, 6, 10, 16, maxPlain}

// node is a place in a trie: a byte that comes after those of its ancestors. Nodes are in the order of their texts, so
// that a subtree is the nodes from one up to its end.
type node struct {
	end             int32 // the node after the subtree
	from, own, last int32 // tokens of this text are order[from:own], of the subtree order[from:last]
	depth           uint16
	char            byte
	plain           uint8 // the most characters of a token in the subtree when all are plain, else notPlain
	ahead           uint8 // the most characters that follow in the subtree when all are plain and whole, else notPlain
}

// maxPlain is the most characters of a token that counts as plain; longer ones are rare.
const (
	maxPlain = 32
	notPlain = 255
)

// NewVocabulary indexes the tokens. It takes about 300 ms for 150,000 and should be done once a model.
func NewVocabulary(t Tokens) *Vocabulary {
	v := &Vocabulary{size: t.Size(), pieces: make([][]byte, t.Size())}
	for id := range Token(v.size) {
		if t.IsEOG(id) {
			v.ends = append(v.ends, id)
		} else if p := t.Piece(id, false); len(p) > 0 && len(p) <= 1<<16-2 {
			v.pieces[id] = p
			v.order = append(v.order, id)
		}
	}
	slices.SortStableFunc(v.order, func(x, y Token) int { return bytes.Compare(v.pieces[x], v.pieces[y]) })
	v.chars = make([]uint8, v.size)
	for range maxPlain + 1 {
		v.plain = append(v.plain, NewMask(v.size))
	}
	for _, id := range v.order {
		v.chars[id] = plainChars(v.pieces[id])
		for n := int(v.chars[id]); n <= maxPlain; n++ {
			v.plain[n].Add(id)
		}
	}
	for _, least := range leasts {
		v.tries = append(v.tries, trie{least, v.nodes(least)})
	}
	return v
}

// trie returns the nodes of all tokens but some of at most n plain characters.
func (v *Vocabulary) trie(n int) []node {
	i := len(v.tries) - 1
	for v.tries[i].least > n {
		i--
	}
	return v.tries[i].nodes
}

// Size is the number of tokens.
func (v *Vocabulary) Size() int { return v.size }

// plainChars counts the characters of p, if all are plain.
func plainChars(p []byte) uint8 {
	n := 0
	for len(p) > 0 {
		r, size := utf8.DecodeRune(p)
		if r == utf8.RuneError && size == 1 || !rx.Plain.Has(r) || n == maxPlain {
			return notPlain
		}
		n, p = n+1, p[size:]
	}
	return uint8(n)
}

// nodes makes the trie of the tokens that are not plain, or longer than least characters.
func (v *Vocabulary) nodes(least int) []node {
	var nodes []node
	var open []int32 // nodes on the way to the last text
	var last []byte
	for i, id := range v.order {
		if int(v.chars[id]) <= least {
			continue
		}
		p := v.pieces[id]
		common := 0
		for common < len(last) && common < len(p) && last[common] == p[common] {
			common++
		}
		open = v.shut(nodes, open, common)
		for d := common; d < len(p); d++ {
			open = append(open, int32(len(nodes)))
			nodes = append(nodes, node{from: int32(i), own: int32(i), depth: uint16(d), char: p[d]})
		}
		for _, o := range open {
			nodes[o].last = int32(i) + 1
			nodes[o].plain = max(nodes[o].plain, v.chars[id])
		}
		nodes[open[len(open)-1]].own = int32(i) + 1
		last = p
	}
	v.shut(nodes, open, 0)
	return nodes
}

// shut ends the open nodes below a depth.
func (v *Vocabulary) shut(nodes []node, open []int32, depth int) []int32 {
	for _, o := range open[min(depth, len(open)):] {
		n := &nodes[o]
		n.end, n.ahead = int32(len(nodes)), notPlain
		if text := v.pieces[v.order[n.from]][:n.depth+1]; n.plain != notPlain && utf8.Valid(text) {
			n.ahead = n.plain - plainChars(text)
		}
	}
	return open[:min(depth, len(open))]
}
