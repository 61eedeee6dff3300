package debug

import (
	"encoding/json"
	"fmt"
	"strings"
)

// pointer is the JSON pointer (RFC 6901) of the value that the beginning of a JSON text is at.
func pointer(text string) string {
	p := jsonPlace{}
	for i := 0; i < len(text); i++ {
		p.take(text[i])
	}
	var b strings.Builder
	for _, l := range p.levels {
		b.WriteByte('/')
		if l.array {
			fmt.Fprint(&b, l.index)
		} else {
			b.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(l.key))
		}
	}
	return b.String()
}

// jsonPlace reads JSON as it comes.
type jsonPlace struct {
	levels            []jsonLevel
	inString, escaped bool
	text              []byte // of the string that is being read
	last              string // the latest string
}

// jsonLevel is an object or array that is open.
type jsonLevel struct {
	array bool
	index int
	key   string // whose value comes or came last
}

func (p *jsonPlace) take(c byte) {
	switch {
	case p.escaped:
		p.escaped, p.text = false, append(p.text, c)
	case p.inString:
		p.escaped, p.inString = c == '\\', c != '"'
		if p.text = append(p.text, c); !p.inString {
			_ = json.Unmarshal(append([]byte{'"'}, p.text...), &p.last) // or the key is not known
		}
	case c == '"':
		p.inString, p.text, p.last = true, p.text[:0], ""
	case c == '{' || c == '[':
		p.levels = append(p.levels, jsonLevel{array: c == '['})
	case len(p.levels) == 0:
	case c == '}' || c == ']':
		p.levels = p.levels[:len(p.levels)-1]
	case c == ':':
		p.levels[len(p.levels)-1].key = p.last
	case c == ',':
		p.levels[len(p.levels)-1].index++
	}
}
