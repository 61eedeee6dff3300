package calls

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Format is how a family of models writes calls.
type Format struct {
	Name string

	pictures []picture // the first is what Text writes; the others are understood and allowed too

	// Calls stand in groups: open, a call, between, a call, close. Where open is "" each call is a group by itself, and between
	// stands between groups.
	open, between, close string

	trigger string // what to look for in a text: a group begins with it. "": with the pictures, as far as their names
	first   string // the same at the beginning of an answer only: elsewhere it may be plain text
	prompt  string // the end of the prompt, where that begins a group
	plain   string // begins a text that is no call, and does not belong to it

	ids  ids
	told string // picture of an id in a conversation, with $name and $id; "": any

	// Marks are in the source of a template, where that does not show calls.
	marks []string

	// Raw says that a group is found in the answer as the model writes it, before reasoning is taken out.
	Raw       bool
	reasoning [2]string // around the reasoning, in such an answer
}

// ids is how the ids of calls look.
type ids int

const (
	anyID    ids = iota // nine letters and digits, where there is one: what Mistral's models write
	numberID            // the place of the call in its answer
)

// Call is a call to be written.
type Call struct {
	ID, Name  string
	Arguments []byte // a JSON object
}

// Formats are all that are known. A format whose picture is part of another's comes after it.
func Formats() []*Format { return table }

// Shows reports that a text, of a conversation with a call, has it in this format.
func (f *Format) Shows(text string, c Call) bool {
	return slices.ContainsFunc(f.written(c), func(want string) bool { return strings.Contains(text, strings.TrimSpace(want)) })
}

// Resembles is Shows, white space and the end of a group aside.
func (f *Format) Resembles(text string, c Call) bool {
	text = squeezed(text)
	return slices.ContainsFunc(f.written(c), func(want string) bool { return strings.Contains(text, squeezed(strings.TrimSuffix(want, f.close))) })
}

// written is a call in every picture.
func (f *Format) written(c Call) (list []string) {
	for i := range f.pictures {
		list = append(list, f.text(&f.pictures[i], []Call{c}))
	}
	return list
}

func squeezed(text string) string { return strings.Join(strings.Fields(text), "") }

// Marked reports that the source of a template, which shows no calls, is of a model that writes this format.
func (f *Format) Marked(source string) bool {
	for _, m := range f.marks {
		if strings.Contains(source, m) {
			return true
		}
	}
	return false
}

// IDs are the ids that calls of one message must have in a conversation; nil: any.
func (f *Format) IDs(list []Call) (ids []string) {
	for i, c := range list {
		if f.told != "" {
			ids = append(ids, fill(pieces(f.told), map[string]string{"name": c.Name, "id": strconv.Itoa(i)}))
		}
	}
	return ids
}

// Example is a call as a model may be told of it, where its chat template does not.
func (f *Format) Example() string {
	p := &f.pictures[0]
	arguments := "<arguments>"
	if p.key != nil {
		var b strings.Builder
		p.writeArguments(&b, []byte(`{"<argument>": "<value>"}`))
		arguments = b.String()
	}
	values := map[string]string{"name": "<name>", "id": "<id>"}
	return strings.TrimSpace(f.open + strings.TrimSpace(fill(p.head, values)+arguments+fill(pieces(p.tail), values)) + f.close)
}

// Opening is what an answer without calls begins with, behind a prompt, though it is no part of the text.
func (f *Format) Opening(prompt string) string {
	if f.plain == "" || !strings.HasSuffix(strings.TrimSpace(prompt), f.prompt) {
		return ""
	}
	return strings.TrimPrefix(f.plain, f.prompt)
}

// tag is a text that may be a token of its own.
var tag = regexp.MustCompile(`<[^<>\s]+>|\[[A-Z_]+\]`)

// Tags are the texts in calls that may be tokens of their own.
func (f *Format) Tags() []string { return tag.FindAllString(strings.Join(f.Literals(), "\n"), -1) }

// Literals are the texts that calls are made of, beside names and arguments: tokens of these must be seen.
func (f *Format) Literals() []string {
	list := []string{f.open, f.between, f.close, f.trigger, f.prompt, f.plain, f.reasoning[0], f.reasoning[1]}
	for _, p := range f.pictures {
		list = append(list, p.tail, p.style.Quote)
		for _, part := range [][]piece{p.head, p.key} {
			for _, piece := range part {
				list = append(list, piece.literal)
			}
		}
		list = append(list, p.after)
	}
	return list
}
