package vocab

import "unicode"

// upToN matches [set]{1,n} for classes; n = 0 is [set]+.
func upToN(set class, n int) splitter {
	return cut(func(t *text, i, hi int) int { return upTo(t, i, hi, set, n) })
}

// runsOf matches [table]+.
func runsOf(table *unicode.RangeTable) splitter { return cut(within(table)) }

// within matches [table]*. White space is in no set of characters (see split.go), so tables leave it out.
func within(table *unicode.RangeTable) matcher {
	return func(t *text, i, hi int) int {
		for i < hi && unicode.Is(table, t.r[i]) {
			i++
		}
		return i
	}
}

// ofClass matches [set]* for classes.
func ofClass(set class) matcher {
	return func(t *text, i, hi int) int { return t.run(i, hi, set) }
}

// afterBlank matches \s?[set]+.
func afterBlank(run matcher) splitter {
	return cut(func(t *text, i, hi int) int {
		from := i
		if t.is(i, hi, space) {
			from++
		}
		if end := run(t, from, hi); end > from {
			return end
		}
		return run(t, i, hi)
	})
}

// oneLineBreak matches [\r\n].
func oneLineBreak(t *text, i, hi int) int {
	if t.newline(i, hi) {
		i++
	}
	return i
}

// onePunct matches [\p{P}!-/:-@\[-`{-~].
func onePunct(t *text, i, hi int) int {
	if t.c[i] == punct || t.c[i] == symbol && t.r[i] < 0x80 {
		i++
	}
	return i
}

// lines matches [^\n]+|[\n]+: runs of line feeds and what is between them.
var lines = cut(func(t *text, i, hi int) int {
	if t.r[i] == '\n' {
		return t.runOf(i, hi, func(r rune) bool { return r == '\n' })
	}
	return t.runOf(i, hi, func(r rune) bool { return r != '\n' })
})

// trailingBlanks matches \s+$.
func trailingBlanks(t *text, lo, hi int, out []int) []int {
	i := hi
	for i > lo && t.c[i-1] == space {
		i--
	}
	if i > lo && i < hi {
		out = append(out, i)
	}
	return append(out, hi)
}

// sentence matches " ?[^(\s|.,!?…。，、।۔،)]+", BLOOM's pattern: the parentheses and the bar are members of the set.
func sentence(t *text, i, hi int) int {
	inside := func(r rune) bool { return !unicode.Is(sentenceEnds, r) }
	from := i
	if t.isRune(i, hi, ' ') {
		from++
	}
	end := from
	for end < hi && t.c[end] != space && inside(t.r[end]) {
		end++
	}
	if end == from {
		return i
	}
	return end
}

// threeDigits matches [0-9][0-9][0-9].
func threeDigits(t *text, i, hi int) int {
	for k := range 3 {
		if i+k >= hi || t.r[i+k] < '0' || t.r[i+k] > '9' {
			return i
		}
	}
	return i + 3
}

// operators matches [\p{P}\$\+<=>\^~\|]+, Falcon's with the grave accent too.
func operators(grave bool) splitter {
	return cut(func(t *text, i, hi int) int {
		for i < hi && (t.c[i] == punct || t.c[i] == symbol && t.r[i] < 0x80 && (grave || t.r[i] != '`')) {
			i++
		}
		return i
	})
}

// groupsFromRight cuts digits in threes from the right, "1234567" into "1", "234" and "567". What stands before the digits
// stays with their first group, as it does in llama.cpp, which finds no end there; the next pass separates them.
//
//	\d{1,3}(?=(?:\d{3})*\b)
func groupsFromRight(t *text, lo, hi int, out []int) []int {
	from := lo
	for i := lo; i < hi; {
		end := t.run(i, hi, number)
		if end == i {
			i++
			continue
		}
		for n := end - i; n > 0; n = end - i {
			i += (n-1)%3 + 1
			out = append(out, i)
		}
		from = end
	}
	if from < hi {
		out = append(out, hi)
	}
	return out
}

// beforeThrees cuts before every group of three digits counted from the right, and not before the first digit of a run
// unless something precedes it; the expression matches no character.
//
//	(?=(\d{3})+(?!\d))
func beforeThrees(t *text, lo, hi int, out []int) []int {
	for i := lo; i < hi; {
		end := t.runOf(i, hi, func(r rune) bool { return r >= '0' && r <= '9' })
		if end == i {
			i++
			continue
		}
		for i += (end - i) % 3; i < end; i += 3 {
			if i > lo {
				out = append(out, i)
			}
		}
	}
	return append(out, hi)
}

// sentinels matches <sentinel:[0-9]+>, Chameleon's first pattern.
func sentinels(t *text, i, hi int) int {
	end, ok := literal(t, i, hi, "<sentinel:")
	if !ok {
		return i
	}
	digits := t.runOf(end, hi, func(r rune) bool { return r >= '0' && r <= '9' })
	if digits == end || !t.isRune(digits, hi, '>') {
		return i
	}
	return digits + 1
}

// imageTokens matches (IMGIMG)((A|B|C|D|E|F|G|H|I){1,4})Z.
func imageTokens(t *text, i, hi int) int {
	end, ok := literal(t, i, hi, "IMGIMG")
	if !ok {
		return i
	}
	letters := t.runOf(end, min(hi, end+4), func(r rune) bool { return r >= 'A' && r <= 'I' })
	if letters == end || !t.isRune(letters, hi, 'Z') {
		return i
	}
	return letters + 1
}

// indents matches ([\t\n]|    |  ): a tab, a line feed, four spaces or two.
func indents(t *text, i, hi int) int {
	if t.isRune(i, hi, '\t') || t.isRune(i, hi, '\n') {
		return i + 1
	}
	for _, s := range [...]string{"    ", "  "} {
		if end, ok := literal(t, i, hi, s); ok {
			return end
		}
	}
	return i
}

// literal matches an ASCII string.
func literal(t *text, i, hi int, s string) (int, bool) {
	for k := range len(s) {
		if !t.isRune(i+k, hi, rune(s[k])) {
			return i, false
		}
	}
	return i + len(s), true
}
