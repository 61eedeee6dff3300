package vocab

import "unicode"

// deepseekWords is DeepSeek V3's main pattern. Numbers are not in it: a pass before it has cut them out.
//
//	[!-/:-@\[-`{-~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
func deepseekWords(t *text, i, hi int) int {
	if end := wordOrPunct(t, i, hi); end > i {
		if t.c[end-1]&(punct|symbol) != 0 {
			end = lineBreaks(t, end, hi)
		}
		return end
	}
	return lineEndOrBlanks(t, i, hi)
}

// sparkWords is Spark's variant, in which every line break is a piece: the third alternative is " ?[\p{P}\p{S}]+" and the
// fourth [\r\n].
func sparkWords(t *text, i, hi int) int {
	if end := wordOrPunct(t, i, hi); end > i {
		return end
	}
	if t.newline(i, hi) {
		return i + 1
	}
	return blanks(t, i, hi)
}

// wordOrPunct matches [!-/:-@\[-`{-~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+.
func wordOrPunct(t *text, i, hi int) int {
	if t.is(i, hi, punct|symbol) && t.r[i] < 0x80 {
		if end := t.runOf(i+1, hi, asciiLetter); end > i+1 {
			return end
		}
	}
	if !t.newline(i, hi) && t.c[i]&(letter|punct|symbol) == 0 {
		if end := lettersAndMarks(t, i+1, hi); end > i+1 {
			return end
		}
	}
	if end := lettersAndMarks(t, i, hi); end > i {
		return end
	}
	return spaced(t, i, hi, punct|symbol)
}

func asciiLetter(r rune) bool { return r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' }

// kimiWords is Kimi K2's pattern as llama.cpp runs it: Han characters apart, then words of letters with the contraction after
// them, then as in words. Marks do not count as letters, though the published pattern says so.
//
//	[\p{Han}]+|[^\r\n\p{L}\p{N}]?(letters that are not Han)+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}|
//	 ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
func kimiWords(t *text, i, hi int) int {
	if end := t.runOf(i, hi, isHan); end > i {
		return end
	}
	from := i
	if !t.newline(i, hi) && t.c[i]&(letter|number) == 0 {
		from++
	}
	if end := nonHanLetters(t, from, hi); end > from {
		return contraction(t, end, hi, true)
	}
	if end := upTo(t, i, hi, number, 3); end > i {
		return end
	}
	if end := spaced(t, i, hi, anyClass&^(space|letter|number)); end > i {
		return lineBreaks(t, end, hi)
	}
	return lineEndOrBlanks(t, i, hi)
}

func nonHanLetters(t *text, i, hi int) int {
	for t.is(i, hi, letter) && !isHan(t.r[i]) {
		i++
	}
	return i
}

// youtuScripts is the first pass of Youtu's pattern: Hangul, CJK punctuation, Bopomofo, and Han with kana, each a run.
func youtuScripts(t *text, i, hi int) int {
	for _, table := range [...]*unicode.RangeTable{youtuHangul, youtuPunct, bopomofo, hanKana} {
		if end := within(table)(t, i, hi); end > i {
			return end
		}
	}
	return i
}
