package jinja

import "strings"

// kind is the type of a token.
type kind int

const (
	tokEOF      kind = iota
	tokText          // between tags, as it will be written
	tokVarOpen       // {{
	tokVarClose      // }}
	tokTagOpen       // {%
	tokTagClose      // %}
	tokName
	tokString // text is the content, escapes resolved
	tokInt
	tokFloat
	tokOp
)

type token struct {
	kind   kind
	text   string
	offset int // in the source
}

// is reports a name or operator of that text.
func (t token) is(text string) bool {
	return t.text == text && (t.kind == tokName || t.kind == tokOp)
}

// describe names the token for messages.
func (t token) describe() string {
	switch t.kind {
	case tokEOF:
		return "end of template"
	case tokText:
		return "text"
	case tokVarOpen:
		return "'{{'"
	case tokVarClose:
		return "'}}'"
	case tokTagOpen:
		return "'{%'"
	case tokTagClose:
		return "'%}'"
	case tokString:
		return "a string"
	}
	return "'" + t.text + "'"
}

// operators, longer ones first.
var operators = []string{
	"//", "**", "==", "!=", ">=", "<=",
	"+", "-", "/", "*", "%", "~", "[", "]", "(", ")", "{", "}", ">", "<", "=", ".", ":", "|", ",", ";",
}

var closers = map[byte]byte{'{': '}', '(': ')', '[': ']'}

// position converts an offset to a line and a column, both from 1.
func position(source string, offset int) (line, column int) {
	before := source[:min(max(offset, 0), len(source))]
	start := strings.LastIndexByte(before, '\n') + 1
	return 1 + strings.Count(before, "\n"), 1 + len([]rune(before[start:]))
}
