package calls

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/llamakit/llamakit/engine/grammar/schema"
)

// Text writes calls as the model would. Their arguments must be JSON objects.
func (f *Format) Text(list []Call) string { return f.text(&f.pictures[0], list) }

func (f *Format) text(p *picture, list []Call) string {
	var b strings.Builder
	b.WriteString(f.open)
	for i, c := range list {
		if i > 0 {
			b.WriteString(f.between)
		}
		if f.ids == numberID {
			c.ID = strconv.Itoa(i)
		}
		b.WriteString(fill(p.head, map[string]string{"name": c.Name, "id": c.ID}))
		p.writeArguments(&b, c.Arguments)
		b.WriteString(fill(pieces(p.tail), map[string]string{"id": c.ID}))
	}
	return b.String() + f.close
}

func (p *picture) writeArguments(b *strings.Builder, object []byte) {
	if p.key == nil {
		b.Write(object)
		return
	}
	d := json.NewDecoder(bytes.NewReader(object))
	d.UseNumber()
	_, _ = d.Token() // {
	for i := 0; d.More(); i++ {
		if i > 0 {
			b.WriteString(p.comma)
		}
		key, _ := d.Token()
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return
		}
		p.writeMember(b, fmt.Sprint(key), value)
	}
}

func (p *picture) writeMember(b *strings.Builder, key string, value json.RawMessage) {
	pieces := p.key
	var text string
	isText := json.Unmarshal(value, &text) == nil && value[0] == '"'
	if isText && p.textKey != nil {
		pieces = p.textKey
	}
	if !p.tags && p.style.Quote != "" {
		key = literalName(key, &p.style)
	}
	b.WriteString(fill(pieces, map[string]string{"key": key}))
	switch {
	case p.tags && isText:
		b.WriteString(text)
	case p.tags:
		b.Write(value)
	default:
		d := json.NewDecoder(bytes.NewReader(value))
		d.UseNumber()
		writeLiteral(b, d, &p.style)
	}
	b.WriteString(p.after)
}

// writeLiteral writes the next value of d as a literal of a style.
func writeLiteral(b *strings.Builder, d *json.Decoder, s *schema.Style) {
	comma, colon := ", ", ": "
	if s.Quote != "" {
		comma, colon = ",", ":"
	}
	token, err := d.Token()
	if err != nil {
		return
	}
	switch t := token.(type) {
	case json.Delim:
		b.WriteString(t.String())
		for i := 0; d.More(); i++ {
			if i > 0 {
				b.WriteString(comma)
			}
			if t == '{' {
				key, _ := d.Token()
				b.WriteString(literalName(fmt.Sprint(key), s) + colon)
			}
			writeLiteral(b, d, s)
		}
		end, _ := d.Token()
		b.WriteString(fmt.Sprint(end))
	case string:
		b.WriteString(literalText(t, s))
	case bool:
		b.WriteString(map[bool]string{true: cmp.Or(s.True, "true"), false: cmp.Or(s.False, "false")}[t])
	case nil:
		b.WriteString(cmp.Or(s.Null, "null"))
	default:
		b.WriteString(fmt.Sprint(t))
	}
}

func literalText(text string, s *schema.Style) string {
	if s.Quote != "" {
		return s.Quote + text + s.Quote
	}
	return `"` + escaped(text) + `"`
}

func literalName(name string, s *schema.Style) string {
	if s.Quote != "" && schema.Bare(name) {
		return name
	}
	return literalText(name, s)
}

// escaped is a text as it is written in JSON, without quotes. Bytes that are no UTF-8 stay as they are: the text may be a part.
func escaped(text string) string {
	var b strings.Builder
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			b.Write([]byte{'\\', c})
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\t':
			b.WriteString(`\t`)
		case c == '\r':
			b.WriteString(`\r`)
		case c < 0x20:
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func unescaped(text string) (string, bool) {
	var out string
	err := json.Unmarshal([]byte(`"`+text+`"`), &out)
	return out, err == nil
}
