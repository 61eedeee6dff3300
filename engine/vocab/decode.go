package vocab

// pieces is the text of every token, one after another: that of token t is text[at[t]:at[t+1]].
type pieces struct {
	text []byte
	at   []uint32
}

func newPieces(v *Vocab) pieces {
	p := pieces{at: make([]uint32, 1, len(v.words)+1)}
	for i := range v.words {
		p.text = v.appendPiece(p.text, &v.words[i])
		p.at = append(p.at, uint32(len(p.text)))
	}
	return p
}

// appendPiece appends what a token stands for: a control or user-defined token is spelled as it is, unused and undefined ones
// are nothing.
func (v *Vocab) appendPiece(dst []byte, w *word) []byte {
	switch {
	case w.attr.has(Control, Unknown, UserDefined):
		return append(dst, w.text...)
	case w.attr.has(Normal):
		return v.tok.spell(dst, w.text)
	case w.attr.has(Byte):
		if b, ok := nameByte(w.text); ok {
			return append(dst, b)
		}
	}
	return dst
}

// Piece returns the bytes that t stands for, which may be a part of a character. Control and unknown tokens have text only
// with special. The slice belongs to the vocabulary and must not be written to.
func (v *Vocab) Piece(t Token, special bool) []byte {
	if !v.Valid(t) || !special && v.words[t].attr.has(Control, Unknown) {
		return nil
	}
	from, to := v.pieces.at[t], v.pieces.at[t+1]
	return v.pieces.text[from:to:to]
}

// Decode returns the text of tokens: their pieces, without the space that Encode put before the first. Control and unknown
// tokens have text only with special.
//
// Unlike llama.cpp's llama_detokenize it never removes spaces before punctuation (clean_up_tokenization_spaces), so that for
// vocabularies that can spell everything, Decode(Encode(text)) is text.
func (v *Vocab) Decode(tokens []Token, special bool) string {
	var b []byte
	for i, t := range tokens {
		p := v.Piece(t, special)
		if i == 0 && v.prefix && len(p) > 0 && p[0] == ' ' && v.Kind(t) != UserDefined {
			p = p[1:]
		}
		b = append(b, p...)
	}
	return string(b)
}
