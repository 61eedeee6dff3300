// Package schema compiles a JSON Schema to an expression of the automaton in package pushdown.
//
// A schema, with what it is combined with (allOf, $ref, a sibling), is turned into a union of shapes: null, booleans, a
// language of numbers, one of strings, and any number of alternatives for arrays and objects. Languages are intersected and
// complemented exactly; so are arrays and objects, by their parts, whose values stay conjunctions of schemas, not looked at
// until they are needed. A conjunction is a rule of the grammar, which makes recursion no special case.
//
//   - value.go, document.go: the JSON text, its schemas, and what references lead to
//   - compile.go: conjunctions and which of them can be satisfied
//   - shape.go, object.go, array.go: shapes and what combines them
//   - assert.go, apply.go, negate.go: keywords to shapes, and to the shapes of what they refuse
//   - number.go, text.go, format.go: languages
//   - emit.go, emit_object.go, emit_array.go: shapes to expressions
//   - style.go, arguments.go: values that are not written as JSON
//
// What is written is a subset of what a schema allows: members come in the order of the schema, characters are escaped only
// where JSON demands it (any escape is accepted in strings without pattern, format or negation), integers have no fraction, and
// numbers with bounds no exponent.
package schema

import "fmt"

// Options say how JSON is written and what happens to keywords that cannot be enforced. The zero value is strict.
type Options struct {
	// Compact allows no white space. Otherwise a blank may follow a colon, and a blank, or one new line and an
	// indent of up to MaxIndent blanks or tabs, may follow commas and stand inside brackets.
	Compact   bool
	MaxIndent int // 0: 40

	// Lenient drops keywords that cannot be enforced, with a notice, where they are errors otherwise.
	Lenient bool

	Style Style // where it is not JSON that is written
}

// Error is of a schema that cannot be enforced exactly.
type Error struct {
	Pointer string // JSON pointer to the schema that has the keyword
	Keyword string
	Reason  string
}

func (e *Error) Error() string {
	return fmt.Sprintf("schema: %s: %s: %s", display(e.Pointer), e.Keyword, e.Reason)
}

// Notice is of a keyword that is not enforced.
type Notice struct {
	Pointer string `json:"pointer"`
	Keyword string `json:"keyword"`
	Reason  string `json:"reason"`
}

func (n Notice) String() string {
	return fmt.Sprintf("the schema's keyword %s at %s is not enforced: %s", n.Keyword, n.Pointer, n.Reason)
}

// display shows the pointer to the whole schema as #.
func display(pointer string) string { return "#" + pointer }

// Limits of a schema and of what it becomes.
const (
	maxSize         = 16 << 20
	maxDepth        = 200    // nested values of the schema's text
	maxAlternatives = 500    // arrays or objects of a union
	maxConjunctions = 50_000 // rules
	maxItems        = 1 << 24
)
