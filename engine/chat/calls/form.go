package calls

import (
	"fmt"
	"slices"
	"strings"

	"github.com/llamakit/llamakit/engine/grammar"
	"github.com/llamakit/llamakit/engine/grammar/pushdown"
	"github.com/llamakit/llamakit/engine/grammar/rx"
	"github.com/llamakit/llamakit/engine/grammar/schema"
)

// Tool is a function that may be called.
type Tool struct {
	Name       string
	Parameters []byte // JSON Schema of an object
	Lenient    bool   // keywords that cannot be enforced are dropped
}

// Options say how calls may come in an answer.
type Options struct {
	Required bool // the answer begins with a call
	Single   bool // the answer ends with the first one
}

// Form is what keeps an answer to a format and to the schemas of tools. It can be shared by answers.
type Form struct {
	Options
	Format *Format

	// Group is the grammar of calls that stand together, from the trigger on, and First the grammar of an answer that must call: the
	// same, but after reasoning where the format is Raw.
	Group, First *grammar.Grammar

	// A group begins with one of the texts Triggers wherever it stands, and with Beginning ("": none) at the beginning of an answer.
	Triggers  []string
	Beginning string
	Prompt    string // what the prompt may have of a group already

	kinds map[string]schema.Kinds
}

// Splitter returns a splitter for an answer.
func (f *Form) Splitter() Splitter { return Splitter{format: f.Format, kinds: f.kinds} }

// Error is of a tool whose calls cannot be kept to its schema.
type Error struct {
	Tool int
	Err  error
}

func (e *Error) Error() string { return fmt.Sprintf("tool %d: %v", e.Tool, e.Err) }

// Unwrap returns the error of the schema.
func (e *Error) Unwrap() error { return e.Err }

// Compile makes the form of calls of tools. An error is an *Error, or grammar.ErrTooComplex.
func (f *Format) Compile(tools []Tool, o Options) (*Form, error) {
	form := &Form{Options: o, Format: f, Beginning: f.first, Prompt: f.prompt, kinds: map[string]schema.Kinds{}, Triggers: f.triggers(tools)}
	group, b, err := form.group(tools)
	if err != nil {
		return nil, err
	}
	if form.Group, err = grammar.New(b, group); err != nil || f.reasoning[0] == "" || !o.Required {
		form.First = form.Group
		return form, err
	}
	if group, b, err = form.group(tools); err == nil {
		form.First, err = grammar.New(b, b.Cat(f.thoughts(b), group))
	}
	return form, err
}

// triggers lists the texts that a group begins with.
func (f *Format) triggers(tools []Tool) (list []string) {
	if !strings.Contains(f.trigger, "$name") {
		return f.lookFor()
	}
	for _, t := range tools {
		list = append(list, strings.ReplaceAll(f.trigger, "$name", t.Name))
	}
	return list
}

// thoughts is the reasoning that an answer may begin with.
func (f *Format) thoughts(b *pushdown.Builder) pushdown.Expr {
	a := b.RX
	inside := a.Without(a.Star(a.Runes(rx.Runes(nil).Not())), f.reasoning[1])
	return b.Term(a.Opt(a.Cat(a.Literal(f.reasoning[0]), inside, a.Literal(f.reasoning[1]))))
}

// group is the expression of calls that stand together.
func (form *Form) group(tools []Tool) (pushdown.Expr, *pushdown.Builder, error) {
	f, b := form.Format, pushdown.NewBuilder()
	var list []pushdown.Expr
	for i, t := range tools {
		for _, p := range f.pictures {
			e, err := form.call(b, &p, t)
			if err != nil {
				return 0, nil, &Error{i, err}
			}
			list = append(list, e)
		}
	}
	call := b.Alt(list...)
	open, between, end := b.Term(b.RX.Literal(f.open)), b.Term(b.RX.Literal(f.between)), b.Term(b.RX.Literal(f.close))
	more := pushdown.Empty
	if f.open != "" && !form.Single {
		more = b.Repeat(b.Cat(between, call), 0, rx.Unbounded)
	}
	return b.Cat(open, call, more, end), b, nil
}

// call is the expression of a call of one tool.
func (form *Form) call(b *pushdown.Builder, p *picture, t Tool) (pushdown.Expr, error) {
	o := schema.Options{Lenient: t.Lenient, Style: p.style, Compact: p.style.Quote != ""}
	var arguments pushdown.Expr
	var err error
	if p.key == nil {
		arguments, _, err = schema.Compile(b, t.Parameters, o)
	} else {
		arguments, form.kinds[t.Name], _, err = schema.CompileArguments(b, t.Parameters, o, p.arguments())
	}
	if err != nil {
		return 0, err
	}
	if values, _, o := match(p.head, fill(p.head, map[string]string{"name": t.Name, "id": "0"})+"{"); o != yes || values["name"] != t.Name {
		return 0, fmt.Errorf("the name %.40q cannot be written in the model's format", t.Name)
	}
	head := form.language(b.RX, p.head, t.Name)
	tail := form.language(b.RX, pieces(p.tail), t.Name)
	return b.Cat(b.Term(head), arguments, b.Term(tail)), nil
}

// arguments says how members are written.
func (p *picture) arguments() schema.Arguments {
	a := schema.Arguments{Before: p.key[0].literal, After: p.after, Comma: p.comma, Verbatim: p.tags}
	if p.key[0].field != "" {
		a.Before = ""
	}
	a.Colon = p.key[len(p.key)-1].literal
	if p.textKey != nil {
		a.TextColon = p.textKey[len(p.textKey)-1].literal
	}
	return a
}

// language is the texts of a picture with a name. Blanks in JSON may be left out.
func (form *Form) language(a *rx.Arena, list []piece, name string) rx.ID {
	digits, letters := a.Span('0', '9'), a.Alt(a.Span('0', '9'), a.Span('a', 'z'), a.Span('A', 'Z'))
	inJSON := slices.ContainsFunc(list, func(p piece) bool { return p.quoted })
	e := rx.Empty
	for _, p := range list {
		switch {
		case p.field == "name" && p.quoted:
			e = a.Cat(e, a.Literal(escaped(name)))
		case p.field == "name":
			e = a.Cat(e, a.Literal(name))
		case p.field == "id" && form.Format.ids == numberID:
			e = a.Cat(e, a.Repeat(digits, 1, 4))
		case p.field == "id":
			e = a.Cat(e, a.Repeat(letters, 9, 9))
		default:
			e = a.Cat(e, literalLanguage(a, p.literal, inJSON))
		}
	}
	return e
}

// literalLanguage is a text, of which the blanks after the first brace may be left out in JSON.
func literalLanguage(a *rx.Arena, literal string, inJSON bool) rx.ID {
	at := strings.IndexAny(literal, "{,:")
	if !inJSON || at < 0 {
		return a.Literal(literal)
	}
	e := a.Literal(literal[:at])
	for i, part := range strings.Split(literal[at:], " ") {
		if i > 0 {
			e = a.Cat(e, a.Opt(a.Byte(' ')))
		}
		e = a.Cat(e, a.Literal(part))
	}
	return e
}
