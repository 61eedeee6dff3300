package jinja

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

func itoa(n int) string { return strconv.Itoa(n) }

// str is Python's str(v): what {{ v }} prints.
func (s *state) str(v Value) string {
	switch v := v.(type) {
	case string:
		return v
	case Markup:
		return string(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case nil:
		return "None"
	case *Undefined:
		return ""
	}
	return s.repr(v)
}

// repr is Python's repr(v).
func (s *state) repr(v Value) string {
	var b strings.Builder
	s.writeRepr(&b, v)
	return s.sized(b.String())
}

func (s *state) writeRepr(b *strings.Builder, v Value) {
	s.spend(1)
	if b.Len() > s.limits.Size {
		s.reserve(b.Len())
	}
	switch v := v.(type) {
	case nil:
		b.WriteString("None")
	case bool:
		b.WriteString(map[bool]string{true: "True", false: "False"}[v])
	case int64:
		b.WriteString(strconv.FormatInt(v, 10))
	case *big.Int:
		b.WriteString(s.bigText(v))
	case float64:
		b.WriteString(formatFloat(v))
	case string:
		s.writeQuoted(b, v)
	case Markup:
		b.WriteString("Markup(")
		s.writeQuoted(b, string(v))
		b.WriteByte(')')
	case Bytes:
		writeBytes(b, string(v))
	case *Undefined:
		b.WriteString("Undefined")
	default:
		s.writeContainer(b, v)
	}
}

func (s *state) writeContainer(b *strings.Builder, v Value) {
	s.enter()
	switch v := v.(type) {
	case *List:
		s.writeItems(b, "[", v.Items, "]")
	case Tuple:
		s.writeItems(b, "(", v, map[bool]string{true: ",)", false: ")"}[len(v) == 1])
	case *Dict:
		s.writeDict(b, v)
	case *namespace:
		b.WriteString("<Namespace ")
		s.writeDict(b, v.attrs)
		b.WriteByte('>')
	case *view:
		b.WriteString(v.typeName())
		s.writeItems(b, "([", v.items(s), "])")
	case *rangeValue:
		b.WriteString(v.String())
	case *macro:
		b.WriteString("<Macro " + v.describe() + ">")
	case *loop:
		fmt.Fprintf(b, "<LoopContext %d/%d>", v.index0+1, v.size(s))
	default:
		b.WriteString("<" + typeName(v) + " object>")
	}
	s.leave()
}

func (s *state) writeItems(b *strings.Builder, open string, items []Value, end string) {
	b.WriteString(open)
	for i, item := range items {
		if i > 0 {
			b.WriteString(", ")
		}
		s.writeRepr(b, item)
	}
	b.WriteString(end)
}

func (s *state) writeDict(b *strings.Builder, d *Dict) {
	b.WriteByte('{')
	for i := range d.entries {
		if i > 0 {
			b.WriteString(", ")
		}
		s.writeRepr(b, d.entries[i].key)
		b.WriteString(": ")
		s.writeRepr(b, d.entries[i].value)
	}
	b.WriteByte('}')
}

func (s *state) writeQuoted(b *strings.Builder, text string) {
	s.spend(len(text) / bytesPerStep)
	quote := quoteFor(text)
	b.WriteRune(quote)
	for _, r := range text {
		writeReprRune(b, r, quote)
	}
	b.WriteRune(quote)
}

// quoteFor prefers single quotes, unless double ones save escapes.
func quoteFor(text string) rune {
	if strings.ContainsRune(text, '\'') && !strings.ContainsRune(text, '"') {
		return '"'
	}
	return '\''
}

func writeReprRune(b *strings.Builder, r, quote rune) {
	switch {
	case r == quote || r == '\\':
		b.WriteByte('\\')
		b.WriteRune(r)
	case r == '\n':
		b.WriteString(`\n`)
	case r == '\r':
		b.WriteString(`\r`)
	case r == '\t':
		b.WriteString(`\t`)
	case printable(r):
		b.WriteRune(r)
	case r < 0x100:
		fmt.Fprintf(b, `\x%02x`, r)
	case r < 0x10000:
		fmt.Fprintf(b, `\u%04x`, r)
	default:
		fmt.Fprintf(b, `\U%08x`, r)
	}
}

// printable is Python's str.isprintable for one character: neither control, format, unassigned nor a separator other
// than the ordinary space.
func printable(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= ' ' && r < 0x7f
	}
	return unicode.IsPrint(r)
}

func writeBytes(b *strings.Builder, data string) {
	quote := quoteFor(data)
	b.WriteString("b" + string(quote))
	for i := range len(data) {
		if c := data[i]; c < utf8.RuneSelf {
			writeReprRune(b, rune(c), quote)
		} else {
			fmt.Fprintf(b, `\x%02x`, c)
		}
	}
	b.WriteRune(quote)
}

// formatFloat is Python's repr of a float: the shortest digits that read back as the same number, with an exponent
// below 1e-4 and from 1e16.
func formatFloat(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 0):
		return map[bool]string{true: "inf", false: "-inf"}[f > 0]
	}
	if a := math.Abs(f); a != 0 && (a < 1e-4 || a >= 1e16) {
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	text := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

// bigText writes a long integer; as in Python there is a limit to how long.
func (s *state) bigText(n *big.Int) string {
	const maxDigits = 4300
	s.spend(n.BitLen() / 8)
	text := ""
	if n.BitLen() <= 4*maxDigits {
		text = strings.TrimPrefix(n.String(), "-")
	}
	if text == "" || len(text) > maxDigits {
		s.failf(RuntimeError, "an integer has more than %d digits to print", maxDigits)
	}
	if n.Sign() < 0 {
		return "-" + text
	}
	return text
}
