package chat

import (
	"fmt"
	"slices"
	"strings"

	"github.com/llamakit/llamakit/engine/chat/jinja"
)

// A template sees text of strangers with a mark wherever Input.Guard wants one: it goes where the template puts the text, and tells
// in the end where that is. Marks stand only in texts that spell a control token, or may be completed to one.

// Marks are taken from Unicode's noncharacters, which no text has business to hold.
const (
	firstMark = '\uFDD0'
	lastMark  = '\uFDEF'
)

// prepare chooses a mark that stands nowhere yet, and what an assistant may spell nevertheless: the tags of reasoning, which templates
// look for in its messages.
func (t *Template) prepare(in *Input) error {
	vars, _, err := in.vars(t.shape(in))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrInput, err)
	}
	for _, f := range t.families() {
		in.tags = append(in.tags, f.open, f.close)
	}
	for mark := firstMark; mark <= lastMark; mark++ {
		if !strings.ContainsRune(t.source, mark) && !holds(vars, mark) {
			in.mark = string(mark)
			return nil
		}
	}
	return fmt.Errorf("%w: it has all of Unicode's noncharacters U+FDD0 to U+FDEF", ErrInput)
}

// holds reports whether a mark stands in any text of a value.
func holds(v jinja.Value, mark rune) bool {
	switch v := v.(type) {
	case string:
		return strings.ContainsRune(v, mark)
	case *jinja.List:
		return slices.ContainsFunc(v.Items, func(x jinja.Value) bool { return holds(x, mark) })
	case *jinja.Dict:
		for i := range v.Len() {
			if key, value := v.At(i); holds(key, mark) || holds(value, mark) {
				return true
			}
		}
	}
	return false
}

// guard marks the texts of strangers among the variables.
func (in *Input) guard(vars *jinja.Dict) {
	for _, name := range []string{"tools", "documents"} {
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
	}
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
	parts := strings.Split(text, mark)
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
