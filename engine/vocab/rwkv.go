package vocab

// rwkv is the tokenizer of RWKV's World models: from left to right, always the longest entry. Entries are bytes; the file spells
// them as Python does, with \t, \n, \r and \x41.
type rwkv struct {
	v       *Vocab
	entries *prefixes
}

// rwkv makes the tokenizer.
func (l *loader) rwkv() error {
	r := &rwkv{v: l.v}
	r.entries = newPrefixes(l.v, func(w *word) (string, bool) { return string(unescapePython(nil, w.text)), true })
	l.v.tok = r
	l.v.findNewline()
	return nil
}

func (r *rwkv) encode(dst []Token, text string, _ bool) []Token {
	for text != "" {
		t, n := r.entries.longest(text)
		if n == 0 {
			t, n = r.v.UNK, 1
		}
		dst, text = appendToken(dst, t), text[n:]
	}
	return dst
}

func (r *rwkv) spell(dst []byte, text string) []byte { return unescapePython(dst, text) }

// unescapePython appends s without its escapes. A backslash before any other character stands for that character.
func unescapePython(dst []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			if s[i] != '\\' {
				dst = append(dst, s[i])
			}
			continue
		}
		i++
		switch c := s[i]; c {
		case 't':
			dst = append(dst, '\t')
		case 'n':
			dst = append(dst, '\n')
		case 'r':
			dst = append(dst, '\r')
		case 'x':
			if i+2 < len(s) {
				dst = append(dst, hexValue(s[i+1])<<4|hexValue(s[i+2]))
			}
			i += 2
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

func hexValue(c byte) byte {
	switch {
	case c >= 'a':
		return c - 'a' + 10
	case c >= 'A':
		return c - 'A' + 10
	}
	return c - '0'
}
