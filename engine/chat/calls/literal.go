package calls

import (
	"encoding/json"
	"strings"
)

// literal turns arguments that are literals of another language into JSON:
//
//	city="Paris", days=[1, 2], more={'exact': True}       Python
//	city:<|"|>Paris<|"|>,days:[1,2],more:{exact:true}     Gemma
type literal struct {
	*picture
	end   byte   // closes the arguments
	stack []byte // brackets that are open
	key   bool   // a name is next

	begun  bool
	quote  string // that ends the text being read; "": none is
	isName bool   // the text being read is one
}

func newLiteral(p *picture) *literal {
	return &literal{picture: p, end: p.tail[0], key: true}
}

func (l *literal) take(text string) (out string, n int, o outcome) {
	var b strings.Builder
	if !l.begun {
		l.begun = true
		b.WriteByte('{')
	}
	for o = maybe; o == maybe && n < len(text); {
		m := 0
		if l.quote != "" {
			m = l.takeText(&b, text[n:])
		} else {
			m, o = l.takeToken(&b, text[n:])
		}
		if n += m; m == 0 {
			break
		}
	}
	return b.String(), n, o
}

// takeToken reads a bracket, a separator, a word, or the quote that begins a text.
func (l *literal) takeToken(b *strings.Builder, text string) (n int, o outcome) {
	c := text[0]
	if q := l.style.Quote; q != "" && c == q[0] {
		if !strings.HasPrefix(text, q) {
			return 0, map[bool]outcome{true: maybe, false: no}[strings.HasPrefix(q, text)]
		}
		return l.begin(b, q), maybe
	}
	switch {
	case strings.IndexByte(white, c) >= 0:
		return 1, maybe
	case l.style.Quote == "" && (c == '"' || c == '\''):
		return l.begin(b, text[:1]), maybe
	case c == ',':
		l.key = len(l.stack) == 0 || l.stack[len(l.stack)-1] == '{'
		b.WriteString(", ")
	case c == ':' || c == '=':
		if !l.isName {
			return 0, no
		}
		l.isName = false
		b.WriteString(": ")
	case c == '{' || c == '[' || c == '(':
		if l.key {
			return 0, no
		}
		l.open(b, c)
	case c == '}' || c == ']' || c == ')':
		return l.close(b, c)
	default:
		return l.takeWord(b, text)
	}
	return 1, maybe
}

func (l *literal) begin(b *strings.Builder, quote string) int {
	l.quote, l.isName, l.key = quote, l.key, false
	b.WriteByte('"')
	return len(quote)
}

func (l *literal) open(b *strings.Builder, c byte) {
	l.stack, l.key = append(l.stack, c), c == '{'
	b.WriteByte(map[byte]byte{'{': '{', '[': '[', '(': '['}[c])
}

func (l *literal) close(b *strings.Builder, c byte) (n int, o outcome) {
	top := len(l.stack) - 1
	switch {
	case l.isName:
		return 0, no
	case top < 0 && c == l.end:
		b.WriteByte('}')
		return 0, yes
	case top < 0 || c != map[byte]byte{'{': '}', '[': ']', '(': ')'}[l.stack[top]]:
		return 0, no
	}
	b.WriteByte(map[byte]byte{'}': '}', ']': ']', ')': ']'}[c])
	l.stack, l.key = l.stack[:top], false
	return 1, maybe
}

// takeWord reads a name, a number, or a word of the language. Another word is taken for a text whose quotes are missing.
func (l *literal) takeWord(b *strings.Builder, text string) (n int, o outcome) {
	n = strings.IndexAny(text, white+`,:=(){}[]"'<`)
	switch {
	case n < 0 && len(text) < maxField:
		return 0, maybe
	case n <= 0:
		return 0, no
	}
	word := text[:n]
	switch s := &l.style; {
	case l.key:
		l.key, l.isName = false, true
		b.WriteString(`"` + escaped(word) + `"`)
	case s.True != "" && word == s.True:
		b.WriteString("true")
	case s.False != "" && word == s.False:
		b.WriteString("false")
	case s.Null != "" && word == s.Null:
		b.WriteString("null")
	case json.Valid([]byte(word)):
		b.WriteString(word)
	default:
		b.WriteString(`"` + escaped(word) + `"`)
	}
	return n, maybe
}

// takeText reads a part of a text, or its end.
func (l *literal) takeText(b *strings.Builder, text string) (n int) {
	if l.style.Quote != "" {
		at := strings.Index(text, l.quote)
		if at < 0 {
			n = len(text) - overlap(text, l.quote)
			b.WriteString(escaped(text[:n]))
			return n
		}
		b.WriteString(escaped(text[:at]) + `"`)
		n, l.quote = at+len(l.quote), ""
		return n
	}
	for n < len(text) {
		c := text[n]
		switch {
		case c == '\\':
			m := l.takeEscape(b, text[n:])
			if m == 0 {
				return n
			}
			n += m
		case c == l.quote[0]:
			b.WriteByte('"')
			l.quote = ""
			return n + 1
		default:
			b.WriteString(escaped(text[n : n+1]))
			n++
		}
	}
	return n
}

// takeEscape reads an escape of Python: of JSON's, and \' and \xhh; another stands for itself, with its backslash.
func (l *literal) takeEscape(b *strings.Builder, text string) (n int) {
	if len(text) < 2 {
		return 0
	}
	switch c := text[1]; c {
	case 'n', 't', 'r', 'b', 'f', '"', '\\', '/':
		b.WriteString(text[:2])
	case '\'':
		b.WriteByte(c)
	case 'u', 'x':
		long := map[byte]int{'u': 6, 'x': 4}[c]
		if len(text) < long {
			return 0
		}
		if code := text[2:long]; strings.Trim(code, "0123456789abcdefABCDEF") == "" {
			b.WriteString(`\u` + "0000"[:4-len(code)] + code)
			return long
		}
		b.WriteString(`\\` + string(c))
	default:
		b.WriteString(`\\` + escaped(text[1:2]))
	}
	return 2
}
