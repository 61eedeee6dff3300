package vocab

// Splitting a text into words before byte-pair encoding ("pre-tokenizing") is one or more passes over the text, each of
// which cuts every piece that the pass before it left. A tokenizer's passes are published as regular expressions, which
// stand above the functions that do their work here: a general engine for them needs look-ahead, and is ten to forty times
// slower than a loop over character classes.
//
// What counts is not what the expression means in Unicode but what llama.cpp makes of it, since that is what models met in
// GGUF files are run with. Where it evaluates expressions itself, it first collapses every character above ASCII to its
// general category. Two things follow that look odd beside the original expressions:
//   - \p{Lu}, \p{Ll}, \p{Lt}, \p{Lm} and \p{Lo} all mean \p{L}; where a pattern tells cases apart, only A-Z and a-z count.
//   - \d and \w are ASCII, and white space above ASCII is no member of any set that names characters.

// A splitter cuts the piece [lo, hi) of t into smaller ones and appends their ends to out; the last is hi. lo < hi.
type splitter func(t *text, lo, hi int, out []int) []int

// A matcher is a regular expression tried at one place: the end of what it matches at i, which is i for no match.
type matcher func(t *text, i, hi int) int

// cut makes a splitter of a matcher: what matches is a piece, and so is what lies between two matches.
func cut(m matcher) splitter {
	return func(t *text, lo, hi int, out []int) []int {
		from := lo
		for i := lo; i < hi; {
			end := m(t, i, hi)
			if end == i {
				i++
				continue
			}
			if from < i {
				out = append(out, i)
			}
			out = append(out, end)
			from, i = end, end
		}
		if from < hi {
			out = append(out, hi)
		}
		return out
	}
}

// splitAll runs the passes over t and returns the ends of the pieces; a and b are buffers, one of which is returned.
func splitAll(t *text, passes []splitter, a, b []int) (ends, spare []int) {
	a = a[:0]
	if len(t.r) > 0 {
		a = append(a, len(t.r))
	}
	for _, pass := range passes {
		b = b[:0]
		lo := 0
		for _, hi := range a {
			b = pass(t, lo, hi, b)
			lo = hi
		}
		a, b = b, a
	}
	return a, b
}

// contraction matches 's|'t|'re|'ve|'m|'ll|'d; with fold in either case.
func contraction(t *text, i, hi int, fold bool) int {
	if !t.isRune(i, hi, '\'') || i+1 >= hi {
		return i
	}
	lower := func(r rune) rune {
		if fold && r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}
	switch a := lower(t.r[i+1]); a {
	case 's', 't', 'm', 'd':
		return i + 2
	case 'r', 'v', 'l':
		if i+2 < hi {
			if b := lower(t.r[i+2]); a == 'l' && b == 'l' || a != 'l' && b == 'e' {
				return i + 3
			}
		}
	}
	return i
}

// blanks matches \s+(?!\S)|\s+: white space without the last character, which goes with the word that follows.
func blanks(t *text, i, hi int) int {
	end := t.run(i, hi, space)
	if end < hi && end > i+1 {
		return end - 1
	}
	return end
}

// lineEnd matches \s*[\r\n]+, and \s*[\r\n], which takes the same: white space up to its last line break.
func lineEnd(t *text, i, hi int) int {
	end := i
	for ; i < hi && t.c[i] == space; i++ {
		if t.newline(i, hi) {
			end = i + 1
		}
	}
	return end
}

// lineEndOrBlanks matches \s*[\r\n]+|\s+(?!\S)|\s+.
func lineEndOrBlanks(t *text, i, hi int) int {
	if end := lineEnd(t, i, hi); end > i {
		return end
	}
	return blanks(t, i, hi)
}

// upTo matches up to n characters of the given classes, \p{N}{1,3} for example; n = 0 is any number.
func upTo(t *text, i, hi int, set class, n int) int {
	if n > 0 && hi > i+n {
		hi = i + n
	}
	return t.run(i, hi, set)
}

// spaced matches " ?[set]+".
func spaced(t *text, i, hi int, set class) int {
	from := i
	if t.isRune(i, hi, ' ') {
		from++
	}
	if end := t.run(from, hi, set); end > from {
		return end
	}
	return i
}
