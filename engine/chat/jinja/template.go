package jinja

import (
	"context"
	"strings"
	"time"
)

// maxSource bounds the size of a template; the longest that a model has come with are about 20 KB.
const maxSource = 1 << 20

// Template is a parsed template. It does not change, so that any number of goroutines can render it at once.
type Template struct {
	Name   string
	source string // normalized, for positions
	body   []stmt

	symbols map[string]int  // of every variable that the template names
	root    []Value         // what they are before the caller's variables: globals or unset
	words   map[string]bool // attributes and literal texts
	clock   bool
}

// Parse reads a template; name is what errors call it.
func Parse(name, source string) (t *Template, err error) {
	defer recoverError(&err)
	if len(source) > maxSource {
		return nil, syntaxError(name, "", 0, "the template is longer than 1 MiB")
	}
	p := &parser{t: &Template{Name: name, source: normalize(source), symbols: map[string]int{}, words: map[string]bool{}}}
	p.tokens = lex(name, p.t.source)
	p.t.body = p.statements()
	if p.cur().kind == tokTagOpen {
		p.fail(p.cur(), "unexpected end tag")
	}
	if len(p.unknown) > 0 {
		u := p.unknown[0]
		p.fail(u.at, "No %s named '%s'.", u.what, u.name)
	}
	p.t.clock = p.clock || p.clockNames > p.dateCalls
	p.t.bindGlobals()
	return p.t, nil
}

// recoverError turns the panic of a failure into an error; other panics go on.
func recoverError(err *error) {
	switch r := recover().(type) {
	case nil:
	case *Error:
		*err = r
	default:
		panic(r)
	}
}

func (t *Template) bindGlobals() {
	t.root = make([]Value, len(t.symbols))
	for name, i := range t.symbols {
		t.root[i] = unset{}
		if g, ok := globals[name]; ok {
			t.root[i] = g
		}
	}
}

// Names reports whether the template names a variable anywhere.
func (t *Template) Names(variable string) bool {
	_, ok := t.symbols[variable]
	return ok
}

// Mentions reports whether the template has the word as an attribute or as a literal text: message.word, message['word'],
// or 'word' anywhere else.
func (t *Template) Mentions(word string) bool { return t.words[word] }

// UsesClock reports that the result may differ within a day: the template asks strftime_now for a time, not just a date.
func (t *Template) UsesClock() bool { return t.clock }

// Options change what a rendering does; nil is the default.
type Options struct {
	Limits Limits
	Now    time.Time // what strftime_now sees; zero: the clock, read once
	// Lenient does what templates evidently mean where transformers' sandbox and Python refuse: methods that change
	// lists and dicts (append, pop, update, ...) work, also on the values that the template was given, and tojson
	// writes what is undefined as null and iterators as lists.
	Lenient bool
}

// Render evaluates the template with the given variables. The error is an *Error.
func (t *Template) Render(ctx context.Context, vars *Dict, opts *Options) (text string, err error) {
	defer recoverError(&err)
	if opts == nil {
		opts = &Options{}
	}
	s := &state{tmpl: t, ctx: ctx, opts: opts, limits: opts.Limits.withDefaults(), now: opts.Now, out: new(strings.Builder)}
	if s.now.IsZero() {
		s.now = time.Now()
	}
	s.root = append([]Value(nil), t.root...)
	for i := range vars.Len() {
		key, value := vars.At(i)
		if name, ok := key.(string); ok {
			if symbol, ok := t.symbols[name]; ok {
				s.root[symbol] = value
			}
		}
	}
	s.refuel()
	s.exec(t.body)
	return s.out.String(), nil
}
