package vocab

// gpt2Words is GPT-2's pattern, the whole of it: what \s+(?!\S) leaves, a single blank, is a piece as well.
//
//	's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)
func gpt2Words(t *text, i, hi int) int {
	if end := contraction(t, i, hi, false); end > i {
		return end
	}
	for _, set := range [...]class{letter, number, anyClass &^ (letter | number | space)} {
		if end := spaced(t, i, hi, set); end > i {
			return end
		}
	}
	return blanks(t, i, hi)
}

// words describes the family of patterns that began with GPT-4's:
//
//	(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
type words struct {
	noContractions bool    // without the first alternative
	longS          bool    // its (?i) knows that the long s, U+017F, is an s too
	letters        matcher // \p{L}+ unless set
	digits         int     // how many digits are a piece; 0: any number
	marks          bool    // \p{M} counts as a letter after punctuation too: [^\s\p{L}\p{M}\p{N}]+
	tail           matcher // [\r\n]* unless set
	blanks         matcher // \s+(?!\S)|\s+ unless set
}

func (w words) splitter() splitter {
	if w.letters == nil {
		w.letters = func(t *text, i, hi int) int { return t.run(i, hi, letter) }
	}
	if w.tail == nil {
		w.tail = lineBreaks
	}
	if w.blanks == nil {
		w.blanks = blanks
	}
	return cut(w.match)
}

func (w words) match(t *text, i, hi int) int {
	if !w.noContractions {
		if end := contraction(t, i, hi, true); end > i {
			return end
		}
		if w.longS && t.isRune(i, hi, '\'') && t.isRune(i+1, hi, 'ſ') {
			return i + 2
		}
	}
	if !t.newline(i, hi) && t.c[i]&(letter|number) == 0 {
		if end := w.letters(t, i+1, hi); end > i+1 {
			return end
		}
	}
	if end := w.letters(t, i, hi); end > i {
		return end
	}
	if end := upTo(t, i, hi, number, w.digits); end > i {
		return end
	}
	set := anyClass &^ (space | letter | number)
	if w.marks {
		set &^= mark
	}
	if end := spaced(t, i, hi, set); end > i {
		return w.tail(t, end, hi)
	}
	if end := lineEnd(t, i, hi); end > i {
		return end
	}
	return w.blanks(t, i, hi)
}

// lineBreaks matches [\r\n]*.
func lineBreaks(t *text, i, hi int) int {
	for t.newline(i, hi) {
		i++
	}
	return i
}

// lineBreaksOrSlashes matches [\r\n/]*.
func lineBreaksOrSlashes(t *text, i, hi int) int {
	for t.newline(i, hi) || t.isRune(i, hi, '/') {
		i++
	}
	return i
}

// oneLineBreakOrSlash matches [\r\n/]?.
func oneLineBreakOrSlash(t *text, i, hi int) int {
	if t.newline(i, hi) || t.isRune(i, hi, '/') {
		i++
	}
	return i
}

// nothing matches the empty string.
func nothing(_ *text, i, _ int) int { return i }

// lettersAndMarks matches [\p{L}\p{M}]+.
func lettersAndMarks(t *text, i, hi int) int { return t.run(i, hi, letter|mark) }

// phrase matches (?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+, words joined by single spaces (EXAONE MoE).
func phrase(t *text, i, hi int) int {
	end := i
	for {
		j := end
		if end > i && t.isRune(j, hi, ' ') {
			j++
		}
		if !t.is(j, hi, letter) {
			return end
		}
		end = t.run(j+1, hi, mark)
	}
}

// k2Letters matches (?:\p{L}|\p{M}|\u200C|\u200D)+ (K2 Horizon).
func k2Letters(t *text, i, hi int) int {
	for t.is(i, hi, letter|mark) || t.isRune(i, hi, '\u200c') || t.isRune(i, hi, '\u200d') {
		i++
	}
	return i
}

// cascade matches \s{512}(?!\S)|\s{256}(?!\S)|...|\s{4}(?!\S)|\s{1,2}(?!\S)|\s{1}: white space in powers of two (Jais 2).
func cascade(t *text, i, hi int) int {
	ws := t.run(i, min(hi, i+513), space) - i
	if ws == 0 {
		return i
	}
	free := ws // how much may be taken so that no \S follows
	if i+ws < hi && t.c[i+ws] != space {
		free--
	}
	for n := 512; n >= 4; n /= 2 {
		if n <= free {
			return i + n
		}
	}
	return i + max(1, min(2, free))
}

// cased describes patterns that end a word where lower case is followed by upper case. U is a letter but not a-z, L one but
// not A-Z (see the note on categories in split.go).
//
//	[^\r\n\p{L}\p{N}]?U*L+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?U+L*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|
//	\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+
type cased struct {
	letters      class // letter, or letter|mark
	contractions bool  // with the optional contraction after a word
	digits       int
	anyCase      bool // U and L are both all letters: one run is one word
}

func (c cased) splitter() splitter { return cut(c.match) }

func (c cased) match(t *text, i, hi int) int {
	if end := c.word(t, i, hi); end > i {
		if c.contractions {
			end = contraction(t, end, hi, true)
		}
		return end
	}
	if end := upTo(t, i, hi, number, c.digits); end > i {
		return end
	}
	if end := spaced(t, i, hi, anyClass&^(space|letter|number)); end > i {
		return lineBreaksOrSlashes(t, end, hi)
	}
	return lineEndOrBlanks(t, i, hi)
}

// word tries the two alternatives, each with the character in front and without it.
func (c cased) word(t *text, i, hi int) int {
	prefix := !t.newline(i, hi) && t.c[i]&(letter|number) == 0
	for _, m := range [...]matcher{c.upperLower, c.upper} {
		if prefix {
			if end := m(t, i+1, hi); end > i+1 {
				return end
			}
		}
		if end := m(t, i, hi); end > i {
			return end
		}
	}
	return i
}

// upperLower matches U*L+. When no a-z follows the run of U, the run gives back its end up to the last character that is
// an L as well.
func (c cased) upperLower(t *text, i, hi int) int {
	end := i
	for c.isUpper(t, end, hi) {
		end++
	}
	if !c.isLower(t, end, hi) {
		for end--; end >= i && !c.isLower(t, end, hi); end-- {
		}
		if end < i {
			return i
		}
	}
	for c.isLower(t, end, hi) {
		end++
	}
	return end
}

// upper matches U+L*.
func (c cased) upper(t *text, i, hi int) int {
	end := i
	for c.isUpper(t, end, hi) {
		end++
	}
	if end == i {
		return i
	}
	for c.isLower(t, end, hi) {
		end++
	}
	return end
}

func (c cased) isUpper(t *text, i, hi int) bool {
	return t.is(i, hi, c.letters) && (c.anyCase || t.r[i] < 'a' || t.r[i] > 'z')
}

func (c cased) isLower(t *text, i, hi int) bool {
	return t.is(i, hi, c.letters) && (c.anyCase || t.r[i] < 'A' || t.r[i] > 'Z')
}
