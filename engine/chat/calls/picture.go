package calls

import (
	"strings"

	"github.com/llamakit/llamakit/engine/grammar/schema"
)

// picture is a call with $name, $arguments, and where there is one $id in their places.
type picture struct {
	head []piece // before the arguments
	tail string  // after them

	// The arguments are a JSON object, or members with comma between them. A member is a picture with $key and $value.
	key     []piece // before the value; nil: a JSON object
	textKey []piece // the same of a text, where that differs
	after   string  // the value
	comma   string
	tags    bool // texts are written as they are, between tags
	style   schema.Style
}

// objects are calls whose arguments are a JSON object.
func objects(calls ...string) (list []picture) {
	for _, c := range calls {
		head, tail, _ := strings.Cut(c, "$arguments")
		list = append(list, picture{head: pieces(head), tail: tail})
	}
	return list
}

// tagged is a call whose arguments have tags of their own.
func tagged(call, member string) []picture {
	p := literals(call, member, "", schema.Style{})
	p[0].tags = true
	if text := strings.Replace(member, `"false"`, `"true"`, 1); text != member {
		p[0].textKey = literals(call, text, "", schema.Style{})[0].key
	}
	return p
}

// literals is a call whose arguments are literals of another language.
func literals(call, member, comma string, style schema.Style) []picture {
	p := objects(call)
	key, after, _ := strings.Cut(member, "$value")
	p[0].key, p[0].after, p[0].comma, p[0].style = pieces(key), after, comma, style
	return p
}

// piece is a part of a picture: a text, or the place of something.
type piece struct {
	literal string
	field   string // "name", "id", "key" where literal is ""
	quoted  bool   // in JSON
	ends    byte   // what follows the place begins with it
}

// fields are the places of a picture.
var fields = []string{"name", "id", "key"}

// pieces cuts a picture at its places.
func pieces(text string) (list []piece) {
	for text != "" {
		at, field := len(text), ""
		for _, f := range fields {
			if i := strings.Index(text, "$"+f); i >= 0 && i < at {
				at, field = i, f
			}
		}
		if at > 0 {
			list = append(list, piece{literal: text[:at]})
		}
		if field != "" {
			before := text[:at]
			text = text[at+1+len(field):]
			p := piece{field: field, quoted: strings.HasSuffix(before, `"`) && !strings.HasSuffix(before, `="`)}
			if rest := strings.TrimLeft(text, white); rest != "" {
				p.ends = rest[0]
			}
			list = append(list, p)
			continue
		}
		break
	}
	return list
}

// fill puts what belongs there into the places of a picture.
func fill(list []piece, values map[string]string) string {
	var b strings.Builder
	for _, p := range list {
		switch {
		case p.field == "":
			b.WriteString(p.literal)
		case p.quoted:
			b.WriteString(escaped(values[p.field]))
		default:
			b.WriteString(values[p.field])
		}
	}
	return b.String()
}

const white = " \t\r\n"

// outcome is what is known of a text that may become what was looked for.
type outcome int

const (
	no    outcome = iota
	maybe         // more text is needed
	yes
)

// match reads the beginning of a text as a picture. Where the picture has white space there may be any or none, and in JSON
// around punctuation. It returns what stands in the places, and the length of all.
func match(list []piece, text string) (values map[string]string, n int, o outcome) {
	values = map[string]string{}
	inJSON := false
	for _, p := range list {
		inJSON = inJSON || p.quoted
	}
	for _, p := range list {
		m := 0
		if p.field == "" {
			m, o = matchLiteral(p.literal, text[n:], inJSON)
		} else {
			values[p.field], m, o = matchField(&p, text[n:])
		}
		if o != yes {
			return nil, 0, o
		}
		n += m
	}
	return values, n, yes
}

func matchLiteral(literal, text string, inJSON bool) (n int, o outcome) {
	for i := range len(literal) {
		c := literal[i]
		blank := strings.IndexByte(white, c) >= 0
		if blank || inJSON && strings.IndexByte(`{}[]:,"`, c) >= 0 {
			n += len(text[n:]) - len(strings.TrimLeft(text[n:], white))
		}
		switch {
		case blank:
		case n == len(text):
			return 0, maybe
		case text[n] != c:
			return 0, no
		default:
			n++
		}
	}
	return n, yes
}

// maxField bounds names, which end nowhere in a text that is no call.
const maxField = 1000

func matchField(p *piece, text string) (value string, n int, o outcome) {
	for n < len(text) && n < maxField {
		switch c := text[n]; {
		case p.quoted && c == '\\':
			n++
		case p.quoted && c == '"':
			value, ok := unescaped(text[:n])
			if !ok || value == "" && p.field == "name" {
				return "", 0, no
			}
			return value, n, yes
		case p.quoted:
		case p.field != "key" && strings.IndexByte(white+`<>{}()[]"'`, c) >= 0 || c == p.ends:
			if n == 0 {
				return "", 0, no
			}
			return text[:n], n, yes
		}
		n++
	}
	if n >= maxField {
		return "", 0, no
	}
	return "", 0, maybe
}
