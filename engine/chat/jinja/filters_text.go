package jinja

import (
	"strings"
	"unicode"
)

// filterTitle upper-cases the first character of every word, where a word begins after white space or one of -({[<.
func filterTitle(s *state, a []Value) Value {
	v := s.softText(a[0])
	t, _ := text(v)
	s.spend(len(t) / bytesPerStep)
	var b strings.Builder
	start := true
	for _, r := range t {
		if start {
			b.WriteString(upper(string(r)))
		} else {
			b.WriteString(lower(string(r)))
		}
		start = isSpace(r) || strings.ContainsRune("-({[<", r)
	}
	return s.sized(b.String())
}

func filterTrim(s *state, a []Value) Value {
	return strMethods["strip"].bound(s, []Value{s.softText(a[0]), a[1]})
}

func filterCenter(s *state, a []Value) Value {
	return strCenter(s, []Value{s.softText(a[0]), a[1], " "})
}

// indentation is the width of an indent: a number of spaces, or the text itself.
func (s *state) indentation(v Value) string {
	if t, ok := text(v); ok {
		return t
	}
	n := max(s.wantInt(v, "indent"), 0)
	s.reserve(n)
	return strings.Repeat(" ", n)
}

// filterIndent indents all lines but the first and the blank ones, unless told otherwise.
func filterIndent(s *state, a []Value) Value {
	t := s.wantText(a[0], "indent")
	indent, first, blank := s.indentation(a[1]), s.truth(a[2]), s.truth(a[3])
	lines := s.splitLines(t+"\n", false)
	s.reserveTimes(len(indent)+1, len(lines))
	s.reserve(len(t))
	var b strings.Builder
	for i, line := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		if i == 0 && first || i > 0 && (blank || line != "") {
			b.WriteString(indent)
		}
		b.WriteString(line)
	}
	return like(a[0], b.String())
}

func filterReplace(s *state, a []Value) Value {
	count := -1
	if a[3] != nil {
		count = s.wantInt(a[3], "replace")
	}
	return s.replace(s.str(a[0]), s.str(a[1]), s.str(a[2]), count)
}

// filterTruncate cuts at a word, or anywhere with killwords; texts that are only leeway too long stay.
func filterTruncate(s *state, a []Value) Value {
	length, end := s.wantInt(a[1], "truncate"), s.wantText(a[3], "truncate")
	leeway := 5
	if a[4] != nil {
		leeway = s.wantInt(a[4], "truncate")
	}
	if length < s.runes(end) || leeway < 0 {
		s.failf(RuntimeError, "truncate: expected length >= %d, got %d", s.runes(end), length)
	}
	if n, ok := s.size(a[0]); ok && n <= length+leeway {
		return a[0]
	}
	t := s.wantText(a[0], "truncate")
	cut := t[:runeOffset(t, length-s.runes(end))]
	if !s.truth(a[2]) {
		if i := strings.LastIndex(cut, " "); i >= 0 {
			cut = cut[:i]
		}
	}
	return like(a[0], s.sized(cut+end))
}

func filterWordCount(s *state, a []Value) Value {
	t := s.str(a[0])
	s.spend(len(t) / bytesPerStep)
	n, inWord := int64(0), false
	for _, r := range t {
		if isWord(r) && !inWord {
			n++
		}
		inWord = isWord(r)
	}
	return n
}

// isWord is Python's \w.
func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) }

// filterFormat is printf-style formatting; with keywords for %(name)s.
func filterFormat(s *state, a *callArgs) Value {
	if len(a.pos) > 1 && len(a.names) > 0 {
		s.failf(RuntimeError, "format: can't handle positional and keyword arguments at the same time")
	}
	format := s.softText(a.pos[0])
	if len(a.names) > 0 {
		return s.formatPercent(format, a.dict())
	}
	return s.formatPercent(format, Tuple(a.pos[1:]))
}
