// Package gbnf reads grammars in llama.cpp's notation.
//
//	root  ::= "yes" | "no" | list    # begins here
//	list  ::= "[" item ("," item){0,9} "]"
//	item  ::= [0-9]+ | "\u00e9" | list
//
// It accepts what llama.cpp v0.7.0 accepts, with these differences: left recursion, undefined rules, rules that are defined
// twice, reversed ranges, empty classes and grammars that no text matches are errors, with line and column. Counts in braces are
// not unrolled, so {0,100000} costs what * costs.
//
// <[123]> is the token of that number, <think> the one of that text, and !<think> any token but that. Tokens are no text: what is
// written with other tokens does not match them.
package gbnf

import "fmt"

// SyntaxError is of a grammar that cannot be used.
type SyntaxError struct {
	Line, Column int    // from 1; columns count characters
	Rule         string // where known
	Reason       string
}

func (e *SyntaxError) Error() string {
	if e.Rule != "" {
		return fmt.Sprintf("grammar: line %d, column %d, rule %q: %s", e.Line, e.Column, e.Rule, e.Reason)
	}
	return fmt.Sprintf("grammar: line %d, column %d: %s", e.Line, e.Column, e.Reason)
}

// Limits of a grammar.
const (
	maxSize  = 4 << 20 // bytes
	maxDepth = 500     // nested parentheses
	maxCount = 1 << 24 // in braces
)
