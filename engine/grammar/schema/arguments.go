package schema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/llamakit/llamakit/engine/grammar/pushdown"
	"github.com/llamakit/llamakit/engine/grammar/rx"
)

// Arguments says how the outermost object is written where that is not as the objects inside: a member is Before, its name,
// Colon, its value, After.
type Arguments struct {
	Before, Colon, After, Comma string

	// Verbatim: values that are texts are written as they are, and cannot contain what After begins with, white space aside. Where
	// TextColon is not "", it stands in the place of Colon before texts. Else a text that looks like JSON is written as JSON where
	// the value could be something else.
	Verbatim  bool
	TextColon string
}

// Kind is what the values of a member can be.
type Kind int

// The kinds.
const (
	Mixed Kind = iota // texts and others
	Text              // texts only
	Other             // no texts
)

// Kinds are those of the members of an object.
type Kinds struct {
	named map[string]Kind
	other Kind // of names that are not there
}

// Of is the kind of the values of a member.
func (k Kinds) Of(name string) Kind {
	if kind, ok := k.named[name]; ok {
		return kind
	}
	return k.other
}

// CompileArguments makes the expression of the objects that data, a JSON Schema, allows, with their members written as a says.
func CompileArguments(b *pushdown.Builder, data []byte, o Options, a Arguments) (e pushdown.Expr, kinds Kinds, notices []Notice, err error) {
	root, err := parseSchema(data)
	if err != nil {
		return 0, kinds, nil, err
	}
	w := &outermost{compiler: newCompiler(b, newDocument(root), o), form: a}
	w.names = w.compiler
	if w.root, err = w.begin(root); err == nil && a.Verbatim {
		o.Style.verbatim = true
		w.names = newCompiler(b, w.doc, o)
		w.root, err = w.names.begin(root)
	}
	if err != nil {
		return 0, kinds, nil, err
	}
	w.findKinds()
	e, err = w.emit()
	return e, w.kinds, w.notices, err
}

// outermost writes the members of the outermost object.
type outermost struct {
	*compiler           // of values
	names     *compiler // of the object itself: with Verbatim its texts are as they are
	root      conj      // of names
	form      Arguments
	kinds     Kinds
	bad       error // a name that cannot be written
}

func (w *outermost) emit() (pushdown.Expr, error) {
	a := w.rx
	l := layout{beforeName: a.Literal(w.form.Before), afterName: rx.Empty, afterValue: a.Literal(w.form.After), comma: a.Literal(w.form.Comma),
		inside: rx.Empty, openObject: rx.Empty, closeObject: rx.Empty, emptyObject: rx.Empty}
	var list []pushdown.Expr
	for _, o := range w.names.conjs[w.root].shape.objects {
		if w.names.objectPossible(o) {
			list = append(list, w.names.emitMembers(o, &l, w))
		}
	}
	return w.b.Alt(list...), w.bad
}

// name leaves out the names that would end early, or that cannot be told from what is around them.
func (w *outermost) name(names rx.ID) rx.ID {
	switch plain := w.rx.Repeat(w.rx.Runes(bare), 1, rx.Unbounded); {
	case w.names.text.style.Quote != "":
		return w.names.text.named(w.rx.And(names, w.rx.Not(rx.Empty)))
	case !w.form.Verbatim:
		return w.rx.And(names, plain)
	}
	for _, colon := range []string{w.form.Colon, w.form.TextColon} {
		if colon = strings.TrimSpace(colon); colon != "" {
			names = w.rx.Without(names, colon[:1])
		}
	}
	blank := w.rx.Alt(w.rx.Byte(' '), w.rx.Byte('\n'))
	return w.rx.And(names, w.rx.Not(w.rx.Opt(w.rx.Cat(blank, rx.All))))
}

func (w *outermost) value(name string, x conj) (pushdown.Expr, bool) {
	if !w.names.conjs[x].possible {
		return pushdown.Nothing, false
	}
	if name != "" && !w.rx.Alive(w.name(w.names.text.literals([]string{name}))) {
		w.bad = &Error{Pointer: "/properties/" + escapePointer(name), Keyword: "properties", Reason: fmt.Sprintf("the name %.40q cannot be written in the model's format", name)}
		return pushdown.Nothing, false
	}
	colon := w.b.Term(w.rx.Literal(w.form.Colon))
	if !w.form.Verbatim {
		return w.b.Cat(colon, w.call(x)), true
	}
	kind := w.kinds.Of(name)
	text := w.rx.Without(w.names.conjs[x].shape.str, strings.TrimSpace(w.form.After))
	switch other := w.others(x, kind == Mixed && w.form.TextColon == ""); {
	case w.form.TextColon != "":
		return w.b.Alt(w.b.Term(w.rx.Cat(w.rx.Literal(w.form.TextColon), text)), w.b.Cat(colon, other)), true
	case kind == Mixed:
		return w.b.Cat(colon, w.b.Alt(w.b.Term(w.rx.And(text, w.rx.Not(w.likeJSON()))), other)), true
	default:
		return w.b.Cat(colon, w.b.Alt(w.b.Term(text), other)), true
	}
}

// others is the values of x that are no texts, or all of them, as JSON.
func (w *outermost) others(x conj, all bool) pushdown.Expr {
	y := w.twin(x)
	if !w.conjs[y].possible {
		return pushdown.Nothing // it is a text
	}
	if all {
		return w.call(y)
	}
	s := *w.conjs[y].shape
	s.str = rx.Nothing
	var more []conj
	e := w.compiler.emit(&s, &more)
	for _, z := range more {
		w.call(z)
	}
	return e
}

// twin is what x of names is to the compiler of values.
func (w *outermost) twin(x conj) conj {
	literals := w.names.conjs[x].literals
	if len(literals) == 0 {
		return truth
	}
	y, err := w.conj(literals)
	if err != nil || w.explore(y) != nil {
		return falsehood
	}
	return y
}

// likeJSON is the texts that begin as a JSON value does.
func (w *outermost) likeJSON() rx.ID {
	a := w.rx
	blank := a.Star(a.Alt(a.Byte(' '), a.Byte('\t'), a.Byte('\n'), a.Byte('\r')))
	begin := rx.Nothing
	for _, c := range []byte(`"[{-0123456789`) {
		begin = a.Alt(begin, a.Byte(c))
	}
	words := a.Cat(a.Literals([]string{"null", "true", "false"}), blank)
	return a.Cat(blank, a.Alt(a.Cat(begin, rx.All), words))
}

// findKinds looks at the members of every alternative. Where a name can be in the class of one and known to another, it is not
// told which is meant, and all are mixed.
func (w *outermost) findKinds() {
	objects := w.names.conjs[w.root].shape.objects
	found := map[string]Kind{}
	merge := func(name string, x conj) {
		if kind, ok := w.kindOf(x); ok {
			if before, known := found[name]; known && before != kind {
				kind = Mixed
			}
			found[name] = kind
		}
	}
	for _, o := range objects {
		classes := append(slices.Clone(o.classes), o.last...)
		if len(classes) > 0 && len(objects) > 1 {
			return
		}
		for _, p := range o.props {
			merge(p.name, p.value)
		}
		for _, k := range classes {
			merge(otherName, k.value)
		}
	}
	w.kinds = Kinds{named: found, other: found[otherName]}
}

// otherName stands for the names of classes. It is no JSON text.
const otherName = "\xff"

// kindOf looks at the values of x; false where there are none.
func (w *outermost) kindOf(x conj) (Kind, bool) {
	c := w.names
	if !c.conjs[x].possible {
		return Mixed, false
	}
	s := *c.conjs[x].shape
	texts := c.rx.Alive(s.str)
	s.str = rx.Nothing
	switch others := c.possible(&s); {
	case texts && others:
		return Mixed, true
	case texts:
		return Text, true
	}
	return Other, true
}
