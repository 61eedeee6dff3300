// Package grammar keeps generated text within a grammar: it says which tokens may come next.
//
//	g, err := grammar.FromSchema(schema, schema.Options{})   // or grammar.ParseGBNF(text)
//	m := g.Matcher(grammar.NewVocabulary(vocab))                    // one for each sequence
//	mask := grammar.NewMask(vocab.Size())
//	for !m.Ended() {
//		err = m.Mask(mask)     // choose a token t with mask.Has(t)
//		err = m.Accept(t)
//	}
//
// A Grammar comes from GBNF (package gbnf) or from a JSON Schema (package schema). Both become one automaton over bytes
// (packages pushdown and rx), whose states are made as they are reached. A Vocabulary is the texts of all tokens as a
// trie. The mask of a state is found by walking the trie with the automaton, and is remembered with the state.
//
// # What makes it fast
//
// Most tokens are plain characters, and most states inside a string take any of those, or any up to a count (pushdown.State.Free).
// Their tokens are a bit set made once a vocabulary; only the others, about one in ten, are walked.
//
// # Exactness
//
// A token is allowed exactly when the text with it can still be completed. What a schema says that cannot be enforced is
// an error at compilation, with keyword and JSON pointer, unless schema.Options.Lenient makes it a notice.
//
// # Sharing
//
// A Grammar and a Vocabulary can be used by several goroutines at once; the Grammar has a lock around what it learns. A Matcher
// belongs to one sequence.
//
// # Limits
//
// Nothing here takes time or memory without bound: compilation ends in an error, and a step or mask that would need
// too many states is pushdown.ErrTooComplex.
package grammar
