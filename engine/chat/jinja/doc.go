// Package jinja renders the templates that models bring along: the part of Jinja2 that chat templates use, with the
// settings of transformers (trim_blocks, lstrip_blocks, the filter tojson, generation, break and continue, strftime_now
// and raise_exception) and with Python's arithmetic, comparison, formatting and repr.
//
// Parse reads a [Template] once; Render evaluates it any number of times, from any number of goroutines, with variables
// in a [Dict] that keeps the order of keys. [FromJSON] makes values of JSON.
//
// Templates come from strangers. They have no way to files, network or environment (include, import and extends are
// syntax errors), and [Limits] bound steps, output, the size of values, memory and nesting; the context stops a rendering
// too. So whatever a template does, Render returns soon; a failure is an [*Error] with template, line and column, and
// RaisedError tells a template that refuses its input from one that is at fault.
//
// The filter from_json reads JSON; Jinja2 itself has none of that name, but templates use it.
//
// Values handed to Render belong to the caller and are not changed, unless Options.Lenient is set.
//
// # Differences from Jinja2
//
//   - No template inheritance, no block, autoescape or trans, no async; the filters random, urlize and wordwrap and the
//     global lipsum are missing.
//   - Constants are not folded when a template is parsed. Jinja2 gives undefined for a slice of a constant that cannot be
//     sliced, like (1)[2:], and an error for one of a variable; here both are errors.
//   - A name that is assigned in a template and was read before, in an inner scope, is the caller's variable here;
//     Jinja2 makes it undefined.
//   - Integers have at most 65,536 bits, a power that is a complex number is an error, and a power of floats may differ in
//     its last digit.
//   - loop and bytes are not iterable, and pprint does not wrap lines.
//
// The source is in four parts: lex*.go and token.go cut a template into tokens, parse*.go makes statements and
// expressions of them, exec.go, for.go, expr.go, operator.go and callexpr.go evaluate these, and the rest is what the
// values can do.
package jinja
