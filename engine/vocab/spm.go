package vocab

import (
	"math"
	"sync"
)

// spm is SentencePiece's byte-pair encoding: characters are joined to the entry of the highest score as long as two
// neighbours make one. There is no list of merges, and no words: a space is the character U+2581.
type spm struct {
	v         *Vocab
	bytes     [256]Token // <0xNN>, else the byte as it is; None when there is neither
	addPrefix bool
	works     sync.Pool // of *work
}

// spm sets the defaults of SentencePiece and makes the tokenizer.
func (l *loader) spm() error {
	v := l.v
	v.BOS, v.EOS, v.UNK = 1, 2, 0
	v.AddBOS = true
	v.prefix = l.r.BoolOr("add_space_prefix", true)
	if err := l.r.Err(); err != nil {
		return err
	}
	s := &spm{v: v, addPrefix: v.prefix}
	s.works.New = func() any { return new(work) }
	for i := range 256 {
		s.bytes[i] = s.byteToken(byte(i))
	}
	v.tok = s
	v.NL = s.bytes['\n']
	return nil
}

func (s *spm) byteToken(b byte) Token {
	for _, text := range [...]string{byteName(b), string([]byte{b})} {
		if t, ok := s.v.ids[text]; ok {
			return t
		}
	}
	return None
}

// encode puts the space that begins a text also after every special token.
func (s *spm) encode(dst []Token, text string, first bool) []Token {
	if s.addPrefix && first {
		text = " " + text
	}
	text = escapeSpaces(text)
	w := s.works.Get().(*work)
	defer s.works.Put(w)
	w.nodes = characters(w.nodes[:0], text)
	s.merge(w, text)
	for _, n := range compact(w.nodes) {
		dst = s.tokens(dst, text[n.from:n.to])
	}
	return dst
}

// characters appends a node for each character, as long as its first byte says. The symbol only tells that the node is there.
func characters(nodes []node, s string) []node {
	for i := 0; i < len(s); {
		n := min(utf8Len(s[i]), len(s)-i)
		nodes = append(nodes, node{from: int32(i), to: int32(i + n)})
		i += n
	}
	return nodes
}

func (s *spm) merge(w *work, text string) {
	nodes := w.nodes
	link(nodes)
	w.queue = w.queue[:0]
	for i := range len(nodes) - 1 {
		s.offer(w, text, int32(i))
	}
	for len(w.queue) > 0 {
		c := w.queue.pop()
		left := &nodes[c.left]
		if left.symbol == merged || left.next < 0 || nodes[left.next].to-left.from != c.a {
			continue // one of the two has been merged since
		}
		join(nodes, c.left)
		if left.prev >= 0 {
			s.offer(w, text, left.prev)
		}
		s.offer(w, text, c.left)
	}
}

// offer puts node i and the one after it into the queue if together they are an entry.
func (s *spm) offer(w *work, text string, i int32) {
	n := w.nodes[i]
	if n.next < 0 {
		return
	}
	size := w.nodes[n.next].to - n.from
	if int(size) > s.v.longest {
		return
	}
	if t, ok := s.v.ids[text[n.from:n.from+size]]; ok {
		w.queue.push(candidate{key: uint64(descending(s.v.words[t].score))<<32 | uint64(i), left: i, a: size})
	}
}

// descending maps scores to numbers that are the smaller, the higher the score.
func descending(score float32) uint32 {
	b := math.Float32bits(score + 0) // -0 becomes 0
	if b>>31 != 0 {
		return b
	}
	return ^b &^ (1 << 31)
}

// tokens appends what is left of a text when nothing merges: an entry, or a character that is none. It becomes its bytes, or
// the unknown token if the vocabulary lacks one of them.
func (s *spm) tokens(dst []Token, text string) []Token {
	if t, ok := s.v.ids[text]; ok {
		return append(dst, t)
	}
	n := len(dst)
	for _, b := range []byte(text) {
		if s.bytes[b] == None {
			return appendToken(dst[:n], s.v.UNK)
		}
		dst = append(dst, s.bytes[b])
	}
	return dst
}

func (s *spm) spell(dst []byte, text string) []byte { return append(dst, unescapeSpaces(text)...) }
