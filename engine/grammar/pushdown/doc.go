// Package pushdown is the automaton that grammars compile to: a pushdown automaton over bytes whose states are made as they
// are reached.
//
// A Builder holds expressions: terminals, which are regular languages (package rx), and sequences, alternatives, repetitions,
// rules, and Lazy expressions, which are written out only when a text gets there. A State is what may follow after a text:
// a set of threads, each a terminal that is being read and what comes after it, as a set of stacks.
//
// A set of stacks is a tree of continuations read from the top, in which equal parts are one: it is canonical, so that equal
// sets are the same pointer, equal states are the same pointer, and a step from a state that has been taken before is a
// look-up. Ambiguous grammars share stacks instead of multiplying them (as in Tomita's graph-structured stack, 1986).
//
// A token of a vocabulary, where an expression is of one, is five bytes that no UTF-8 has: see AppendToken.
//
// A Builder and its states are not safe for concurrent use; package grammar has the lock.
package pushdown
