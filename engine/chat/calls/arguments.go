package calls

import (
	"strings"

	"github.com/llamakit/llamakit/engine/grammar/schema"
)

// arguments reads the arguments of a call as they come, and turns them into JSON.
type arguments interface {
	// take reads what is certain at the beginning of text, n bytes of it: JSON, or a part of it. The outcome is yes at the end of the
	// arguments, and no where these are none.
	take(text string) (json string, n int, o outcome)
}

// newArguments reads the arguments of a picture, of a tool whose members are of kinds.
func (p *picture) newArguments(kinds schema.Kinds) arguments {
	switch {
	case p.key == nil:
		return &jsonObject{}
	case p.tags:
		return &tags{picture: p, kinds: kinds}
	}
	return newLiteral(p)
}

// jsonObject finds the end of a JSON object.
type jsonObject struct {
	depth             int
	inString, escaped bool
}

func (e *jsonObject) take(text string) (json string, n int, o outcome) {
	skipped := 0
	if e.depth == 0 {
		skipped = len(text) - len(strings.TrimLeft(text, white))
		switch text = text[skipped:]; {
		case text == "":
			return "", 0, maybe
		case text[0] != '{':
			return "", 0, no
		}
	}
	n, end := e.scan(text)
	if end {
		return text[:n], skipped + n, yes
	}
	return text[:n], skipped + n, maybe
}

// scan returns how much of text belongs to the object, and whether it ends there.
func (e *jsonObject) scan(text string) (n int, end bool) {
	for i := range len(text) {
		switch c := text[i]; {
		case e.escaped:
			e.escaped = false
		case e.inString:
			e.escaped, e.inString = c == '\\', c != '"'
		case c == '"':
			e.inString = true
		case c == '{' || c == '[':
			e.depth++
		case c == '}' || c == ']':
			if e.depth--; e.depth == 0 {
				return i + 1, true
			}
		}
	}
	return len(text), false
}
