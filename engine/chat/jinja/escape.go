package jinja

import (
	"html"
	"strings"
)

var htmlEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;")

// escape makes text safe within HTML.
func (s *state) escape(text string) string {
	s.spend(len(text) / bytesPerStep)
	return s.sized(htmlEscaper.Replace(text))
}

// escapeValue is escape(str(v)), which leaves Markup alone.
func (s *state) escapeValue(v Value) string {
	if m, ok := v.(Markup); ok {
		return string(m)
	}
	return s.escape(s.str(v))
}

func filterEscape(s *state, a []Value) Value { return Markup(s.escapeValue(a[0])) }

func filterForceEscape(s *state, a []Value) Value { return Markup(s.escape(s.str(a[0]))) }

// filterStripTags removes comments and tags, then collapses white space and resolves entities.
func filterStripTags(s *state, a []Value) Value {
	t := s.str(a[0])
	s.reserve(len(t))
	t = cutBetween(t, "<!--", "-->")
	t = cutBetween(t, "<", ">")
	return html.UnescapeString(strings.Join(fields(t, -1), " "))
}

// cutBetween removes what stands between open and end, including them, until one of the two is missing.
func cutBetween(t, open, end string) string {
	var b strings.Builder
	for {
		i := strings.Index(t, open)
		if i < 0 {
			break
		}
		j := strings.Index(t[i:], end)
		if j < 0 {
			break
		}
		b.WriteString(t[:i])
		t = t[i+j+len(end):]
	}
	b.WriteString(t)
	return b.String()
}

// filterURLEncode quotes a text, or the pairs of a mapping as a query.
func filterURLEncode(s *state, a []Value) Value {
	if t, ok := text(a[0]); ok {
		return s.sized(quoteURL(t, "/"))
	}
	if _, ok := s.tryIter(a[0]); !ok {
		return quoteURL(s.str(a[0]), "/")
	}
	pairs := a[0]
	if d, ok := pairs.(*Dict); ok {
		pairs = &view{d, 'i'}
	}
	var parts []string
	for _, item := range s.items(pairs) {
		kv := s.firstItems(item, 2)
		if len(kv) != 2 {
			s.failf(RuntimeError, "urlencode: expected pairs")
		}
		parts = append(parts, quoteQuery(s.str(kv[0]))+"="+quoteQuery(s.str(kv[1])))
	}
	return s.join(parts, "&")
}

func quoteQuery(t string) string { return strings.ReplaceAll(quoteURL(t, ""), "%20", "+") }

func quoteURL(t, safe string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(t) {
		c := t[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("_.-~"+safe, c) >= 0:
			b.WriteByte(c)
		default:
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		}
	}
	return b.String()
}

// filterXMLAttr writes a mapping as attributes; none and undefined are left out.
func filterXMLAttr(s *state, a []Value) Value {
	d, ok := a[0].(*Dict)
	if !ok {
		s.wrongType(a[0], "xmlattr", "a mapping")
	}
	var parts []string
	for i := range d.entries {
		key, value := d.entries[i].key, d.entries[i].value
		if value == nil || isUndefined(value) {
			continue
		}
		if strings.ContainsAny(s.wantText(key, "xmlattr"), " \t\n\r\f\v/>=") {
			s.failf(RuntimeError, "xmlattr: invalid character in attribute name: %s", s.repr(key))
		}
		parts = append(parts, s.escapeValue(key)+`="`+s.escapeValue(value)+`"`)
	}
	text := s.join(parts, " ")
	if s.truth(a[1]) && text != "" {
		text = " " + text
	}
	return text
}
