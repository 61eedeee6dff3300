package jinja

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// lexer cuts a template into tokens, with Jinja2's trim_blocks (a line break right after a block tag goes) and
// lstrip_blocks (blanks between the beginning of a line and a block tag go) both on, as transformers has them.
//
//	text {%- tag expression -%} text {{ expression }} text {# comment #} {% raw %} text {% endraw %}
//	      ^ text before loses its white space, and text after this ^; a + instead of - keeps even what would go
type lexer struct {
	name      string // of the template
	source    string
	pos       int
	tokens    []token
	brackets  []byte // closing brackets that are awaited in the current tag
	lineStart bool   // what was read last ended a line
}

// normalize makes all line ends \n and drops one at the end of the template.
func normalize(source string) string {
	source = strings.ReplaceAll(source, "\r\n", "\n")
	source = strings.ReplaceAll(source, "\r", "\n")
	return strings.TrimSuffix(source, "\n")
}

// lex returns the tokens of a normalized source; the last is tokEOF. It fails with a panic, like the parser.
func lex(name, source string) []token {
	l := &lexer{name: name, source: source, lineStart: true}
	for l.pos < len(source) {
		l.text()
	}
	l.emit(tokEOF, "", len(source))
	return l.tokens
}

func (l *lexer) fail(offset int, message string) {
	panic(syntaxError(l.name, l.source, offset, message))
}

func syntaxError(name, source string, offset int, message string) *Error {
	line, column := position(source, offset)
	return &Error{Kind: SyntaxError, Template: name, Line: line, Column: column, Message: message}
}

func (l *lexer) emit(k kind, text string, offset int) {
	l.tokens = append(l.tokens, token{k, text, offset})
}

func (l *lexer) rest() string { return l.source[l.pos:] }

// text reads up to the next tag, and the tag.
func (l *lexer) text() {
	start := l.pos
	i := nextTag(l.rest())
	if i < 0 {
		l.emit(tokText, l.rest(), start)
		l.pos = len(l.source)
		return
	}
	text, open := l.rest()[:i], l.rest()[i:i+2]
	tag := start + i
	l.pos = tag + 2
	sign := l.sign()
	if text = l.stripLeft(text, sign, open != "{{"); text != "" {
		l.emit(tokText, text, start)
	}
	switch open {
	case "{#":
		l.comment(tag)
	case "{{":
		l.emit(tokVarOpen, open, tag)
		l.tag(tokVarClose, "}}")
	default:
		if !l.raw(tag) {
			l.emit(tokTagOpen, open, tag)
			l.tag(tokTagClose, "%}")
		}
	}
}

// nextTag finds where a tag begins.
func nextTag(t string) int {
	for i := 0; ; i++ {
		j := strings.IndexByte(t[i:], '{')
		if j < 0 || i+j+1 >= len(t) {
			return -1
		}
		i += j
		if c := t[i+1]; c == '{' || c == '%' || c == '#' {
			return i
		}
	}
}

// tag reads the tokens of a tag up to its end.
func (l *lexer) tag(end kind, closing string) {
	l.brackets = l.brackets[:0]
	for {
		l.pos = len(l.source) - len(strings.TrimLeftFunc(l.rest(), isSpace))
		if l.pos == len(l.source) {
			return // the parser sees tokEOF and knows what it was looking for
		}
		if len(l.brackets) == 0 && l.closeTag(end, closing) {
			return
		}
		l.token()
	}
}

func (l *lexer) closeTag(end kind, closing string) bool {
	rest, sign := l.rest(), byte(0)
	if rest[0] == '-' || rest[0] == '+' && end == tokTagClose {
		sign, rest = rest[0], rest[1:]
	}
	if !strings.HasPrefix(rest, closing) {
		return false
	}
	l.emit(end, closing, l.pos)
	l.pos = len(l.source) - len(rest) + len(closing)
	l.stripRight(sign, end == tokTagClose)
	return true
}

// token reads one token within a tag.
func (l *lexer) token() {
	c := l.source[l.pos]
	r, _ := utf8.DecodeRuneInString(l.rest())
	switch {
	case c >= '0' && c <= '9':
		l.number()
	case isNameRune(r):
		l.nameToken()
	case c == '\'' || c == '"':
		l.stringToken(c)
	default:
		l.operator(r)
	}
}

func isNameRune(r rune) bool {
	return isWord(r) || unicode.In(r, unicode.Mn, unicode.Mc, unicode.Pc) || r == '·'
}

func (l *lexer) nameToken() {
	rest := l.rest()
	n := strings.IndexFunc(rest, func(r rune) bool { return !isNameRune(r) })
	if n < 0 {
		n = len(rest)
	}
	if !isIdentifier(rest[:n]) {
		l.fail(l.pos, "Invalid character in identifier")
	}
	l.emit(tokName, rest[:n], l.pos)
	l.pos += n
}

func (l *lexer) operator(r rune) {
	for _, op := range operators {
		if strings.HasPrefix(l.rest(), op) {
			l.balance(op)
			l.emit(tokOp, op, l.pos)
			l.pos += len(op)
			return
		}
	}
	l.fail(l.pos, "unexpected character "+strconv.QuoteRune(r))
}

// balance keeps track of brackets, so that the }} of {{ {"a": {}} }} does not end the tag.
func (l *lexer) balance(op string) {
	c := op[0]
	if end := closers[c]; end != 0 {
		l.brackets = append(l.brackets, end)
		return
	}
	if c != '}' && c != ')' && c != ']' {
		return
	}
	n := len(l.brackets)
	if n == 0 {
		l.fail(l.pos, "unexpected '"+op+"'")
	}
	if l.brackets[n-1] != c {
		l.fail(l.pos, "unexpected '"+op+"', expected '"+string(l.brackets[n-1])+"'")
	}
	l.brackets = l.brackets[:n-1]
}
