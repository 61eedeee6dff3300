package safetensors

import (
	"encoding/json"
	"strconv"

	"github.com/llamakit/llamakit/formats/internal/fault"
)

// scanner reads the few shapes of JSON that headers and indexes have, directly from the mapped file. encoding/json would
// take the last of two equal names in silence, copy a header of 100 MB before looking at it, and know no offsets. The
// scanner keeps the first error and returns zero values after it.
type scanner struct {
	file string
	data []byte
	pos  int
	err  error
}

// Limits that no known file comes near.
const (
	maxName  = 1 << 16 // bytes of a name or text
	maxDepth = 64      // of values that are skipped
)

// fail keeps an error at byte at, unless there is one already.
func (s *scanner) fail(kind error, at int, format string, args ...any) {
	if s.err == nil {
		s.err = fault.At(kind, s.file, int64(at), format, args...)
	}
}

// peek returns the next byte that is no white space, or 0 at the end and after an error.
func (s *scanner) peek() byte {
	for ; s.err == nil && s.pos < len(s.data); s.pos++ {
		switch c := s.data[s.pos]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

// expect steps over c, which must come next.
func (s *scanner) expect(c byte) {
	switch got := s.peek(); {
	case s.err != nil:
	case s.pos == len(s.data):
		s.fail(ErrCorrupt, s.pos, "the JSON ends where %q should be", c)
	case got != c:
		s.fail(ErrCorrupt, s.pos, "JSON: %s where %q should be", quote(string(s.data[s.pos:s.pos+1])), c)
	default:
		s.pos++
	}
}

// object reads an object and calls each with every name and its place, standing before the value.
func (s *scanner) object(each func(name string, at int)) {
	s.list('{', '}', func() {
		s.peek()
		at := s.pos
		name := s.str()
		s.expect(':')
		if s.err == nil {
			each(name, at)
		}
	})
}

// list reads what stands between open and end, separated by commas.
func (s *scanner) list(open, end byte, element func()) {
	s.expect(open)
	if s.peek() == end {
		s.expect(end)
		return
	}
	for s.err == nil {
		element()
		if s.peek() == end {
			s.expect(end)
			return
		}
		s.expect(',')
	}
}

// str reads a string.
func (s *scanner) str() string {
	s.expect('"')
	begin := s.pos
	raw, escaped := s.rawString()
	switch {
	case s.err != nil:
		return ""
	case len(raw) > maxName:
		s.fail(ErrUnsupported, begin, "a text of %d bytes is longer than the limit of %d", len(raw), maxName)
		return ""
	case !escaped:
		return string(raw)
	}
	var text string
	if err := json.Unmarshal(s.data[begin-1:s.pos], &text); err != nil {
		s.fail(ErrCorrupt, begin, "JSON: %s", err)
	}
	return text
}

// rawString steps behind the closing quote and returns what stands before it.
func (s *scanner) rawString() (raw []byte, escaped bool) {
	begin := s.pos
	for ; s.err == nil && s.pos < len(s.data); s.pos++ {
		switch c := s.data[s.pos]; {
		case c == '"':
			s.pos++
			return s.data[begin : s.pos-1], escaped
		case c == '\\':
			escaped = true
			s.pos++
		case c < ' ':
			s.fail(ErrCorrupt, s.pos, "JSON: control character in a string")
		}
	}
	s.fail(ErrCorrupt, begin, "JSON: a string does not end")
	return nil, false
}

// integer reads an integer from 0 to 2^63-1.
func (s *scanner) integer() int {
	s.peek()
	begin := s.pos
	for s.err == nil && s.pos < len(s.data) && s.data[s.pos]-'0' <= 9 {
		s.pos++
	}
	digits := string(s.data[begin:min(s.pos, begin+20)])
	n, err := strconv.Atoi(digits)
	if s.err == nil && (err != nil || s.pos-begin > 19 || len(digits) > 1 && digits[0] == '0' || s.fraction()) {
		s.fail(ErrCorrupt, begin, "no integer from 0 to 2^63-1 stands here")
	}
	return n
}

// fraction reports whether the number goes on behind its integer part.
func (s *scanner) fraction() bool {
	if s.pos == len(s.data) {
		return false
	}
	c := s.data[s.pos]
	return c == '.' || c == 'e' || c == 'E'
}

// skip steps over any value, at most depth levels deep.
func (s *scanner) skip(depth int) {
	c := s.peek()
	if depth == 0 {
		s.fail(ErrUnsupported, s.pos, "JSON nested more than %d deep", maxDepth)
		return
	}
	switch {
	case c == '{':
		s.list('{', '}', func() { s.skipString(); s.expect(':'); s.skip(depth - 1) })
	case c == '[':
		s.list('[', ']', func() { s.skip(depth - 1) })
	case c == '"':
		s.skipString()
	default:
		s.skipWord()
	}
}

func (s *scanner) skipString() {
	s.expect('"')
	s.rawString()
}

// skipWord steps over a number, true, false or null.
func (s *scanner) skipWord() {
	begin := s.pos
	for s.pos < len(s.data) && isWord(s.data[s.pos]) {
		s.pos++
	}
	if word := s.data[begin:s.pos]; s.err == nil && !json.Valid(word) {
		s.fail(ErrCorrupt, begin, "JSON: %s is no value", quote(string(word[:min(len(word), maxName)])))
	}
}

func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'
}
