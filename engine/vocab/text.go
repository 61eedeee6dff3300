package vocab

import "unicode/utf8"

// text is a fragment taken apart for splitting: rune i has class c[i] and begins at byte at[i]; at has one entry more, the
// length in bytes. Its buffers are reused from one fragment to the next.
type text struct {
	s  string
	r  []rune
	c  []class
	at []int
}

// set takes s apart. s must be sanitized.
func (t *text) set(s string) {
	t.s, t.r, t.c, t.at = s, t.r[:0], t.c[:0], t.at[:0]
	table := classTable()
	for i := 0; i < len(s); {
		r, n := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, n = decodeRune(s[i:])
		}
		t.r, t.c, t.at = append(t.r, r), append(t.c, table[r]), append(t.at, i)
		i += n
	}
	t.at = append(t.at, len(s))
}

// bytes returns the runes [i, j) as a string that shares the fragment's memory.
func (t *text) bytes(i, j int) string { return t.s[t.at[i]:t.at[j]] }

// run returns the end of the run of characters of the given classes that begins at i.
func (t *text) run(i, hi int, set class) int {
	for i < hi && t.c[i]&set != 0 {
		i++
	}
	return i
}

// runOf is run for a set of characters.
func (t *text) runOf(i, hi int, in func(rune) bool) int {
	for i < hi && in(t.r[i]) {
		i++
	}
	return i
}

// is reports whether character i lies in [.., hi) and has one of the classes.
func (t *text) is(i, hi int, set class) bool { return i < hi && t.c[i]&set != 0 }

// isRune reports whether character i lies in [.., hi) and is r.
func (t *text) isRune(i, hi int, r rune) bool { return i < hi && t.r[i] == r }

// newline reports whether character i lies in [.., hi) and is a line feed or a carriage return.
func (t *text) newline(i, hi int) bool { return i < hi && (t.r[i] == '\n' || t.r[i] == '\r') }
