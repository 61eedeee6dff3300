package chat

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/llamakit/llamakit/engine/chat/jinja"
)

// A template sees text of strangers with a mark wherever Input.Guard wants one: it goes where the template puts the text, and tells
// in the end where that is. Marks stand only in texts that spell a control token, or may be completed to one.

// Marks are hieroglyphs, of which one that stands nowhere is chosen: they have no cases, are no blanks, and are written as they are
// where a template prints a value as Python or JSON would, unless it wants ASCII (escaped).
const (
	firstMark = '\U00013000'
	lastMark  = '\U0001342F'
)

// prepare chooses a mark that stands nowhere yet, and what an assistant may spell nevertheless: the tags of reasoning, which templates
// look for in its messages.
func (t *Template) prepare(in *Input) error {
	vars, _, err := in.vars(t.shape(in))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrInput, err)
	}
	in.source = t.source
	for _, f := range t.families() {
		in.tags = append(in.tags, f.open, f.close)
	}
	for mark := firstMark; mark <= lastMark; mark++ {
		if !strings.ContainsRune(t.source, mark) && !holds(vars, string(mark)) && !holds(vars, escaped(mark)) {
			in.mark = string(mark)
			return nil
		}
	}
	return fmt.Errorf("%w: it has all of Unicode's hieroglyphs U+13000 to U+1342F", ErrInput)
}

// escaped is how JSON in ASCII has a mark.
func escaped(mark rune) string {
	high, low := utf16.EncodeRune(mark)
	return fmt.Sprintf(`\u%04x\u%04x`, high, low)
}

// holds reports whether a text stands in any text of a value.
func holds(v jinja.Value, text string) bool {
	switch v := v.(type) {
	case string:
		return strings.Contains(v, text)
	case *jinja.List:
		return slices.ContainsFunc(v.Items, func(x jinja.Value) bool { return holds(x, text) })
	case *jinja.Dict:
		for i := range v.Len() {
			if key, value := v.At(i); holds(key, text) || holds(value, text) {
				return true
			}
		}
	}
	return false
}

// guard marks the texts of strangers among the variables.
func (in *Input) guard(vars *jinja.Dict) {
	for _, name := range []string{"tools", "documents", "functions"} {
		if v, ok := vars.Get(name); ok {
			vars.Set(name, in.markAll(v, nil))
		}
	}
	list, _ := vars.Get("messages")
	for i, m := range list.(*jinja.List).Items {
		var except []string
		if in.Messages[i].Role == "assistant" {
			except = in.tags
		}
		in.markAll(m, except)
		if d, role := m.(*jinja.Dict), in.Messages[i].Role; !in.knownRole(role) {
			d.Set("role", in.mark+role+in.mark)
		}
	}
}

// knownRole tells roles that templates know from those that could be a token's name, where a template writes <|role|>.
func (in *Input) knownRole(role string) bool {
	return slices.Contains([]string{"", "system", "developer", "user", "assistant", "tool"}, role) ||
		strings.Contains(in.source, "'"+role+"'") || strings.Contains(in.source, `"`+role+`"`)
}

// markAll marks all texts of a value, names of fields included. Lists and dicts are changed in place.
func (in *Input) markAll(v jinja.Value, except []string) jinja.Value {
	switch v := v.(type) {
	case string:
		return in.marked(v, except)
	case *jinja.List:
		for i := range v.Items {
			v.Items[i] = in.markAll(v.Items[i], except)
		}
	case *jinja.Dict:
		old := *v
		*v = jinja.Dict{}
		for i := range old.Len() {
			key, value := old.At(i)
			v.Set(in.markAll(key, except).(string), in.markAll(value, except))
		}
	}
	return v
}

// marked is a text with marks.
func (in *Input) marked(text string, except []string) string {
	if in.mark == "" {
		return text
	}
	var b strings.Builder
	from := 0
	for _, at := range in.Guard(text, except) {
		b.WriteString(text[from:at])
		b.WriteString(in.mark)
		from = at
	}
	return b.String() + text[from:]
}

// unmark is the text without marks, and where they were.
func unmark(text, mark string) (string, []int) {
	r, _ := utf8.DecodeRuneInString(mark)
	parts := strings.Split(strings.ReplaceAll(text, escaped(r), mark), mark)
	if len(parts) == 1 {
		return text, nil
	}
	var b strings.Builder
	var at []int
	for i, part := range parts {
		if i > 0 {
			at = append(at, b.Len())
		}
		b.WriteString(part)
	}
	return b.String(), at
}
