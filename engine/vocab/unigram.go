package vocab

import "math"

// unigram is SentencePiece's unigram language model (Kudo 2018, arXiv:1804.10959), the tokenizer of T5 and XLM-RoBERTa: text is
// normalized, and cut into the entries whose scores, which are log-probabilities, have the greatest sum.
type unigram struct {
	v           *Vocab
	entries     *prefixes
	user        *prefixes // user-defined entries, which the normalizer leaves alone
	chars       *charsMap // nil: none
	unknown     float64   // score of a character that is no entry
	addPrefix   bool
	mergeSpaces bool
}

// unknownPenalty is how much lower the score of an unknown character is than the lowest of an entry.
const unknownPenalty = 10

// unigram sets the defaults of T5 and makes the tokenizer.
func (l *loader) unigram() error {
	v := l.v
	v.EOS, v.UNK, v.PAD = 1, 2, 0
	v.AddEOS = true
	u := &unigram{v: v, addPrefix: l.r.BoolOr("add_space_prefix", false), mergeSpaces: l.r.BoolOr("remove_extra_whitespaces", false)}
	v.prefix = u.addPrefix
	data, err := l.bytes("precompiled_charsmap")
	if err != nil {
		return err
	}
	if data != nil {
		if u.chars, err = newCharsMap(data); err != nil {
			return err
		}
	}
	u.index()
	v.tok = u
	v.findNewline()
	return l.r.Err()
}

// bytes reads an array of bytes; nil when the key is missing.
func (l *loader) bytes(key string) ([]byte, error) {
	if !l.r.Has(key) {
		return nil, nil
	}
	numbers := l.r.Ints(key)
	if err := l.r.Err(); err != nil {
		return nil, err
	}
	out := make([]byte, len(numbers))
	for i, n := range numbers {
		out[i] = byte(n) // some writers have signed bytes
	}
	return out, nil
}

// index sorts the entries. Unknown, control and byte tokens are not for text.
func (u *unigram) index() {
	lowest := math.MaxFloat32
	for i := range u.v.words {
		if w := &u.v.words[i]; w.attr.has(Normal) {
			lowest = min(lowest, float64(w.score))
		}
	}
	u.unknown = float64(float32(lowest) - unknownPenalty)
	u.entries = newPrefixes(u.v, func(w *word) (string, bool) { return w.text, w.attr.has(Normal, UserDefined, Unused) })
	u.user = newPrefixes(u.v, func(w *word) (string, bool) { return w.text, w.attr.has(UserDefined) })
}

// cutAt is the best way to cut a text up to some place: the last token, where it begins, and the sum of all scores.
type cutAt struct {
	token Token
	from  int
	sum   float64
}

func (u *unigram) encode(dst []Token, text string, _ bool) []Token {
	s := string(u.normalize(text))
	if s == "" {
		return dst
	}
	return u.collect(dst, u.best(s))
}

// best finds, from left to right, the best way to each place of s (Viterbi). A character that is no entry can be unknown.
func (u *unigram) best(s string) []cutAt {
	best := make([]cutAt, len(s)+1)
	for i := range best[1:] {
		best[i+1].sum = -math.MaxFloat64
	}
	for from := 0; from < len(s); {
		size := min(utf8Len(s[from]), len(s)-from)
		sum, single := best[from].sum, false
		offer := func(t Token, n int, score float64) {
			if to := &best[from+n]; sum+score > to.sum {
				*to = cutAt{t, from, sum + score}
			}
		}
		u.entries.each(s[from:], func(t Token, n int) {
			single = single || n == size
			score := float64(u.v.words[t].score)
			if u.v.words[t].attr.has(UserDefined) {
				score = 0 // the best there is
			}
			offer(t, n, score)
		})
		if !single {
			offer(u.v.UNK, size, u.unknown)
		}
		from += size
	}
	return best
}

// collect appends the tokens of the best way to the end. Unknown tokens in a row are one.
func (u *unigram) collect(dst []Token, best []cutAt) []Token {
	n := len(dst)
	unknown := false
	for at := len(best) - 1; at > 0; at = best[at].from {
		t := best[at].token
		if t != u.v.UNK || !unknown {
			dst = appendToken(dst, t)
		}
		unknown = t == u.v.UNK
	}
	for i, j := n, len(dst)-1; i < j; i, j = i+1, j-1 {
		dst[i], dst[j] = dst[j], dst[i]
	}
	return dst
}

// normalize writes text as the model was trained on it: characters replaced, spaces as U+2581, one before the first word where
// the vocabulary asks for it, and runs of spaces as one where it does.
func (u *unigram) normalize(text string) []byte {
	out := make([]byte, 0, len(text)+len(text)/2+len(spaceMark))
	inWord, begun := false, false
	for len(text) > 0 {
		next, n := u.next(text)
		text = text[n:]
		for _, c := range next {
			switch {
			case c != ' ':
				if !inWord && (u.mergeSpaces || u.addPrefix && !begun) {
					out = append(out, spaceMark...)
					begun = true
				}
				inWord = true
				out = append(out, c)
				continue
			case !u.mergeSpaces:
				out = append(out, spaceMark...)
			}
			inWord = false
		}
	}
	return out
}

// next returns what the first n bytes of text are written as: user-defined entries as they are, then what the map of characters
// says, else the character; a byte that is no UTF-8 becomes U+FFFD.
func (u *unigram) next(text string) (to []byte, n int) {
	if _, n := u.user.longest(text); n > 0 {
		return []byte(text[:n]), n
	}
	if to, n := u.chars.replace(text); n > 0 {
		return to, n
	}
	r, n := decodeRune(text)
	return appendRune(nil, r), n
}

func (u *unigram) spell(dst []byte, text string) []byte { return append(dst, unescapeSpaces(text)...) }
