package jinja

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// strMethods are the methods of str. Those that give text give Markup when called on Markup.
var strMethods map[string]*builtin

func init() {
	strMethods = map[string]*builtin{
		"upper":      mapText("upper", upper),
		"lower":      mapText("lower", lower),
		"casefold":   mapText("casefold", func(t string) string { return strings.ReplaceAll(lower(t), "ß", "ss") }),
		"title":      mapText("title", title),
		"capitalize": mapText("capitalize", capitalize),
		"swapcase":   mapText("swapcase", swapCase),

		"isalpha":   askText("isalpha", func(t string) bool { return every(t, unicode.IsLetter) }),
		"isdigit":   askText("isdigit", func(t string) bool { return every(t, isDigit) }),
		"isdecimal": askText("isdecimal", func(t string) bool { return every(t, unicode.IsDigit) }),
		"isnumeric": askText("isnumeric", func(t string) bool { return every(t, unicode.IsNumber) }),
		"isalnum": askText("isalnum", func(t string) bool {
			return every(t, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
		}),
		"isspace":      askText("isspace", func(t string) bool { return every(t, isSpace) }),
		"islower":      askText("islower", isLower),
		"isupper":      askText("isupper", isUpper),
		"istitle":      askText("istitle", isTitle),
		"isascii":      askText("isascii", isASCII),
		"isprintable":  askText("isprintable", func(t string) bool { return t == "" || every(t, printable) }),
		"isidentifier": askText("isidentifier", isIdentifier),

		"strip":        fn("str.strip", "self, chars=none", stripMethod(strings.Trim, strings.TrimFunc)),
		"lstrip":       fn("str.lstrip", "self, chars=none", stripMethod(strings.TrimLeft, strings.TrimLeftFunc)),
		"rstrip":       fn("str.rstrip", "self, chars=none", stripMethod(strings.TrimRight, strings.TrimRightFunc)),
		"removeprefix": fn("str.removeprefix", "self, prefix", cutMethod(strings.TrimPrefix)),
		"removesuffix": fn("str.removesuffix", "self, suffix", cutMethod(strings.TrimSuffix)),
		"startswith":   fn("str.startswith", "self, prefix, start=none, end=none", affixMethod(strings.HasPrefix)),
		"endswith":     fn("str.endswith", "self, suffix, start=none, end=none", affixMethod(strings.HasSuffix)),

		"find":   fn("str.find", "self, sub, start=none, end=none", findMethod(strings.Index, false)),
		"rfind":  fn("str.rfind", "self, sub, start=none, end=none", findMethod(strings.LastIndex, false)),
		"index":  fn("str.index", "self, sub, start=none, end=none", findMethod(strings.Index, true)),
		"rindex": fn("str.rindex", "self, sub, start=none, end=none", findMethod(strings.LastIndex, true)),
		"count":  fn("str.count", "self, sub, start=none, end=none", strCount),

		"split":      fn("str.split", "self, sep=none, maxsplit=-1", splitMethod(fields, splitLeft)),
		"rsplit":     fn("str.rsplit", "self, sep=none, maxsplit=-1", splitMethod(fieldsRight, splitRight)),
		"splitlines": fn("str.splitlines", "self, keepends=false", strSplitLines),
		"partition":  fn("str.partition", "self, sep", strPartition),
		"rpartition": fn("str.rpartition", "self, sep", strRPartition),
		"join":       fn("str.join", "self, iterable", strJoin),
		"replace":    fn("str.replace", "self, old, new, count=-1", strReplace),

		"center":     fn("str.center", "self, width, fillchar=' '", strCenter),
		"ljust":      fn("str.ljust", "self, width, fillchar=' '", padMethod(func(int) int { return 0 })),
		"rjust":      fn("str.rjust", "self, width, fillchar=' '", padMethod(func(n int) int { return n })),
		"zfill":      fn("str.zfill", "self, width", strZfill),
		"expandtabs": fn("str.expandtabs", "self, tabsize=8", strExpandTabs),

		"format":     rawFn("str.format", strFormat),
		"format_map": fn("str.format_map", "self, mapping", strFormatMap),
		"encode":     fn("str.encode", "self, encoding='utf-8', errors='strict'", strEncode),
	}
}

// mapText makes a method of a function from text to text.
func mapText(name string, f func(string) string) *builtin {
	return fn("str."+name, "self", func(s *state, a []Value) Value {
		t, _ := text(a[0])
		s.spend(len(t) / bytesPerStep)
		return like(a[0], s.sized(f(t)))
	})
}

// askText makes a method of a question about a text.
func askText(name string, f func(string) bool) *builtin {
	return fn("str."+name, "self", func(s *state, a []Value) Value {
		t, _ := text(a[0])
		s.spend(len(t) / bytesPerStep)
		return f(t)
	})
}

func isIdentifier(t string) bool {
	r, _ := utf8.DecodeRuneInString(t)
	return every(t, isNameRune) && !unicode.IsDigit(r)
}

func stripMethod(cut func(t, chars string) string, space func(string, func(rune) bool) string) func(*state, []Value) Value {
	return func(s *state, a []Value) Value {
		t, _ := text(a[0])
		s.spend(len(t) / bytesPerStep)
		if a[1] == nil {
			return like(a[0], space(t, isSpace))
		}
		chars := s.wantText(a[1], "strip")
		s.spend(len(t) * len(chars) / (4 * bytesPerStep))
		return like(a[0], cut(t, chars))
	}
}

func cutMethod(cut func(t, affix string) string) func(*state, []Value) Value {
	return func(s *state, a []Value) Value {
		t, _ := text(a[0])
		return like(a[0], cut(t, s.wantText(a[1], "prefix or suffix")))
	}
}

// affixMethod takes a text or a tuple of texts.
func affixMethod(has func(t, affix string) bool) func(*state, []Value) Value {
	return func(s *state, a []Value) Value {
		t, _, ok := s.window(a[0], a[2], a[3])
		options, isTuple := a[1].(Tuple)
		if !isTuple {
			options = Tuple{a[1]}
		}
		for _, o := range options {
			s.spend(1)
			if affix := s.wantText(o, "startswith or endswith"); ok && has(t, affix) {
				return true
			}
		}
		return false
	}
}

// window cuts the text to [start:end], as find and its relatives take them; offset is where it begins, in characters.
func (s *state) window(v, start, end Value) (t string, offset int, ok bool) {
	t, _ = text(v)
	if start == nil && end == nil {
		return t, 0, true
	}
	n := s.runes(t)
	lo, ok1 := sliceInt(start, 0)
	hi, ok2 := sliceInt(end, int64(n))
	if !ok1 || !ok2 {
		s.failf(RuntimeError, "slice indices must be integers or None")
	}
	if lo > int64(n) {
		return "", 0, false
	}
	from := clampIndex(lo, int64(n), 0, int64(n))
	to := clampIndex(hi, int64(n), 0, int64(n))
	if from > to {
		return "", int(from), false
	}
	return pickRunes(t, int(from), int(to-from), 1), int(from), true
}

// findMethod returns the position in characters; without a match -1, or an error.
func findMethod(find func(t, sub string) int, must bool) func(*state, []Value) Value {
	return func(s *state, a []Value) Value {
		t, offset, ok := s.window(a[0], a[2], a[3])
		sub := s.wantText(a[1], "find")
		s.spend(len(t) / bytesPerStep)
		if ok {
			if i := find(t, sub); i >= 0 {
				return int64(offset + s.runes(t[:i]))
			}
		}
		if must {
			s.failf(RuntimeError, "substring not found")
		}
		return int64(-1)
	}
}

func strCount(s *state, a []Value) Value {
	t, _, ok := s.window(a[0], a[2], a[3])
	sub := s.wantText(a[1], "count")
	s.spend(len(t) / bytesPerStep)
	if !ok {
		return int64(0)
	}
	return int64(strings.Count(t, sub))
}
