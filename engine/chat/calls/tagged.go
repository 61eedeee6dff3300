package calls

import (
	"encoding/json"
	"strings"

	"github.com/llamakit/llamakit/engine/grammar/schema"
)

// tags reads arguments that stand between tags of their own:
//
//	<parameter=city>
//	Paris
//	</parameter>
//
// Whether a value is a text or JSON is known from the tool's schema; where it may be both, what is valid JSON is JSON.
type tags struct {
	*picture
	kinds schema.Kinds

	members int
	inValue bool
	kind    schema.Kind
	begun   bool   // a text's first quote was written
	value   string // what has come of a value that is decided at its end
	dropped bool   // the line break that a value begins with
}

func (t *tags) take(text string) (out string, n int, o outcome) {
	var b strings.Builder
	for o = maybe; o == maybe; {
		m := 0
		if t.inValue {
			m, o = t.takeValue(&b, text[n:])
		} else {
			m, o = t.takeKey(&b, text[n:])
		}
		n += m
		if m == 0 {
			break
		}
	}
	return b.String(), n, o
}

// takeKey reads what a member begins with, or sees the end of the arguments.
func (t *tags) takeKey(b *strings.Builder, text string) (n int, o outcome) {
	rest := strings.TrimLeft(text, white)
	skipped := len(text) - len(rest)
	if o = matchEnd(t.tail, rest); o == yes {
		b.WriteString(map[bool]string{true: "{}", false: "}"}[t.members == 0])
		return skipped, yes
	}
	forms := [][]piece{t.key}
	if t.textKey != nil {
		forms = append(forms, t.textKey)
	}
	for i, form := range forms {
		values, m, found := match(trimmed(form), rest)
		if found == maybe {
			o = maybe
		}
		if found != yes {
			continue
		}
		t.kind = t.kinds.Of(values["key"])
		if len(forms) > 1 {
			t.kind = []schema.Kind{schema.Other, schema.Text}[i]
		}
		b.WriteString(map[bool]string{true: "{", false: ", "}[t.members == 0] + `"` + escaped(values["key"]) + `": `)
		t.members++
		t.inValue, t.begun, t.value, t.dropped = true, false, "", !t.padded()
		return skipped + m, maybe
	}
	return 0, o
}

// matchEnd looks for the first tag of the tail.
func matchEnd(tail, text string) outcome {
	tail = strings.TrimSpace(tail)
	if i := strings.IndexByte(tail, '>'); i >= 0 {
		tail = tail[:i+1]
	}
	_, _, o := match([]piece{{literal: tail}}, text)
	return o
}

// padded reports that values stand on lines of their own.
func (t *tags) padded() bool { return strings.HasPrefix(t.after, "\n") }

// trimmed is a picture without the line break at its end, which belongs to the value.
func trimmed(list []piece) []piece {
	last := list[len(list)-1]
	last.literal = strings.TrimRight(last.literal, "\n")
	return append(list[:len(list)-1:len(list)-1], last)
}

// takeValue reads a part of a value, up to its end tag.
func (t *tags) takeValue(b *strings.Builder, text string) (n int, o outcome) {
	begin := 0
	if !t.dropped && text != "" {
		t.dropped = true
		if text[0] == '\n' {
			begin = 1
		}
	}
	end := strings.TrimSpace(t.after)
	if at := strings.Index(text[begin:], end); at >= 0 {
		part := text[begin : begin+at]
		if t.padded() {
			part = strings.TrimSuffix(part, "\n")
		}
		t.part(b, part)
		t.finish(b)
		t.inValue = false
		return begin + at + len(end), maybe
	}
	sure := text[begin : len(text)-overlap(text[begin:], end)]
	if t.padded() {
		sure = strings.TrimSuffix(sure, "\n")
	}
	t.part(b, sure)
	return begin + len(sure), maybe
}

// part takes a part of a value.
func (t *tags) part(b *strings.Builder, text string) {
	if t.kind != schema.Text {
		t.value += text
		return
	}
	if !t.begun {
		t.begun = true
		b.WriteByte('"')
	}
	b.WriteString(escaped(text))
}

func (t *tags) finish(b *strings.Builder) {
	switch value := strings.TrimSpace(t.value); {
	case t.kind == schema.Text:
		b.WriteByte('"')
	case json.Valid([]byte(value)):
		b.WriteString(value)
	default:
		b.WriteString(`"` + escaped(t.value) + `"`)
	}
}

// overlap is the length of the longest end of text that begins, but is not all of, tag.
func overlap(text, tag string) int {
	for n := min(len(tag)-1, len(text)); n > 0; n-- {
		if strings.HasSuffix(text, tag[:n]) {
			return n
		}
	}
	return 0
}
