package engine

import (
	"regexp"
	"slices"
	"strings"
)

// Trigger begins a grammar late: the answer is free until a trigger comes. What it is of comes first: Word, Pattern, Token.
type Trigger struct {
	Word    string         // the grammar begins with this text, wherever it comes
	Pattern *regexp.Regexp // it begins at the first group that is not empty, or else where the pattern matches all that was written
	Token   Token          // it begins with this token
}

// late waits for a trigger in a text.
type late struct {
	triggers []Trigger
	whole    string // so far
}

// push takes the next piece of text. Where a trigger is complete, rest is what the grammar begins with.
func (l *late) push(text string) (rest string, open bool) {
	l.whole += text
	at := -1
	for _, t := range l.triggers {
		if i := t.find(l.whole); i >= 0 && (at < 0 || i < at) {
			at = i
		}
	}
	if at < 0 {
		l.forget()
		return "", false
	}
	return l.whole[at:], true
}

// forget drops what can be no part of a trigger: a pattern looks at everything.
func (l *late) forget() {
	longest := 0
	for _, t := range l.triggers {
		if t.Pattern != nil {
			return
		}
		longest = max(longest, len(t.Word))
	}
	l.whole = l.whole[max(0, len(l.whole)-longest):]
}

// find returns where in the text the grammar begins, or -1.
func (t *Trigger) find(text string) int {
	switch {
	case t.Word != "":
		return strings.Index(text, t.Word)
	case t.Pattern == nil:
		return -1
	}
	m := t.Pattern.FindStringSubmatchIndex(text)
	if m == nil {
		return -1
	}
	for g := 2; g+1 < len(m); g += 2 {
		if m[g] >= 0 && m[g] < m[g+1] {
			return m[g]
		}
	}
	return m[0]
}

// begins reports whether a token is a trigger.
func (l *late) begins(t Token) bool {
	return l != nil && slices.ContainsFunc(l.triggers, func(x Trigger) bool { return x.Word == "" && x.Pattern == nil && x.Token == t })
}
