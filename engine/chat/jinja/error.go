package jinja

import "fmt"

// Kind says what went wrong in a template.
type Kind int

const (
	SyntaxError    Kind = iota + 1 // the source is not a template
	RuntimeError                   // an operation that the values do not allow
	UndefinedError                 // something that is not defined was used as if it were
	SecurityError                  // an attribute that templates may not touch
	RaisedError                    // the template itself refused, with raise_exception
	LimitError                     // the template wanted more than Limits allow
	CanceledError                  // the context ended; Unwrap gives its cause
)

var kindNames = [...]string{"", "syntax", "runtime", "undefined", "security", "raised", "limit", "canceled"}

func (k Kind) String() string {
	if k <= 0 || int(k) >= len(kindNames) {
		return fmt.Sprintf("Kind(%d)", int(k))
	}
	return kindNames[k]
}

// Error is the error of Parse and Render.
type Error struct {
	Kind     Kind
	Template string // the name given to Parse
	Line     int    // from 1
	Column   int    // in characters, from 1
	Message  string // for RaisedError the template's own sentence, unchanged

	// Items are the values that the loops around the place of the error stood at, innermost first, so that a caller
	// can tell which of its inputs (which message) the template was at.
	Items []Value

	cause error
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.Template, e.Line, e.Column, e.Message)
}

// Unwrap returns the context's error for a CanceledError.
func (e *Error) Unwrap() error { return e.cause }
