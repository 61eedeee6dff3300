package jinja

import (
	"strconv"
	"strings"
)

// formatter is one run of str.format: {} fields with attributes, items, conversions and format specifications.
type formatter struct {
	s      *state
	args   *callArgs // without the text itself
	lookup *Dict     // for format_map, in place of the keywords
	auto   int       // next automatic number; -1 once numbers were written out
	markup bool
}

func strFormat(s *state, a *callArgs) Value {
	f := &formatter{s: s, args: &callArgs{a.pos[1:], a.names, a.named}}
	return f.run(a.pos[0])
}

func strFormatMap(s *state, a []Value) Value {
	d, ok := a[1].(*Dict)
	if !ok {
		s.wrongType(a[1], "format_map", "a mapping")
	}
	return (&formatter{s: s, args: &callArgs{}, lookup: d}).run(a[0])
}

func (f *formatter) run(format Value) Value {
	t, _ := text(format)
	_, f.markup = format.(Markup)
	return like(format, f.s.sized(f.expand(t, 2)))
}

func (f *formatter) fail(message string) { f.s.failf(RuntimeError, "%s", message) }

// expand replaces the fields in t; a specification may hold fields of its own, one level deep.
func (f *formatter) expand(t string, depth int) string {
	if depth == 0 {
		f.fail("format: max string recursion exceeded")
	}
	var b strings.Builder
	for t != "" {
		i := strings.IndexAny(t, "{}")
		if i < 0 {
			b.WriteString(t)
			break
		}
		b.WriteString(t[:i])
		if strings.HasPrefix(t[i:], "{{") || strings.HasPrefix(t[i:], "}}") {
			b.WriteByte(t[i])
			t = t[i+2:]
			continue
		}
		field, rest := f.cutField(t[i:])
		b.WriteString(f.field(field, depth))
		if b.Len() > f.s.limits.Size {
			f.s.reserve(b.Len())
		}
		t = rest
	}
	return b.String()
}

// cutField returns what stands within the braces that t begins with, and what follows.
func (f *formatter) cutField(t string) (field, rest string) {
	if t[0] == '}' {
		f.fail("Single '}' encountered in format string")
	}
	level := 0
	for i := range len(t) {
		switch t[i] {
		case '{':
			level++
		case '}':
			level--
			if level == 0 {
				return t[1:i], t[i+1:]
			}
		}
	}
	f.fail("expected '}' before end of string")
	return "", ""
}

func (f *formatter) field(field string, depth int) string {
	f.s.spend(1)
	name, conversion, format := splitField(field)
	v := f.value(name)
	switch conversion {
	case "":
	case "s":
		v = f.s.str(v)
	case "r":
		v = f.s.repr(v)
	case "a":
		v = asciiRepr(f.s.repr(v))
	default:
		f.s.failf(RuntimeError, "Unknown conversion specifier %s", conversion)
	}
	out := f.s.formatSpec(v, f.expand(format, depth-1+boolInt(format == "")))
	if _, safe := v.(Markup); f.markup && !safe {
		return f.s.escape(out)
	}
	return out
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// splitField cuts name!conversion:format; a [ ] may hold either sign.
func splitField(field string) (name, conversion, format string) {
	end, inItem := len(field), false
	for i := range len(field) {
		c := field[i]
		inItem = (inItem || c == '[') && c != ']'
		if !inItem && (c == '!' || c == ':') {
			end = i
			break
		}
	}
	name, rest := field[:end], field[end:]
	if strings.HasPrefix(rest, "!") {
		conversion, format, _ = strings.Cut(rest[1:], ":")
		return name, conversion, format
	}
	return name, "", strings.TrimPrefix(rest, ":")
}

// value resolves name.attr[item]...
func (f *formatter) value(name string) Value {
	end := strings.IndexAny(name, ".[")
	if end < 0 {
		end = len(name)
	}
	v := f.first(name[:end])
	for rest := name[end:]; rest != ""; {
		f.s.spend(1)
		n := strings.IndexAny(rest[1:], ".[") + 1
		if n == 0 {
			n = len(rest)
		}
		if rest[0] == '.' {
			v = f.s.getAttr(v, rest[1:n])
		} else {
			v = f.s.getItem(v, f.itemKey(rest[1:n]))
		}
		rest = rest[n:]
	}
	return v
}

func (f *formatter) itemKey(t string) Value {
	key, ok := strings.CutSuffix(t, "]")
	if !ok || key == "" {
		f.fail("format: a [ without its ], or nothing between them")
	}
	if n, err := strconv.ParseUint(key, 10, 31); err == nil {
		return int64(n)
	}
	return key
}

func (f *formatter) first(name string) Value {
	n, err := strconv.ParseUint(name, 10, 31)
	switch {
	case name == "" && f.auto >= 0:
		n = uint64(f.auto)
		f.auto++
	case err == nil && f.auto <= 0:
		f.auto = -1
	case name == "" || err == nil:
		f.fail("cannot mix automatic field numbering with manual field specification")
	default:
		return f.keyword(name)
	}
	if int(n) >= len(f.args.pos) {
		f.s.failf(RuntimeError, "format: replacement index %d out of range", n)
	}
	return f.args.pos[n]
}

func (f *formatter) keyword(name string) Value {
	if f.lookup != nil {
		if v, ok := f.lookup.Get(name); ok {
			return v
		}
	}
	for i, n := range f.args.names {
		if n == name {
			return f.args.named[i]
		}
	}
	f.s.failf(RuntimeError, "format: no argument '%s'", name)
	return nil
}
