package jinja

import (
	"strings"
	"unicode/utf8"
)

// texts makes a list of the parts of a str, each of the same kind as model.
func (s *state) texts(model Value, parts []string) *List {
	items := make([]Value, len(parts))
	for i, p := range parts {
		items[i] = like(model, p)
	}
	return s.list(items)
}

func splitLeft(t, sep string, limit int) []string {
	if limit < 0 {
		return strings.Split(t, sep)
	}
	return strings.SplitN(t, sep, limit+1)
}

// splitMethod splits at white space without a separator, else at the separator.
func splitMethod(space func(t string, limit int) []string, at func(t, sep string, limit int) []string) func(*state, []Value) Value {
	return func(s *state, a []Value) Value {
		t, _ := text(a[0])
		limit := min(s.wantInt(a[2], "split"), len(t))
		if a[1] == nil {
			s.reserveTimes(itemBytes, len(t)/2) // at most a part for every other character
			return s.texts(a[0], space(t, limit))
		}
		sep := s.separator(a[1])
		s.reserveTimes(itemBytes, strings.Count(t, sep))
		return s.texts(a[0], at(t, sep, limit))
	}
}

func (s *state) separator(v Value) string {
	sep := s.wantText(v, "separator")
	if sep == "" {
		s.failf(RuntimeError, "empty separator")
	}
	return sep
}

// splitLines is splitLines within the limits.
func (s *state) splitLines(t string, keepEnds bool) []string {
	s.spend(len(t) / bytesPerStep)
	n := 0
	for i := range len(t) {
		switch c := t[i]; {
		case c >= '\n' && c <= '\r', c >= 0x1c && c <= 0x1e, c == 0x85, c == 0xa8, c == 0xa9: // also bytes of longer ones
			n++
		}
	}
	s.reserveTimes(itemBytes, n)
	return splitLines(t, keepEnds)
}

func strSplitLines(s *state, a []Value) Value {
	t, _ := text(a[0])
	return s.texts(a[0], s.splitLines(t, s.truth(a[1])))
}

func strPartition(s *state, a []Value) Value {
	t, _ := text(a[0])
	sep := s.separator(a[1])
	if i := strings.Index(t, sep); i >= 0 {
		return parts3(a[0], t[:i], sep, t[i+len(sep):])
	}
	return parts3(a[0], t, "", "")
}

func strRPartition(s *state, a []Value) Value {
	t, _ := text(a[0])
	sep := s.separator(a[1])
	if i := strings.LastIndex(t, sep); i >= 0 {
		return parts3(a[0], t[:i], sep, t[i+len(sep):])
	}
	return parts3(a[0], "", "", t)
}

func parts3(model Value, before, sep, after string) Value {
	return Tuple{like(model, before), like(model, sep), like(model, after)}
}

// strJoin joins texts only, as Python does; joined by Markup, they are escaped.
func strJoin(s *state, a []Value) Value {
	sep, _ := text(a[0])
	_, markup := a[0].(Markup)
	items := s.items(a[1])
	parts := make([]string, len(items))
	for i, item := range items {
		if markup {
			parts[i] = s.escapeValue(item)
			continue
		}
		t, ok := text(item)
		if !ok {
			s.failf(RuntimeError, "sequence item %d: expected str instance, %s found", i, typeName(item))
		}
		parts[i] = t
	}
	return like(a[0], s.join(parts, sep))
}

// join is strings.Join within the limits.
func (s *state) join(parts []string, sep string) string {
	s.reserveTimes(len(sep), len(parts))
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	s.reserve(n)
	return strings.Join(parts, sep)
}

func strReplace(s *state, a []Value) Value {
	t, _ := text(a[0])
	old, new := s.wantText(a[1], "replace"), s.wantText(a[2], "replace")
	if _, ok := a[0].(Markup); ok {
		new = s.escapeValue(a[2])
	}
	return like(a[0], s.replace(t, old, new, s.wantInt(a[3], "replace")))
}

// replace is strings.Replace within the limits.
func (s *state) replace(t, old, new string, count int) string {
	s.spend(len(t) / bytesPerStep)
	n := strings.Count(t, old)
	if count >= 0 {
		n = min(n, count)
	}
	s.reserveTimes(len(new), n)
	s.reserve(len(t))
	return strings.Replace(t, old, new, n)
}

// padMethod fills up to a width; left says how much of the fill goes in front.
func padMethod(left func(fill int) int) func(*state, []Value) Value {
	return func(s *state, a []Value) Value {
		t, _ := text(a[0])
		char := s.wantText(a[2], "fillchar")
		if utf8.RuneCountInString(char) != 1 {
			s.failf(RuntimeError, "the fill character must be exactly one character long")
		}
		return like(a[0], s.pad(t, s.wantInt(a[1], "width"), char, left))
	}
}

func (s *state) pad(t string, width int, char string, left func(fill int) int) string {
	fill := width - s.runes(t)
	if fill <= 0 {
		return t
	}
	s.reserveTimes(len(char), fill)
	s.reserve(len(t))
	n := left(fill)
	return strings.Repeat(char, n) + t + strings.Repeat(char, fill-n)
}

// centerLeft is how Python's str.center shares an odd fill: the extra character goes left when the width is odd.
func centerLeft(width int) func(fill int) int {
	return func(fill int) int { return fill/2 + fill&width&1 }
}

func strCenter(s *state, a []Value) Value {
	return padMethod(centerLeft(s.wantInt(a[1], "width")))(s, a)
}

func strZfill(s *state, a []Value) Value {
	t, _ := text(a[0])
	width := s.wantInt(a[1], "width")
	sign := ""
	if strings.HasPrefix(t, "+") || strings.HasPrefix(t, "-") {
		sign, t = t[:1], t[1:]
	}
	return like(a[0], sign+s.pad(t, width-len(sign), "0", func(n int) int { return n }))
}

func strExpandTabs(s *state, a []Value) Value {
	t, _ := text(a[0])
	size := s.wantInt(a[1], "tabsize")
	s.reserveTimes(max(size, 0), strings.Count(t, "\t"))
	s.reserve(len(t))
	var b strings.Builder
	column := 0
	for _, r := range t {
		switch {
		case r == '\t' && size > 0:
			n := size - column%size
			b.WriteString(strings.Repeat(" ", n))
			column += n
		case r == '\n' || r == '\r':
			b.WriteRune(r)
			column = 0
		case r != '\t':
			b.WriteRune(r)
			column++
		}
	}
	return like(a[0], b.String())
}

func strEncode(s *state, a []Value) Value {
	t, _ := text(a[0])
	switch strings.ToLower(s.wantText(a[1], "encoding")) {
	case "utf-8", "utf8":
		return Bytes(t)
	case "ascii", "us-ascii":
		if isASCII(t) {
			return Bytes(t)
		}
		s.failf(RuntimeError, "the text is not ASCII")
	}
	s.failf(RuntimeError, "unknown encoding: %s", s.str(a[1]))
	return nil
}

var bytesMethods = map[string]*builtin{
	"decode": fn("bytes.decode", "self, encoding='utf-8', errors='strict'", func(s *state, a []Value) Value {
		return s.sized(string(a[0].(Bytes)))
	}),
}
