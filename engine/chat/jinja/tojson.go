package jinja

import (
	"fmt"
	"math"
	"math/big"
	"sort"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// jsonWriter is Python's json.dumps as chat templates use it: nothing is escaped for HTML, characters beyond ASCII stay
// unless ensureASCII, keys keep their order unless sortKeys.
type jsonWriter struct {
	s           *state
	b           strings.Builder
	indent      string // of one level
	multiline   bool
	itemSep     string
	keySep      string
	ensureASCII bool
	sortKeys    bool
}

func (w *jsonWriter) value(v Value, level int) {
	w.s.spend(1)
	if w.b.Len() > w.s.limits.Size {
		w.s.reserve(w.b.Len())
	}
	switch v := v.(type) {
	case string:
		w.text(v)
	case Markup:
		w.text(string(v))
	case *List:
		w.list(v.Items, level)
	case Tuple:
		w.list(v, level)
	case *Dict:
		w.dict(v, level)
	case *iterator, *view:
		w.list(w.iterated(v), level)
	default:
		w.b.WriteString(w.scalar(v))
	}
}

// iterated returns what a lazy sequence gives, which json.dumps itself would not take.
func (w *jsonWriter) iterated(v Value) []Value {
	if !w.s.opts.Lenient {
		w.refuse(v)
	}
	return w.s.items(v)
}

func (w *jsonWriter) refuse(v Value) {
	w.s.failf(RuntimeError, "Object of type %s is not JSON serializable", typeName(v))
}

func (w *jsonWriter) scalar(v Value) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case *big.Int:
		return w.s.bigText(v)
	case float64:
		return jsonFloat(v)
	case *Undefined:
		if w.s.opts.Lenient {
			return "null"
		}
	}
	w.refuse(v)
	return ""
}

func jsonFloat(f float64) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 0):
		return map[bool]string{true: "Infinity", false: "-Infinity"}[f > 0]
	}
	return formatFloat(f)
}

func (w *jsonWriter) newline(level int) {
	if w.multiline {
		w.s.reserveTimes(len(w.indent), level)
		w.b.WriteByte('\n')
		for range level {
			w.b.WriteString(w.indent)
		}
	}
}

func (w *jsonWriter) list(items []Value, level int) {
	if len(items) == 0 {
		w.b.WriteString("[]")
		return
	}
	w.s.enter()
	w.b.WriteByte('[')
	for i, item := range items {
		if i > 0 {
			w.b.WriteString(w.itemSep)
		}
		w.newline(level + 1)
		w.value(item, level+1)
	}
	w.newline(level)
	w.b.WriteByte(']')
	w.s.leave()
}

func (w *jsonWriter) dict(d *Dict, level int) {
	if d.Len() == 0 {
		w.b.WriteString("{}")
		return
	}
	w.s.enter()
	w.b.WriteByte('{')
	for i, e := range w.ordered(d) {
		if i > 0 {
			w.b.WriteString(w.itemSep)
		}
		w.newline(level + 1)
		w.key(e.key)
		w.b.WriteString(w.keySep)
		w.value(e.value, level+1)
	}
	w.newline(level)
	w.b.WriteByte('}')
	w.s.leave()
}

func (w *jsonWriter) ordered(d *Dict) []entry {
	if !w.sortKeys {
		return d.entries
	}
	w.s.reserve(itemBytes * d.Len())
	entries := append([]entry(nil), d.entries...)
	sort.SliceStable(entries, func(i, j int) bool { return w.s.less(entries[i].key, entries[j].key, "<") })
	return entries
}

func (w *jsonWriter) key(k Value) {
	switch k := k.(type) {
	case string:
		w.text(k)
	case Markup:
		w.text(string(k))
	case nil, bool, int64, float64, *big.Int:
		w.b.WriteString(`"` + w.scalar(k) + `"`)
	default:
		w.s.failf(RuntimeError, "keys must be str, int, float, bool or None, not %s", typeName(k))
	}
}

func (w *jsonWriter) text(text string) {
	w.s.spend(len(text) / bytesPerStep)
	w.b.WriteByte('"')
	start := 0
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		if esc := w.escape(r); esc != "" {
			w.b.WriteString(text[start:i])
			w.b.WriteString(esc)
			start = i + size
		}
		i += size
	}
	w.b.WriteString(text[start:])
	w.b.WriteByte('"')
}

var jsonEscapes = map[rune]string{'"': `\"`, '\\': `\\`, '\n': `\n`, '\r': `\r`, '\t': `\t`, '\b': `\b`, '\f': `\f`}

// escape returns how r is written, or "" when it stands for itself.
func (w *jsonWriter) escape(r rune) string {
	switch {
	case r == '"' || r == '\\' || r < ' ':
		if esc := jsonEscapes[r]; esc != "" {
			return esc
		}
		return fmt.Sprintf(`\u%04x`, r)
	case !w.ensureASCII || r < 0x7f:
		return ""
	case r >= 0x10000:
		hi, lo := utf16.EncodeRune(r)
		return fmt.Sprintf(`\u%04x\u%04x`, hi, lo)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// filterToJSON is the filter as transformers defines it, which is not Jinja2's own.
func filterToJSON(s *state, a []Value) Value {
	w := &jsonWriter{s: s, itemSep: ", ", keySep: ": ", ensureASCII: s.truth(a[1]), sortKeys: s.truth(a[4])}
	if a[2] != nil {
		w.multiline, w.itemSep = true, ","
		w.indent = s.indentation(a[2])
	}
	if a[3] != nil {
		seps := s.items(a[3])
		if len(seps) != 2 {
			s.failf(RuntimeError, "tojson: separators must be a pair of texts")
		}
		w.itemSep, w.keySep = s.wantText(seps[0], "tojson separators"), s.wantText(seps[1], "tojson separators")
	}
	w.value(a[0], 0)
	return s.sized(w.b.String())
}
